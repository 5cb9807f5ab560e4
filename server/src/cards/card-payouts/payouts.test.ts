/** Payouts to cards from request to end, against acquirers that do as they are told. */
import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { FiatBatch, FiatWithdraw, WithdrawBatchDone } from '@bursar/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { freezeDebtors } from '../../ledger/debts/index.ts'
import { applyAll } from '../../ledger/postings/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { listStops } from '../../ledger/stops/index.ts'
import { hearPayoutCallback } from './index.ts'
import { createTestAcquirer, type TestAcquirer } from './test-acquirer.ts'
import { CARD, MASKED, openWorld, type World } from './test-world.ts'

const database = useDatabase({ template: migrated })
const ajv = new Ajv()
const fits = (schema: object, value: unknown): void => {
  const validate = ajv.compile(schema)
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
}
const HOUR = 3_600_000
const sum = (values: Iterable<bigint>): bigint => [...values].reduce((a, b) => a + b, 0n)
let bank: TestAcquirer
let other: TestAcquirer
let here: World

beforeEach(async () => {
  bank = createTestAcquirer('bank', {
    UAH: { least: 1_00n, most: 14_500_00n },
    KZT: { least: 1_000_00n, most: 14_500_00n },
  })
  other = createTestAcquirer('other', { UAH: { least: 500_00n, most: 29_000_00n } })
  here = await openWorld(database.url, [bank, other])
})
afterEach(async () => {
  await here.close()
  const { createDb, createPool } = await import('../../platform/db/index.ts')
  const pool = createPool({ url: database.url })
  await emptyTables(createDb(pool))
  await pool.end()
})
const references = (acquirer: TestAcquirer): string[] => [...acquirer.orders.keys()]

