/**
 * LiqPay, WayForPay and Freedom Pay in the whole sandbox, by their emulators: real processes, real callbacks, money in
 * and out.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './sandbox.ts'

const CARD = '4242424242424242'
let sandbox: Sandbox
const shop = () => sandbox.merchants[0]

interface Emulated {
  id: string
  kind: string
  status: string
  moved: string
}
/** The orders in the emulator's own books, as they are now. */
const books = (name: string): Emulated[] => {
  const lines = readFileSync(join(sandbox.dir, 'emulators', name, 'orders.jsonl'), 'utf8')
    .trim()
    .split('\n')
  return [
    ...new Map(
      lines
        .filter((line) => line !== '')
        .map((line) => [(JSON.parse(line) as Emulated).id, JSON.parse(line) as Emulated]),
    ).values(),
  ]
}

/** The sandbox's LiqPay takes less at once than its WayForPay, and comes first: amounts say who is asked. */
const cases = [
  { name: 'liqpay', ticker: 'UAH', value: '1000.5', payout: '1000' },
  { name: 'wayforpay', ticker: 'UAH', value: '20000.5', payout: '10000' },
  { name: 'freedompay', ticker: 'KZT', value: '15000.5', payout: '20000' },
]

beforeAll(async () => {
  sandbox = await startSandbox({ BURSAR_EMULATORS: cases.map(({ name }) => name).join(',') })
  for (const ticker of ['UAH', 'KZT']) await sandbox.credit(shop(), ticker, '50000')
})
afterAll(() => sandbox?.stop())

describe.each(cases)('$name', ({ name, ticker, value, payout }) => {
  test('a fiat invoice is paid by card, and the merchant is notified', async () => {
    const { id } = await shop().client.invoices.fiat.create({ name: 'Order 7', amount: { value, ticker } })
    await sandbox.payInvoice(id, 'exact')
    expect(await sandbox.notified(shop(), { id, status: 'Done' })).toMatchObject({
      kind: 'Invoice',
      paidAmount: value,
      ticker,
    })
    expect(books(name).filter(({ kind }) => kind === 'payment')).toMatchObject([
      { status: 'succeeded', moved: String(Math.round(Number(value) * 100)) },
    ])
  })

  test('a card is paid', async () => {
    // Only a batch is split where it is more than an acquirer takes at once.
    const { batch, create } = shop().client.withdrawals.fiat
    const { id } = await (name === 'freedompay' ? batch.create : create)({
      ticker,
      to: CARD,
      amount: payout,
      localId: `out ${name}`,
    })
    await sandbox.notified(shop(), { id, status: 'Done' })
    const parts = books(name).filter(({ kind, status }) => kind === 'payout' && status === 'succeeded')
    expect(parts.reduce((sum, { moved }) => sum + BigInt(moved), 0n)).toBe(BigInt(payout) * 100n)
    expect(JSON.stringify(books(name))).not.toContain(CARD)
    expect(sandbox.logs()).not.toContain(CARD)
  })
})
