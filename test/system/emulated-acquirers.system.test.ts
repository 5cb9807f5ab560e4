/** LiqPay, WayForPay and Freedom Pay in the whole sandbox, by their emulators: real processes, real callbacks, money in and out. */
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
/** What the emulator's own books say, each order as it is now. */
const books = (name: string): Emulated[] => {
  const lines = readFileSync(join(sandbox.dir, 'emulators', name, 'orders.jsonl'), 'utf8').trim().split('\n')
  return [...new Map(lines.filter((line) => line !== '').map((line) => [(JSON.parse(line) as Emulated).id, JSON.parse(line) as Emulated])).values()]
}

/** Accounts of emulators get orders before the bank's, so that each of these is asked for its currency. */
describe.each(['liqpay,freedompay', 'wayforpay'])('a sandbox with %s', (emulators) => {
  const cases = [['liqpay', 'UAH', '1000.5', '1000'], ['wayforpay', 'UAH', '1000.5', '1000'], ['freedompay', 'KZT', '15000.5', '20000']] as const
  const those = cases.filter(([name]) => emulators.includes(name))
  beforeAll(async () => {
    sandbox = await startSandbox({ BURSAR_EMULATORS: emulators })
    for (const [, ticker] of those) await sandbox.credit(shop(), ticker, '50000')
  }, 240_000)
  afterAll(() => sandbox?.stop(), 60_000)

  test.each(those)('%s: a fiat invoice is paid by card, and the merchant is told', async (name, ticker, value) => {
    const { id } = await shop().client.invoices.fiat.create({ name: 'Order 7', amount: { value, ticker } })
    await sandbox.payInvoice(id, 'exact')
    expect(await sandbox.notified(shop(), { id, status: 'Done' }, 60_000)).toMatchObject({ kind: 'Invoice', paidAmount: value, ticker })
    expect(books(name).filter(({ kind }) => kind === 'payment')).toMatchObject([{ status: 'succeeded', moved: String(Math.round(Number(value) * 100)) }])
  })

  test.each(those)('%s: a card is paid, in parts where the acquirer takes no more at once', async (name, ticker, _value, payout) => {
    const { id } = await shop().client.withdrawals.fiat.batch.create({ ticker, to: CARD, amount: payout, localId: `out ${name}` })
    expect(await sandbox.notified(shop(), { id, status: 'Done' }, 60_000)).toMatchObject({ kind: 'WithdrawBatch', paidAmount: payout, failedAmount: '0' })
    const parts = books(name).filter(({ kind, status }) => kind === 'payout' && status === 'succeeded')
    expect(parts.reduce((sum, { moved }) => sum + BigInt(moved), 0n)).toBe(BigInt(payout) * 100n)
    expect(JSON.stringify(books(name))).not.toContain(CARD)
    expect(sandbox.logs()).not.toContain(CARD)
  })
})