describe('a single payout', () => {
  test('is held at once, paid once, and notified as documented', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.fee = 5_50n
    const { status, body } = await here.payOut(shop, { amount: '1500.50', localId: 'payout-7', meta: 'your-info' })
    expect(status).toBe(200)
    expect(await here.available(shop)).toBe(2_000_00n - 1_500_50n - 15_01n)
    await here.work()
    expect([...bank.orders.values()]).toMatchObject([
      { card: CARD, units: 1_500_50n, ticker: 'UAH', callbackUrl: 'https://pay.example/callbacks/bank' },
    ])
    expect(await here.balance(shop, 'merchant')).toBe(2_000_00n - 1_500_50n - 15_01n)
    expect(await here.available(shop)).toBe(2_000_00n - 1_500_50n - 15_01n)
    expect(await here.balance(shop, 'acquirer:bank')).toBe(1_500_50n + 5_50n)
    expect(await here.balance(shop, 'acquirer-costs')).toBe(-5_50n)
    expect(await here.balance(shop, 'fees')).toBe(15_01n)
    const [notice, ...more] = await here.notices(shop)
    expect(more).toEqual([])
    expect(notice).toMatchObject({
      kind: 'Withdraw',
      id: body.id,
      status: 'Done',
      ticker: 'UAH',
      cardNumber: MASKED,
      to: MASKED,
      amount: '1500.5',
      fee: '15.01',
      merchantId: shop,
      internal: false,
      meta: 'your-info',
      localId: 'payout-7',
    })
    fits(FiatWithdraw, notice)
  })

  test('that is refused gives everything back', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['refuses']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    expect(await here.available(shop)).toBe(2_000_00n)
    const notices = await here.notices(shop)
    expect(notices).toMatchObject([{ status: 'Failed', failReason: 'ERRROR_CODE_GENERIC', amount: '1000', fee: '10' }])
    fits(FiatWithdraw, notices[0])
    expect(other.orders.size).toBe(0)
  })

  test('goes to another account when the first could not take it, and only then', async () => {
    const shop = await here.merchant('UAH', 10_000n)
    bank.next = ['refuses-elsewhere', 'unreachable']
    await here.payOut(shop, { amount: '1000' })
    await here.payOut(shop, { amount: '2000' })
    await here.work()
    await here.later(2_000)
    expect(other.paid()).toBe(3_000_00n)
    expect(bank.paid()).toBe(0n)
    expect(await here.balance(shop, 'acquirer:other')).toBe(3_000_00n)
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done', 'Done'])
  })

  test('that every account refuses as its own doing ends', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['refuses-elsewhere']
    other.next = ['refuses-elsewhere']
    await here.payOut(shop, { amount: '1000' })
    await here.later(60_000, 4)
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Failed'])
    expect(await here.available(shop)).toBe(2_000_00n)
  })

  test.each(['drops', 'vanishes', 'breaks', 'waits'] as const)(
    'that %s is asked for, never sent again and never given back on a guess',
    async (behaviour) => {
      const shop = await here.merchant('UAH', 2_000n)
      bank.next = [behaviour]
      await here.payOut(shop, { amount: '1000' })
      await here.work()
      await here.later(48 * HOUR, 96)
      expect(bank.orders.size + other.orders.size).toBe(behaviour === 'drops' || behaviour === 'waits' ? 1 : 0)
      expect(await here.available(shop)).toBe(2_000_00n - 1_010_00n)
      expect(await here.notices(shop)).toEqual([])
      expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-unknown'])
      expect(bank.asked.length).toBeGreaterThan(90)
      if (behaviour === 'vanishes' || behaviour === 'breaks') return
      bank.end(references(bank)[0]!, 'pays')
      await here.later(HOUR)
      expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
      expect(await here.alerts()).toEqual([])
      expect(await here.balance(shop, 'merchant')).toBe(2_000_00n - 1_010_00n)
    },
  )

  test('that was refused after a while gives everything back, and an acquirer that can not be asked changes nothing', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['waits']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    bank.isMute = true
    bank.end(references(bank)[0]!, 'refuses')
    await here.later(HOUR, 5)
    expect(await here.notices(shop)).toEqual([])
    bank.isMute = false
    await here.later(HOUR)
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Failed'])
    expect(await here.available(shop)).toBe(2_000_00n)
  })

  test.each([{ units: 999_99n }, { ticker: 'KZT' }] as const)(
    'of which the acquirer says it paid something else (%o) is not booked',
    async (said) => {
      const shop = await here.merchant('UAH', 2_000n)
      bank.next = ['waits']
      await here.payOut(shop, { amount: '1000' })
      await here.work()
      bank.end(references(bank)[0]!, 'pays', said)
      await here.later(HOUR, 3)
      expect(await here.notices(shop)).toEqual([])
      expect(await here.available(shop)).toBe(990_00n)
      expect((await here.alerts()).map(({ kind }) => kind).toSorted()).toEqual([
        'card-payout-mismatch',
        'card-payout-unknown',
      ])
      bank.end(references(bank)[0]!, 'pays')
      await here.later(HOUR)
      expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
      expect(await here.alerts()).toEqual([])
    },
  )
})

