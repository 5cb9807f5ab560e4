/** Card payouts through the real adapter of the sandbox's bank, over HTTP, with its callbacks and its statement. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReceiver, type Receiver } from '../../../../sandbox/acquirers/receiver.ts'
import { startBank, type Bank } from '../../../../sandbox/bank/index.ts'
import { openCardPayouts, type CardPayoutWorld } from '../../../../test/world/card-payouts.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createBank } from '../../adapters/acquirers/bank/index.ts'
import type { Acquirer, RawCallback } from '../../adapters/acquirers/port.ts'
import { createPatientHttp, type PatientHttp } from '../../../../test/world/acquirer-patience.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { hearPayoutCallback } from './index.ts'

const database = useDb()
const folder = mkdtempSync(join(tmpdir(), 'bursar-card-payouts-'))
const limits = { least: 1_00n, most: 14_500_00n }
/** Every third payout to it is refused. */
const THIRD = '4000000000005555'
const GOOD = '4242424242424242'
const RETURNS = '4000000000008880'
let bank: Bank
let here: CardPayoutWorld
let receiver: Receiver
let http: PatientHttp

beforeAll(async () => {
  const secret = randomBytes(16).toString('hex')
  bank = await startBank({
    port: 0,
    dir: folder,
    accounts: [{ name: 'shop', secret }],
    payoutMs: 30,
    reverseMs: 60,
    callbackPauses: [100, 100, 100],
  })
  http = createPatientHttp(() => bank.control.find({}).payouts.length)
  const acquirer = createBank({
    name: 'bank',
    url: bank.url,
    account: 'shop',
    secret,
    capabilities: { payIn: {}, payout: { UAH: limits, KZT: limits } },
    http,
  })
  here = await openCardPayouts(database, [acquirer])
  receiver = await startReceiver((raw) => {
    if (!isSigned(acquirer, raw)) return { status: 400, contentType: 'text/plain', body: 'forged' }
    const { reference, ack } = acquirer.readCallback(raw)
    void inTransaction(here.db, (tx) =>
      hearPayoutCallback(tx, { acquirer: 'bank', reference, state: { kind: 'waiting' } }, momentOf(here.runtime)),
    )
    return ack
  })
  here.deps.callbackUrl = () => receiver.url
})
afterAll(async () => {
  await here.close()
  await bank.stop()
  await receiver.stop()
  rmSync(folder, { recursive: true, force: true })
})

const isSigned = (acquirer: Acquirer, raw: RawCallback): boolean => {
  try {
    return acquirer.readCallback(raw) !== undefined
  } catch {
    return false
  }
}

/** Works until an order has ended; only callbacks move it, as the business clock stands still. */
const ended = async (merchantId: string, notices = 1): Promise<Record<string, unknown>[]> => {
  for (let round = 0; round < 1_200; round += 1) {
    await here.work()
    const notified = await here.notices(merchantId)
    if (notified.length >= notices) return notified
    await sleep(50)
  }
  throw new Error('it does not end')
}
const sent = (type = 'payout'): bigint =>
  (bank.control.find({}).lines as { type: string; amount: string }[])
    .filter((line) => line.type === type)
    .reduce((sum, { amount }) => sum - BigInt(amount.replace('.', '')), 0n)

describe('through the bank', () => {
  test("100,000 KZT to a card of which every third payout fails: the bank's statement, the books and the notification agree", async () => {
    const shop = await here.merchant('KZT', 100_510n)
    const {
      body: { id },
    } = await here.batch(shop, { amount: '100000', to: THIRD })
    const [done] = await ended(shop)
    expect(done).toMatchObject({ kind: 'WithdrawBatch', status: 'Done', id, to: '400000******5555', amount: '100000' })
    expect(Number(done!.failedAmount)).toBeGreaterThan(0)
    expect(Number(done!.paidAmount) + Number(done!.failedAmount)).toBe(100_000)
    expect(sent()).toBe(BigInt(Math.round(Number(done!.paidAmount) * 100)))
    const spent = BigInt(Math.round((Number(done!.paidAmount) + Number(done!.paidFee)) * 100))
    expect(await here.available(shop, 'KZT')).toBe(100_510_00n - spent)
    const costs = -(await here.balance(shop, 'acquirer-costs', 'KZT'))
    expect(costs).toBeGreaterThan(0n)
    expect(await here.balance(shop, 'acquirer:bank', 'KZT')).toBe(sent() + costs)
    const lines = bank.control.find({}).lines as { type: string; fee: string }[]
    expect(costs).toBe(
      lines.filter(({ type }) => type === 'payout').reduce((sum, { fee }) => sum + BigInt(fee.replace('.', '')), 0n),
    )
    const batch = await here.lookUp(shop, id)
    const statuses = (batch.transactions as { status: string }[]).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'FAILED').length).toBeGreaterThanOrEqual(2)
  })

  test.each(['cut', 'held', 'error', 'garbage'])('an answer that is %s: one payment, Done once', async (answer) => {
    const shop = await here.merchant('UAH', 2_000n)
    const before = sent()
    if (answer === 'held') http.holdNext()
    bank.control.next({ answer })
    await here.payOut(shop, { amount: '1000', to: GOOD })
    for (let round = 0; round < 1_000 && (await here.notices(shop)).length === 0; round += 1) {
      await sleep(50)
      await here.later(3_000)
    }
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
    expect(sent() - before).toBe(1_000_00n)
    expect(await here.available(shop)).toBe(990_00n)
  })

  test('an answer that says "not now" is no proof that nothing was done: it is asked for, and an alert is raised', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    const before = sent()
    bank.control.next({ answer: 'unavailable' })
    await here.payOut(shop, { amount: '1000', to: GOOD })
    await here.later(3_600_000, 12)
    expect(await here.notices(shop)).toEqual([])
    expect(sent()).toBe(before)
    expect(await here.available(shop)).toBe(990_00n)
    expect((await here.alerts()).map(({ kind }) => kind)).toContain('card-payout-unknown')
  })

  test.each([
    { duplicate: 3 },
    { reorder: true },
    { drop: true },
    { badSignature: true },
    { delayMs: 200, duplicate: true },
  ])('callbacks with %o change nothing', async (fault) => {
    const shop = await here.merchant('UAH', 2_000n)
    const before = sent()
    bank.control.next(fault)
    await here.payOut(shop, { amount: '1000', to: GOOD })
    await here.work()
    await sleep(400)
    await here.later(60_000, 6)
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
    expect(sent() - before).toBe(1_000_00n)
  })

  test("a payout that comes back is the merchant's again", async () => {
    const shop = await here.merchant('UAH', 2_000n)
    await here.payOut(shop, { amount: '1000', to: RETURNS })
    const notified = await ended(shop, 1)
    // A callback that a busy machine loses is made up for by asking, which takes the business clock to move.
    for (let round = 1; (await here.available(shop)) !== 2_000_00n; round += 1) {
      await sleep(50)
      if (round % 20 === 0) await here.later(60_000)
      else await here.work()
    }
    expect((await here.notices(shop)).at(-1)!.status).toBe('Failed')
    expect(notified.length).toBeGreaterThan(0)
  })
})
