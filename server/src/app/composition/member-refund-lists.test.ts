/** Refunds of card payments by members, in lists and files of a period. */
import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { fieldOf, textOf, useDashboard } from '../../../../test/world/dashboard.ts'
import { catalogue, openFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { runRefunds } from './test-refunds.ts'

const { edge, memberOf } = useDashboard({ catalogue })
const DAY = 86_400_000
const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const useShop = async () => {
  const fiat = await openFiatInvoices({ url: edge.pool.options.connectionString!, pool: edge.pool, db: edge.db })
  fiat.now = edge.clock.ms
  const { merchantId } = fiat
  const [maker, checker] = [await memberOf(merchantId, 'finance'), await memberOf(merchantId, 'approver')]
  const { reference: payment, id: invoice } = await fiat.paidInvoice()
  await giveMoney(runtime(), { merchantId, asset: 'UAH' }, 10_000n)
  const pathOf = (page: string): string => `/app/merchants/${merchantId}/${page}`
  const refund = async (amount: string): Promise<void> => {
    const page = pathOf(`refunds/cards/${payment}`)
    const shown = await maker.get(page)
    const [formKey, refunded] = ['form-key', 'refunded'].map((name) => fieldOf(shown, name))
    const form = { 'form-key': formKey!, refunded: refunded!, 'refund-amount': amount, 'refund-reason': 'damaged' }
    const asked = await maker.post(page, form)
    expect(asked.status, textOf(asked)).toBe(303)
    const path = asked.headers['location'] as string
    const approved = await checker.post(path, { do: 'approve', shown: fieldOf(await checker.get(path), 'shown') })
    expect(approved.status, textOf(approved)).toBe(303)
    await runRefunds(runtime(), catalogue)
    fiat.now = edge.clock.ms
    await fiat.work()
  }
  return { merchantId, maker, invoice, pathOf, refund }
}

test('a refund by members is in the list and in the file of its day', async () => {
  const { merchantId, maker, invoice, pathOf, refund } = await useShop()
  await refund('40')
  const { rows } = await sql`select id, state, created_at from payment_refunds
    where merchant_id = ${merchantId}`.execute(edge.db)
  expect(rows).toHaveLength(1)
  const own = `payments/card/${invoice}`
  expect((await maker.get(pathOf('refunds?kind=card'))).text, 'without a period').toContain(own)
  const [from, to] = [dayOf(edge.clock.ms - DAY), dayOf(edge.clock.ms + DAY)]
  expect.soft((await maker.get(pathOf(`refunds?kind=card&from=${from}`))).text, 'from').toContain(own)
  expect.soft((await maker.get(pathOf(`refunds?kind=card&to=${to}`))).text, 'to').toContain(own)
  const file = await maker.get(pathOf(`refunds/export?from=${from}&to=${to}`))
  expect.soft(file.text, 'the file').toContain(',card,')
})

test('refunds by members are listed newest first', async () => {
  const { merchantId, refund } = await useShop()
  const amounts = ['1', '2', '3', '4', '5', '6']
  for (const amount of amounts) {
    await refund(amount)
    edge.clock.ms += 5_000
  }
  const member = await memberOf(merchantId, 'finance')
  const file = await member.get(`/app/merchants/${merchantId}/refunds/export?kind=card`)
  const shown = [...file.text.matchAll(/,card,[^,]*,(\d+)(?:\.\d+)?,UAH/g)].map(([, amount]) => amount)
  expect(shown).toEqual(amounts.toReversed())
})