describe('a batch', () => {
  test('of 100,000 KZT: parts within the limits end one by one, what failed is back at once, Done comes once with all figures', async () => {
    const shop = await here.merchant('KZT', 101_000n)
    bank.next = ['pays', 'refuses', 'waits', 'drops', 'pays', 'refuses', 'waits', 'pays']
    const {
      body: { id },
    } = await here.batch(shop, { amount: '100000', localId: 'batch-2', meta: 'x' })
    const fee = 510_00n
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n - 100_000_00n - fee)
    const before = await here.lookUp(shop, id)
    fits(FiatBatch, before)
    expect(before).toMatchObject({
      status: 'PENDING',
      amount: '100000',
      fee: '510',
      paidAmount: '0',
      failedAmount: '0',
      to: MASKED,
      localId: 'batch-2',
      meta: 'x',
    })
    const parts = before.transactions as { id: string; amount: string; fee: string; status: string }[]
    expect(parts).toHaveLength(8)
    expect(
      parts.every(({ amount, status }) => Number(amount) >= 1_000 && Number(amount) <= 14_500 && status === 'PENDING'),
    ).toBe(true)
    expect(parts.reduce((all, { fee: share }) => all + Math.round(Number(share) * 100), 0)).toBe(Number(fee))

    await here.work()
    const during = await here.lookUp(shop, id)
    const now = during.transactions as typeof parts
    expect(now.map(({ status }) => status).toSorted()).toEqual([
      'DONE',
      'DONE',
      'DONE',
      'FAILED',
      'FAILED',
      'PENDING',
      'PENDING',
      'PENDING',
    ])
    expect(now.map((part) => [part.id, part.amount])).toEqual(parts.map((part) => [part.id, part.amount]))
    const back = now
      .filter(({ status }) => status === 'FAILED')
      .reduce((all, part) => all + Math.round((Number(part.amount) + Number(part.fee)) * 100), 0)
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n - 100_000_00n - fee + BigInt(back))
    expect(await here.notices(shop)).toEqual([])

    const [first, ...rest] = references(bank).filter(
      (reference) => bank.orders.get(reference)!.state.kind === 'waiting',
    )
    bank.end(first!, 'refuses')
    for (const reference of rest) bank.end(reference, 'pays')
    await here.later(HOUR)
    const after = await here.lookUp(shop, id)
    fits(FiatBatch, after)
    expect(after).toMatchObject({ status: 'DONE', fee: '510' })
    expect(Number(after.paidAmount) + Number(after.failedAmount)).toBe(100_000)
    expect(BigInt(Math.round(Number(after.paidAmount) * 100))).toBe(bank.paid())
    const [notice, ...others] = await here.notices(shop)
    expect(others).toEqual([])
    fits(WithdrawBatchDone, notice)
    expect(notice).toMatchObject({
      kind: 'WithdrawBatch',
      status: 'Done',
      id,
      amount: '100000',
      fee: '510',
      paidAmount: after.paidAmount,
      failedAmount: after.failedAmount,
      to: MASKED,
      meta: 'x',
      localId: 'batch-2',
      merchantId: shop,
      internal: false,
    })
    expect(Number(notice!.paidFee) + Number(notice!.failedFee)).toBeCloseTo(510, 6)
    const spent = BigInt(Math.round((Number(notice!.paidAmount) + Number(notice!.paidFee)) * 100))
    expect(await here.balance(shop, 'merchant', 'KZT')).toBe(101_000_00n - spent)
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n - spent)
    expect(await here.balance(shop, 'acquirer:bank', 'KZT')).toBe(bank.paid())
    const held = await here.balance(shop, 'fees', 'KZT')
    expect(held).toBe(BigInt(Math.round(Number(notice!.paidFee) * 100)))
  })

  test('of which every part fails is Done with nothing paid, and gives all back', async () => {
    const shop = await here.merchant('KZT', 101_000n)
    bank.otherwise = 'refuses'
    const {
      body: { id },
    } = await here.batch(shop, { amount: '50000' })
    await here.work()
    expect(await here.notices(shop)).toMatchObject([
      { status: 'Done', paidAmount: '0', paidFee: '0', failedAmount: '50000', failedFee: '260' },
    ])
    expect(await here.lookUp(shop, id)).toMatchObject({ status: 'DONE', paidAmount: '0', failedAmount: '50000' })
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n)
  })

  test('large enough is sent in many calls at once, each part once', async () => {
    const shop = await here.merchant('UAH', 1_100_000n)
    const {
      body: { id },
    } = await here.batch(shop, { ticker: 'UAH', amount: '1000000' })
    await here.work()
    expect(await here.lookUp(shop, id)).toMatchObject({ status: 'DONE', paidAmount: '1000000' })
    expect(sum([bank.paid(), other.paid()])).toBe(1_000_000_00n)
    expect(await here.available(shop)).toBe(1_100_000_00n - 1_010_000_00n)
  })

  test('of another merchant, or a single payout, is not found', async () => {
    const [shop, another] = [await here.merchant('KZT', 60_000n), await here.merchant('UAH', 5_000n)]
    const {
      body: { id },
    } = await here.batch(shop, { amount: '50000' })
    const single = await here.payOut(another, { amount: '1000' })
    for (const [merchant, asked] of [
      [another, id],
      [another, single.body.id],
      [shop, 'b'.repeat(8)],
    ] as const) {
      expect(await here.ask('getFiatBatchWithdrawal', merchant, { params: { id: String(asked) } })).toMatchObject({
        status: 404,
        body: { code: 101 },
      })
    }
  })
})

