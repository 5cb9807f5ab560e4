import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startControl } from '../control/index.ts'
import { startBank } from './index.ts'
import type { Bank } from './index.ts'
import { openMerchant } from './test-merchant.ts'
import type { Merchant } from './test-merchant.ts'

const account = { name: 'shop', secret: 'a secret of the shop' }
let dir: string
let bank: Bank
let merchant: Merchant
let clock = 0

const start = (): Promise<Bank> =>
  startBank({
    port: 0,
    dir,
    accounts: [account, { name: 'other', secret: 'another' }],
    now: () => Date.now() + clock,
    payoutMs: 20,
    reverseMs: 200,
    callbackPauses: [50, 50, 50],
  })

beforeEach(async () => {
  clock = 0
  dir = mkdtempSync(join(tmpdir(), 'bursar-fake-bank-'))
  bank = await start()
  merchant = await openMerchant(() => bank.url, account)
})
afterEach(async () => {
  await bank.stop()
  await merchant.receiver.stop()
  rmSync(dir, { recursive: true, force: true })
})

const order = (more: object = {}) => ({
  reference: randomUUID(),
  currency: 'UAH',
  amount: '100.00',
  description: 'Order 7',
  callbackUrl: `${merchant.receiver.url}/cb`,
  ...more,
})
const payment = (more: object = {}) =>
  order({ returnUrl: 'https://shop.example/back', language: 'en', expiresAt: Date.now() + clock + 3_600_000, ...more })
