import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sql } from 'kysely'
import { useDb } from '../../../../test/world/database.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { countCosts } from '../../treasury/costs/counting.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  applyAll,
  auditLedger,
  balancesOf,
  PLATFORM,
  type AccountKind,
  type Item,
} from '../../ledger/postings/index.ts'
import { readFailing, recordOutcome } from './health.ts'
import {
  acceptItem,
  accountFeeItem,
  bankItem,
  captureRefundItem,
  costItem,
  creditItem,
  fundAcquirerItem,
  holdRefundItem,
  releaseRefundItem,
  settleItem,
  suspendItem,
  takeBackItem,
} from './postings.ts'
import { heldBy } from './queries.ts'

const moment: Moment = { at: new Date(1_700_000_000_000), newId: randomUUID }
const amounts = fc.bigInt({ min: 1n, max: 30_000_00n })
const sums = (item: Item): Record<string, bigint> =>
  Object.fromEntries(item.transfer.entries.map(({ account, posted }) => [account.kind, posted]))
const total = (item: Item): bigint => item.transfer.entries.reduce((sum, { posted }) => sum + posted, 0n)

test('for any fees and debts, a credit adds up, repays debts first, and its reversal leaves only the cost', () => {
  const parts = fc.tuple(amounts, fc.nat(100), fc.nat(100), fc.bigInt({ min: 0n, max: 40_000_00n }))
  fc.assert(
    fc.property(parts, ([units, feePercent, costPercent, owed]) => {
      const fee = (units * BigInt(feePercent)) / 100n
      const costUnits = (units * BigInt(costPercent)) / 100n
      const payment = {
        merchantId: randomUUID(),
        id: randomUUID(),
        acquirer: 'bank',
        ticker: 'UAH',
        units,
        costUnits,
        fee,
      }
      const { item, owed: left } = creditItem(payment, owed, moment)
      const posted = sums(item)
      expect(total(item)).toBe(0n)
      expect((posted.merchant ?? 0n) + (posted.receivable ?? 0n) + (posted.fees ?? 0n)).toBe(units)
      expect(posted.receivable ?? 0n).toBe(owed - left)
      expect(left === 0n || (posted.merchant ?? 0n) === 0n).toBe(true)
      const back = takeBackItem(payment, { account: 'merchant', available: posted.merchant ?? 0n }, moment)
      const undone = sums(back.item)
      expect(total(back.item)).toBe(0n)
      expect(posted.fees ?? 0n).toBe(-(undone.fees ?? 0n))
      expect((posted['acquirer:bank'] ?? 0n) + (undone['acquirer:bank'] ?? 0n)).toBe(costUnits)
      expect(back.taken + back.short).toBe(units - fee)
    }),
  )
})

const { db } = useDb()

const post = (...items: Item[]): Promise<void> => inTransaction(db, (tx) => applyAll(tx, items))
const balance = async (merchantId: string, kind: AccountKind): Promise<bigint> =>
  (await balancesOf(db, kind, [{ merchantId, asset: 'UAH' }]))[0]!.posted

test('payments, refunds, settlements and bank transfers change the balance at the acquirer', async () => {
  const merchantId = randomUUID()
  const at = { merchantId, acquirer: 'bank', ticker: 'UAH' }
  const payment = { ...at, id: randomUUID(), units: 1_000_00n, costUnits: 15_00n, fee: 20_00n }
  await post(creditItem(payment, 0n, moment).item)
  expect(await balance(merchantId, 'merchant')).toBe(980_00n)
  expect(await heldBy(db, 'bank', 'UAH')).toBe(985_00n)

  const refund = { ...at, id: randomUUID(), from: 'merchant' as const, units: 100_00n, holdId: randomUUID() }
  await post(holdRefundItem(refund, moment.at))
  await post(captureRefundItem({ ...refund, costUnits: 1_00n }, moment))
  const free = { ...refund, id: randomUUID(), holdId: randomUUID() }
  await post(holdRefundItem(free, moment.at))
  await post(releaseRefundItem(free, moment))
  expect(await balance(merchantId, 'merchant')).toBe(880_00n)
  expect(await heldBy(db, 'bank', 'UAH')).toBe(884_00n)

  const second = { ...payment, id: randomUUID(), costUnits: 0n }
  await post(suspendItem(second, moment))
  await post(costItem({ ...at, units: 15_00n }, { kind: 'payment', id: second.id }, moment))
  await post(acceptItem(second, 0n, moment).item)
  expect(await balance(merchantId, 'merchant')).toBe(1_860_00n)
  expect(await balance(merchantId, 'suspense')).toBe(0n)

  const platform = { acquirer: 'bank', ticker: 'UAH' }
  await post(
    fundAcquirerItem({ ...platform, units: 500_00n }, moment),
    accountFeeItem({ ...platform, units: 3_00n }, moment),
  )
  await post(settleItem({ ...platform, units: 800_00n }, moment))
  expect(await heldBy(db, 'bank', 'UAH')).toBe(884_00n + 985_00n + 500_00n - 3_00n - 800_00n)
  await post(bankItem({ ...platform, units: 800_00n }, moment))
  expect(await balance(PLATFORM, 'bank')).toBe(-800_00n)
  expect(await balance(PLATFORM, 'settlement:bank')).toBe(0n)
  expect(await auditLedger(db)).toEqual([])
})

test('the costs of acquirers are counted per merchant beside network fees, under the acquirer', async () => {
  const merchantId = randomUUID()
  const payment = {
    merchantId,
    acquirer: 'counted',
    ticker: 'KZT',
    id: randomUUID(),
    units: 12_000_00n,
    costUnits: 99_00n,
    fee: 0n,
  }
  await post(creditItem(payment, 0n, moment).item)
  await inTransaction(db, countCosts)
  const { rows } =
    await sql`select network, operation, units from network_costs where merchant_id = ${merchantId}`.execute(db)
  expect(rows).toEqual([{ network: 'counted', operation: 'payment', units: 99_00n }])
})

test('an acquirer is failing from the third failure in ten minutes on while at least half of its calls fail', async () => {
  const at = (minutes: number) => new Date(1_700_000_000_000 + minutes * 60_000)
  const call = (good: boolean, minutes: number) =>
    recordOutcome(db, { acquirer: 'shaky', direction: 'payIn', good }, at(minutes))
  await call(false, 0)
  await call(false, 1)
  expect([...(await readFailing(db, at(1)))]).toEqual([])
  await call(false, 2)
  expect([...(await readFailing(db, at(2)))]).toEqual(['shaky/payIn'])
  for (let i = 0; i < 4; i += 1) await call(true, 3)
  expect([...(await readFailing(db, at(3)))]).toEqual([])
  for (let i = 0; i < 4; i += 1) await call(false, 4)
  expect([...(await readFailing(db, at(4)))]).toEqual(['shaky/payIn'])
  expect([...(await readFailing(db, at(15)))]).toEqual([])
})