describe('what an acquirer says late, again or otherwise', () => {
  const payoutOf = async (amount = '1000') => {
    const shop = await here.merchant('UAH', 2_000n)
    await here.payOut(shop, { amount })
    await here.work()
    return { shop, reference: references(bank)[0]! }
  }
  const hear = (
    acquirer: string,
    reference: string,
    state = bank.orders.get(reference)?.state ?? { kind: 'unknown' as const },
  ): Promise<boolean> =>
    inTransaction(
      here.db,
      async (tx) =>
        (await hearPayoutCallback(tx, { acquirer, reference, state }, momentOf(here.runtime))) !== undefined,
    )
  const tell = async (reference: string): Promise<boolean> => {
    const isOurs = await hear('bank', reference)
    await here.work()
    return isOurs
  }

  test('that the money came back after it was paid: the merchant has it again, is notified, and an alert is raised', async () => {
    const { shop, reference } = await payoutOf()
    bank.end(reference, 'reverses')
    expect(await tell(reference)).toBe(true)
    expect(await tell(reference)).toBe(true)
    expect(await here.available(shop)).toBe(2_000_00n)
    expect(await here.balance(shop, 'acquirer:bank')).toBe(0n)
    expect(await here.balance(shop, 'fees')).toBe(0n)
    const notices = await here.notices(shop)
    expect(notices.map(({ status }) => status)).toEqual(['Done', 'Failed'])
    fits(FiatWithdraw, notices[1])
    expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-returned'])
  })

  test.each(['waiting', 'succeeded'] as const)(
    'audit F-4: that the money came back, and says %s when it is asked at once: it is asked until it confirms that',
    async (kind) => {
      const { shop, reference } = await payoutOf()
      const order = bank.orders.get(reference)!
      const before = kind === 'succeeded' ? order.state : { kind }
      bank.end(reference, 'reverses')
      const after = order.state
      order.state = before
      await hear('bank', reference, after)
      await here.later(30 * 60_000, 6)
      expect(await here.available(shop)).toBe(990_00n)
      order.state = after
      await here.later(10 * 60_000)
      expect(await here.available(shop)).toBe(2_000_00n)
      const { length } = bank.asked
      await here.later(60 * 60_000, 6)
      expect(bank.asked).toHaveLength(length)
    },
  )

  test('audit F-4: that the money came back, and never confirms it: an alert is raised after two weeks', async () => {
    const { shop, reference } = await payoutOf()
    const { state } = bank.orders.get(reference)!
    bank.end(reference, 'reverses')
    const { state: after } = bank.orders.get(reference)!
    bank.orders.get(reference)!.state = state
    await hear('bank', reference, after)
    await here.later(13 * 86_400_000)
    expect(await here.alerts()).toEqual([])
    await here.later(2 * 86_400_000)
    expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-contradiction'])
    expect(await here.available(shop)).toBe(990_00n)
  })

  test('that it came back to a merchant that owes: the debt is repaid first, and its withdrawals go again', async () => {
    const { shop, reference } = await payoutOf()
    const account = (kind: 'receivable' | 'capital') => ({ merchantId: shop, asset: 'UAH', kind })
    const legs = [
      { account: account('receivable'), posted: -300_00n, held: 0n },
      { account: account('capital'), posted: 300_00n, held: 0n },
    ]
    const moment = momentOf(here.runtime)
    await inTransaction(here.db, async (tx) => {
      await applyAll(tx, [
        {
          transfer: {
            id: randomUUID(),
            merchantId: shop,
            kind: 'post',
            cause: { kind: 'adjustment', id: randomUUID() },
            legs,
            at: moment.at,
          },
        },
      ])
      await freezeDebtors(tx, [{ merchantId: shop, asset: 'UAH' }], moment)
    })
    bank.end(reference, 'reverses')
    await tell(reference)
    expect(await here.balance(shop, 'receivable')).toBe(0n)
    expect(await here.available(shop)).toBe(1_700_00n)
    expect(await listStops(here.db)).toEqual([])
  })

  test('of a part of a batch: its lookup shows it, Done is not sent again', async () => {
    const shop = await here.merchant('KZT', 60_000n)
    const {
      body: { id },
    } = await here.batch(shop, { amount: '50000' })
    await here.work()
    const reference = references(bank)[0]!
    const { units } = bank.orders.get(reference)!
    bank.end(reference, 'reverses')
    await tell(reference)
    const batch = await here.lookUp(shop, id)
    expect(batch).toMatchObject({ status: 'DONE', failedAmount: String(units / 100n) })
    expect(await here.notices(shop)).toHaveLength(1)
    const failed = (batch.transactions as { status: string; fee: string }[]).find(({ status }) => status === 'FAILED')!
    expect(await here.available(shop, 'KZT')).toBe(
      60_000_00n - 50_260_00n + units + BigInt(Math.round(Number(failed.fee) * 100)),
    )
  })

  test('that it is refused after it was paid, or paid after it was refused: nothing is booked, an alert is raised', async () => {
    const { shop, reference } = await payoutOf()
    bank.end(reference, 'refuses')
    await tell(reference)
    expect(await here.available(shop)).toBe(990_00n)
    bank.next = ['refuses']
    const late = await here.merchant('UAH', 2_000n)
    await here.payOut(late, { amount: '1000' })
    await here.work()
    const second = references(bank)[1]!
    bank.end(second, 'pays')
    await tell(second)
    expect(await here.available(late)).toBe(2_000_00n)
    expect((await here.notices(late)).map(({ status }) => status)).toEqual(['Failed'])
    expect((await here.alerts()).map(({ kind, subject }) => [kind, subject]).toSorted()).toEqual(
      [
        ['card-payout-contradiction', reference],
        ['card-payout-contradiction', second],
      ].toSorted(),
    )
  })

  test('that it knows what it was proven not to have got: an alert is raised', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['unreachable']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    const { rows } = await sql<{ reference: string }>`select reference from card_payout_attempts`.execute(here.db)
    bank.payoutState = async () => ({ kind: 'waiting' })
    await tell(rows[0]!.reference)
    expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-contradiction'])
  })

  test('what it takes, once', async () => {
    bank.fee = undefined
    const { shop, reference } = await payoutOf()
    expect(await here.balance(shop, 'acquirer-costs')).toBe(0n)
    bank.fee = 3_00n
    bank.end(reference, 'pays')
    await tell(reference)
    await tell(reference)
    expect(await here.balance(shop, 'acquirer-costs')).toBe(-3_00n)
    expect(await here.balance(shop, 'acquirer:bank')).toBe(1_003_00n)
  })

  test("of another account's order, or of none of ours, is nothing", async () => {
    const { reference } = await payoutOf()
    expect(await hear('other', reference)).toBe(false)
    expect(await hear('bank', randomUUID())).toBe(false)
  })
})