const made = async (path: string, body: { reference: string }): Promise<Record<string, unknown>> => {
  const answer = await merchant.ask('POST', path, body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}
const statusOf = async (path: string): Promise<unknown> => (await merchant.ask('GET', path)).body['status']
const endsAs = (path: string, status: string) => expect.poll(() => statusOf(path), { interval: 10 }).toBe(status)
const received = (reference: string, events: readonly string[]) =>
  expect.poll(() => merchant.events(reference).map(({ event }) => event), { interval: 10 }).toEqual(events)

describe('payments', () => {
  test.each([
    ['4242424242424242', 'succeeded', undefined],
    ['5168745100000006', 'succeeded', undefined],
    ['4000000000003063', 'succeeded', undefined],
    ['4000000000000002', 'refused', 'card_refused'],
    ['4000000000009995', 'refused', 'insufficient_funds'],
    ['4000000000000069', 'refused', 'expired_card'],
    ['4000000000007775', 'processing', undefined],
  ])('with %s is %s', async (card, status, code) => {
    const { reference } = (await made('/payments', payment())) as { reference: string }
    expect(await bank.control.pay({ reference, card })).toMatchObject({
      status,
      ...(code === undefined ? {} : { code }),
    })
    await received(reference, ['payment.processing', ...(status === 'processing' ? [] : [`payment.${status}`])])
  })

  test('with the card that is taken back is reversed, in the statement too', async () => {
    const { reference } = (await made('/payments', payment())) as { reference: string }
    expect(await bank.control.pay({ reference, card: '4000000000008880' })).toMatchObject({
      paidAmount: '100.00',
      fee: '1.50',
    })
    await endsAs(`/payments/${reference}`, 'reversed')
    const { body } = await merchant.ask('GET', `/statement?from=0&to=${Date.now() + 1}`)
    expect(body['lines']).toMatchObject([
      { type: 'payment', amount: '100.00', fee: '1.50' },
      { type: 'refund', amount: '-100.00', fee: '0.00' },
    ])
  })

  test("without a payer expire by the bank's clock", async () => {
    const { reference, pageUrl } = (await made('/payments', payment())) as { reference: string; pageUrl: string }
    clock = 3_600_001
    expect(await statusOf(`/payments/${reference}`)).toBe('expired')
    expect(await (await fetch(pageUrl)).text()).toContain('The time to pay is over')
  })

  test('ordered again under the same reference are the same; other contents under it are refused; an account sees only its own', async () => {
    const one = payment()
    const [first, second] = [await made('/payments', one), await made('/payments', one)]
    expect(second).toEqual(first)
    expect(await merchant.ask('POST', '/payments', { ...one, amount: '101.00' })).toMatchObject({
      status: 409,
      body: { error: { code: 'duplicate_reference' } },
    })
    const other = await openMerchant(() => bank.url, { name: 'other', secret: 'another' })
    expect(await other.ask('GET', `/payments/${one.reference}`)).toMatchObject({ status: 404 })
    await other.receiver.stop()
  })

  test.each([
    [{ amount: '24.99' }, 'amount_out_of_limits'],
    [{ amount: '30000.00' }, 'amount_out_of_limits'],
    [{ amount: '100' }, 'amount'],
    [{ amount: 100 }, 'amount'],
    [{ amount: '0.00' }, 'amount'],
    [{ currency: 'USD' }, 'currency'],
    [{ returnUrl: 'javascript:alert(1)' }, 'returnUrl'],
    [{ callbackUrl: 'x' }, 'callbackUrl'],
    [{ language: 'fr' }, 'language'],
    [{ reference: '../x' }, 'reference'],
    [{ description: '' }, 'description'],
    [{ expiresAt: '1' }, 'expiresAt'],
  ])('with %j are refused: %s', async (wrong, code) => {
    expect(await merchant.ask('POST', '/payments', payment(wrong))).toMatchObject({
      status: 422,
      body: { error: { code } },
    })
  })
})

describe('payouts', () => {
  test.each([
    ['5555555555554444', 'succeeded'],
    ['4000000000000002', 'refused'],
    ['4000000000009995', 'refused'],
    ['4000000000000069', 'refused'],
    ['4000000000008880', 'reversed'],
  ])('to %s are %s', async (card, status) => {
    const { reference } = (await made('/payouts', order({ card }))) as { reference: string }
    await endsAs(`/payouts/${reference}`, status)
  })

  test('to one card fail every third time', async () => {
    const ends: unknown[] = []
    for (let i = 0; i < 6; i += 1) {
      const { reference } = (await made('/payouts', order({ card: '4000000000005555' }))) as { reference: string }
      await expect.poll(() => statusOf(`/payouts/${reference}`), { interval: 10 }).not.toBe('processing')
      ends.push(await statusOf(`/payouts/${reference}`))
    }
    expect(ends).toEqual(['succeeded', 'succeeded', 'refused', 'succeeded', 'succeeded', 'refused'])
  })

  test.each([
    [{ amount: '14500.01' }, 'amount_out_of_limits'],
    [{ amount: '0.99' }, 'amount_out_of_limits'],
    [{ card: '4242424242424241' }, 'card_number'],
    [{ card: '424242' }, 'card_number'],
  ])('with %j are refused: %s', async (wrong, code) => {
    const refused = await merchant.ask('POST', '/payouts', order({ card: '5555555555554444', ...wrong }))
    expect(refused).toMatchObject({ status: 422, body: { error: { code } } })
    expect(JSON.stringify(refused.body)).not.toMatch(/\d{12}/)
  })
})

describe("the bank's behaviour after a setting", () => {
  const paid = async (): Promise<string> => {
    const { reference } = (await made('/payments', payment())) as { reference: string }
    await bank.control.pay({ reference })
    return reference
  }

  test('happens once', async () => {
    bank.control.next({ outcome: 'refused' })
    expect(await statusOf(`/payments/${await paid()}`)).toBe('refused')
    expect(await statusOf(`/payments/${await paid()}`)).toBe('succeeded')
  })

  test('happens as often as set, to the account set', async () => {
    bank.control.next({ outcome: 'stuck', account: 'other' })
    bank.control.next({ outcome: 'refused', account: 'shop', times: 2 })
    const ends = [await paid(), await paid(), await paid()].map((reference) => statusOf(`/payments/${reference}`))
    expect(await Promise.all(ends)).toEqual(['refused', 'refused', 'succeeded'])
  })

  test('copies, order, loss and delay of callbacks', async () => {
    bank.control.next({ duplicate: 2 })
    await received(await paid(), [
      'payment.processing',
      'payment.processing',
      'payment.processing',
      'payment.succeeded',
      'payment.succeeded',
      'payment.succeeded',
    ])
    bank.control.next({ reorder: true })
    await received(await paid(), ['payment.succeeded', 'payment.processing'])
    bank.control.next({ delayMs: 300 })
    const late = await paid()
    expect(merchant.events(late)).toEqual([])
    await received(late, ['payment.processing', 'payment.succeeded'])
    bank.control.next({ drop: true })
    const lost = await paid()
    await received(await paid(), ['payment.processing', 'payment.succeeded'])
    expect(merchant.events(lost)).toEqual([])
  })

  test('a callback with a wrong signature is sent once, and with the right one after the receiver refused it', async () => {
    bank.control.next({ badSignature: true })
    merchant.answers.push(400, 400)
    const reference = await paid()
    await expect
      .poll(() => merchant.events(reference).map(({ signed }) => signed), { interval: 10 })
      .toEqual([false, false, true, true])
  })

  test('a callback that was not acknowledged is repeated, up to a limit', async () => {
    merchant.answers.push(500, 302, 404)
    const reference = await paid()
    await expect.poll(() => merchant.events(reference).length, { interval: 10 }).toBe(5)
    merchant.answers.push(...Array<number>(20).fill(500))
    const refused = await paid()
    await expect
      .poll(() => bank.control.find({ reference: refused }).callbacks, { interval: 10 })
      .toMatchObject([{ answers: [500, 500, 500, 500] }, { answers: [500, 500, 500, 500] }])
  })

  test.each([
    {},
    { colour: 1 },
    { outcome: 'maybe' },
    { delayMs: -1 },
    { reorder: 'yes' },
    { duplicate: 1_000 },
    { answer: 'none' },
    { account: 'nobody', drop: true },
    { times: 0, drop: true },
    [],
  ])('has to be understood: %j', (body) => {
    expect(() => bank.control.next(body)).toThrow(/send|unknown/)
  })
})

describe('the bank itself', () => {
  test('keeps its books over a restart, continues orders in progress, and never stores a card number', async () => {
    merchant.answers.push(500, 500)
    const paid = (await made('/payments', payment())) as { reference: string }
    await bank.control.pay({ reference: paid.reference, card: '4000000000008880' })
    const sent = (await made('/payouts', order({ card: '5555555555554444' }))) as { reference: string }
    const open = (await made('/payments', payment())) as { reference: string; pageUrl: string }
    await bank.stop()
    appendFileSync(join(dir, 'book.jsonl'), '{"kind":"payment","id":"ha')
    bank = await start()
    await endsAs(`/payouts/${sent.reference}`, 'succeeded')
    await endsAs(`/payments/${paid.reference}`, 'reversed')
    await expect
      .poll(
        () =>
          merchant
            .events(paid.reference)
            .map(({ event }) => event)
            .at(-1),
        { interval: 10 },
      )
      .toBe('payment.reversed')
    await bank.control.pay({ reference: open.reference })
    expect(await statusOf(`/payments/${open.reference}`)).toBe('succeeded')
    const files = readdirSync(dir)
      .map((file) => readFileSync(join(dir, file), 'utf8'))
      .join('')
    expect(files).toContain('4000 00** **** 8880')
    expect(files).not.toMatch(/4000000000008880|5555555555554444|4242424242424242/)
  })

  test('settles the amount that it owes, and no more', async () => {
    const { reference } = (await made('/payments', payment({ amount: '1000.00' }))) as { reference: string }
    await bank.control.pay({ reference })
    await made('/payouts', order({ amount: '100.00', card: '5555555555554444' }))
    await expect.poll(() => bank.control.find({}).lines.length, { interval: 10 }).toBe(2)
    // 1000 - 1.5 % - 100 - 0.5 % of it - 5
    expect(bank.control.settle({ account: 'shop' })).toMatchObject({
      lines: [{ type: 'settlement', currency: 'UAH', amount: '-879.50' }],
    })
    expect(bank.control.settle({ account: 'shop' })).toEqual({ lines: [] })
    expect(() => bank.control.settle({ account: 'nobody' })).toThrow('one of shop, other')
  })

  test('gives a long statement in pages', async () => {
    const line = (n: number) =>
      JSON.stringify({
        kind: 'line',
        id: n.toString(16).padStart(32, '0'),
        account: 'shop',
        type: 'fee',
        currency: 'UAH',
        units: '-1',
        fee: '0',
        at: n,
      })
    await bank.stop()
    appendFileSync(join(dir, 'book.jsonl'), Array.from({ length: 1_200 }, (_, n) => `${line(n)}\n`).join(''))
    bank = await start()
    const seen: unknown[] = []
    for (let after = '', pages = 0; pages < 5; pages += 1) {
      const { body } = await merchant.ask('GET', `/statement?from=0&to=5000${after}`)
      seen.push(...(body['lines'] as { at: number }[]).map(({ at }) => at))
      if (body['next'] === undefined) break
      after = `&after=${String(body['next'])}`
    }
    expect(seen).toEqual(Array.from({ length: 1_200 }, (_, n) => n))
  })

  test('refuses a request with a wrong or old signature', async () => {
    const path = `/payments/${randomUUID()}`
    expect(await merchant.ask('GET', path, undefined, { secret: 'guessed' })).toMatchObject({
      status: 401,
      body: { error: { code: 'bad_signature' } },
    })
    expect(await merchant.ask('GET', path, undefined, { timestamp: Date.now() - 300_001 })).toMatchObject({
      status: 401,
      body: { error: { code: 'bad_timestamp' } },
    })
    expect(await merchant.ask('GET', path, undefined, { timestamp: Number.NaN })).toMatchObject({
      status: 401,
      body: { error: { code: 'bad_timestamp' } },
    })
    expect((await fetch(`${bank.url}/api/v1${path}`)).status).toBe(401)
    expect(await merchant.ask('GET', path)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  })

  test('does not start in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    await expect(start()).rejects.toThrow('emulator')
    vi.unstubAllEnvs()
  })

  test('is moved by the control server', async () => {
    const control = await startControl({ port: 0, chains: [], bank: bank.control })
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(control.url + path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const { reference } = (await made('/payments', payment())) as { reference: string }
    expect(
      await ask('POST', '/bank/next', {
        outcome: 'wrong-amount',
        delayMs: 1,
        duplicate: true,
        reorder: true,
        badSignature: true,
      }),
    ).toEqual({ status: 200, body: { waiting: 1 } })
    expect(await ask('POST', '/bank/pay', { reference })).toMatchObject({
      status: 200,
      body: { status: 'succeeded', paidAmount: '99.00' },
    })
    expect(await ask('POST', '/bank/reverse', { reference })).toMatchObject({
      status: 200,
      body: { status: 'reversed' },
    })
    expect(await ask('POST', '/bank/reverse', { reference: 'nothing' })).toMatchObject({ status: 404 })
    expect(await ask('GET', `/bank/find?reference=${reference}`)).toMatchObject({
      status: 200,
      body: { payments: [{ reference }], lines: [{}, {}] },
    })
    expect((await ask('GET', '/bank/cards')).body).toHaveLength(8)
    expect(await ask('POST', '/bank/next', { outcome: 'none' })).toMatchObject({
      status: 400,
      body: { code: 100, description: expect.stringContaining('outcome: send one of') },
    })
    await control.stop()
  })
})
