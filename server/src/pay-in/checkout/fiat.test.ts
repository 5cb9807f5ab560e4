import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PageView } from '@bursar/checkout'
import { createRoutingTable } from '../../cards/acquiring/index.ts'
import { createDocumentMaker, type DocumentMaker } from '../../merchants/documents/index.ts'
import { catalogue, HOUR_MS, START, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { createFiatPages, createSellers, type InvoicePages, type SentForm, type Visit } from './index.ts'

let documents: DocumentMaker
const world = useFiatInvoices()
let pages: InvoicePages
beforeEach(async () => {
  documents = createDocumentMaker()
  const settings = {
    catalogue,
    table: createRoutingTable([world.first, world.second]),
    publicUrl: 'https://pay.example',
  }
  pages = createFiatPages({ runtime: world.runtime, settings, sellers: createSellers({ find: () => null }), documents })
})
afterEach(async () => {
  await documents.close()
})

const VISIT: Visit = { language: 'kk', claim: undefined, returned: false, rest: false, fee: undefined }
const FORM: SentForm = { verb: 'proceed', email: undefined, value: undefined, choice: undefined, address: undefined }
const see = async (id: string, visit: Partial<Visit> = {}): Promise<PageView> =>
  (await pages.find(id, { ...VISIT, ...visit }))!
const send = (id: string, form: Partial<SentForm>) => pages.act(id, { ...FORM, ...form }, VISIT)
const email = 'payer@example.com'

describe('the page of a fiat invoice', () => {
  test('leads to the acquirer, back, and to the receipt', async () => {
    const id = await world.create({ description: 'Two books', redirectUrl: 'https://shop.example/thanks' })
    expect(await see(id)).toMatchObject({
      seller: { name: 'Shop Ltd' },
      description: 'Two books',
      returnTo: 'https://shop.example/thanks',
      now: START,
      state: {
        at: 'open',
        asked: { value: '100', ticker: 'UAH' },
        email: 'ask',
        amountEntry: undefined,
        options: [],
        until: START + 72 * HOUR_MS,
      },
    })
    expect(await send(id, {})).toEqual([{ field: 'email', why: 'missing' }])
    expect(await send(id, { email: 'a@b@c' })).toEqual([{ field: 'email', why: 'malformed' }])
    expect(await send(id, { email })).toEqual([])
    expect((await see(id)).state).toEqual({ at: 'waiting', asked: { value: '100', ticker: 'UAH' } })
    await world.work()
    const [payment] = await world.payments(id)
    const url = `https://first.example/pay/${payment!.id}`
    expect((await see(id)).state).toMatchObject({ at: 'leaving', method: 'GET', url })
    expect(await see(id, { returned: true })).toMatchObject({
      keep: { returned: '1' },
      state: { at: 'checking', back: { url } },
    })
    expect(world.first.orders.get(payment!.id)!.order.language).toBe('kk')
    world.first.pays(payment!.id)
    await world.hear(payment!.id)
    expect((await see(id)).state).toMatchObject({ at: 'checking', back: undefined })
    expect(await pages.receipt(id, VISIT)).toBeUndefined()
    await world.work()
    expect(await see(id, { returned: true })).toMatchObject({
      keep: {},
      state: {
        at: 'paid',
        paid: { value: '100', ticker: 'UAH' },
        card: '411111******1111',
        receipt: `/invoices/fiat/${id}/receipt.pdf`,
      },
    })
    expect((await pages.receipt(id, VISIT))!.pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(await send(id, { email })).toEqual([{ field: 'form', why: 'gone' }])
  })

  test('asks for the currency and the amount where they are open, and names the limits', async () => {
    const id = await world.create({ amount: undefined })
    expect((await see(id)).state).toMatchObject({
      at: 'open',
      asked: undefined,
      amountEntry: { ticker: undefined },
      options: [
        { ticker: 'UAH', least: '25', most: '29999' },
        { ticker: 'KZT', least: '12000', most: '300000' },
      ],
    })
    expect(await send(id, {})).toEqual([
      { field: 'email', why: 'missing' },
      { field: 'choice', why: 'missing' },
      { field: 'value', why: 'missing' },
    ])
    expect(await send(id, { email, value: '100' })).toEqual([{ field: 'choice', why: 'missing' }])
    expect(await send(id, { email, choice: 'UAH:' })).toEqual([{ field: 'value', why: 'missing' }])
    expect(await send(id, { email, choice: 'UAH:', value: 'ten' })).toEqual([{ field: 'value', why: 'malformed' }])
    expect(await send(id, { email, choice: 'UAH:', value: '20' })).toEqual([
      {
        field: 'value',
        why: 'limits',
        least: { value: '25', ticker: 'UAH' },
        most: { value: '29999', ticker: 'UAH' },
      },
    ])
    expect(await send(id, { email, choice: 'KZT:', value: '12000,50' })).toEqual([])
    expect((await see(id)).state).toEqual({ at: 'waiting', asked: { value: '12000.5', ticker: 'KZT' } })
  })

  test("shows a refused card with the acquirer's words and takes a second try", async () => {
    const { id, reference } = await world.atTheBank()
    world.first.refuses(reference)
    await world.hear(reference)
    await world.work()
    const { state } = await see(id, { returned: true })
    expect(state).toMatchObject({ at: 'failed', why: 'funds', canRetry: true })
    expect(state.at === 'failed' && state.reason).toBeTruthy()
    expect(await send(id, { verb: 'retry' })).toEqual([])
    expect((await see(id, pages.after({ ...FORM, verb: 'retry' }, { ...VISIT, returned: true }))).state.at).toBe(
      'waiting',
    )
  })

  test('whose time ran out shows that', async () => {
    const id = await world.create()
    world.now += 73 * HOUR_MS
    expect((await see(id)).state.at).toBe('expired')
    await world.work()
    expect((await see(id)).state).toEqual({ at: 'expired', asked: { value: '100', ticker: 'UAH' } })
    expect(await send(id, { email })).toEqual([{ field: 'form', why: 'gone' }])
  })
})
