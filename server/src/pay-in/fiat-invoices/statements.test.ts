import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  createStatementJob,
  heldBy,
  reconcileAcquirer,
  statedTotals,
  type PayoutBooks,
} from '../../cards/acquiring/index.ts'
import type { StatementLine } from '../../adapters/acquirers/port.ts'
import { payoutBooks } from '../../cards/card-payouts/stated.ts'
import { balancesOf, PLATFORM, type AccountKind } from '../../ledger/postings/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { HOUR_MS, START, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

const deps = () => ({ runtime: world.runtime, payouts: payoutBooks, pause: async () => {} })
const reconcile = () => reconcileAcquirer(deps(), world.first)
let made = 0
const state = (line: Partial<StatementLine> & Pick<StatementLine, 'kind' | 'units'>): void => {
  world.first.lines.push({
    reference: undefined,
    acquirerReference: `line-${(made += 1)}`,
    ticker: 'UAH',
    feeUnits: 0n,
    at: START - 1,
    ...line,
  })
}
const platform = async (kind: AccountKind) =>
  (await balancesOf(world.db, kind, [{ merchantId: PLATFORM, asset: 'UAH' }]))[0]!.posted
/** Statements about a table that wait for a lock. */
const waitingFor = async (table: string): Promise<unknown[]> => {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query like ${`%${table}%`}`.execute(world.db)
  return rows
}
/** A day later, when postings have to be on a statement. */
const aDayLater = () => world.later(24 * HOUR_MS)

describe('a statement', () => {
  test("that is right leaves nothing open; the acquirer's fees and settlements are posted once", async () => {
    const reference = await world.paid()
    state({ kind: 'payment', reference, units: 100_00n, feeUnits: 1_50n })
    state({ kind: 'settlement', units: -80_00n })
    state({ kind: 'fee', units: -3_00n })
    await aDayLater()
    for (let i = 0; i < 3; i += 1) expect(await reconcile()).toEqual([])
    expect(await heldBy(world.db, 'first', 'UAH')).toBe(100_00n - 1_50n - 80_00n - 3_00n)
    expect(await statedTotals(world.db, 'first')).toEqual(new Map([['UAH', 15_50n]]))
    expect([
      await platform('settlement:first'),
      await platform('acquirer-costs'),
      await world.balance('acquirer-costs'),
    ]).toEqual([-80_00n, -3_00n, -1_50n])
    expect(await world.alerts()).toEqual([])
  })

  test('killed at statement-read: the next worker reads it again, and posts its lines once', async () => {
    const reference = await world.paid()
    state({ kind: 'payment', reference, units: 100_00n, feeUnits: 1_50n })
    state({ kind: 'settlement', units: -80_00n })
    await aDayLater()
    const pause = (name: string): Promise<void> =>
      name === 'statement-read' ? Promise.reject(new Error('killed')) : Promise.resolve()
    await expect(reconcileAcquirer({ ...deps(), pause }, world.first)).rejects.toThrow('killed')
    expect(await platform('settlement:first')).toBe(0n)
    for (let i = 0; i < 2; i += 1) expect(await reconcile()).toEqual([])
    expect(await platform('settlement:first')).toBe(-80_00n)
  })

  test('F9 a line too few, too many or different by one is shown, raises an alert, and is over when it is put right', async () => {
    const [one, two] = [await world.paid(), await world.paid()]
    state({ kind: 'payment', reference: one, units: 99_99n, feeUnits: 50n })
    state({ kind: 'payment', reference: world.runtime.newId(), units: 7_00n })
    state({ kind: 'payout', reference: world.runtime.newId(), units: -7_00n })
    await aDayLater()
    const found = await reconcile()
    expect(found.map(({ kind, what, booked, stated }) => [kind, what, booked, stated])).toEqual([
      ['differs', 'payment', 100_00n, 99_99n],
      ['extra', 'payment', null, 7_00n],
      ['extra', 'payout', null, -7_00n],
      ['missing', 'payment', 100_00n, null],
    ])
    expect(found.at(-1)!.reference).toBe(two)
    expect(await world.alerts()).toEqual(['statement-differs'])
    expect(await world.balance('merchant')).toBe(196_00n)
    world.first.lines = [{ ...world.first.lines[0]!, units: 100_00n, acquirerReference: 'put-right' }]
    state({ kind: 'payment', reference: two, units: 100_00n, feeUnits: 50n })
    expect(await reconcile()).toEqual([])
    expect(await world.alerts()).toEqual([])
  })

  test('whose line changes after it was read is reported', async () => {
    const reference = await world.paid()
    state({ kind: 'payment', reference, units: 100_00n, feeUnits: 50n })
    await reconcile()
    world.first.lines[0] = { ...world.first.lines[0]!, units: 100_01n }
    expect((await reconcile()).map(({ kind }) => kind)).toEqual(['altered', 'differs'])
  })

  test('with a payment that is not posted yet has it queried and posted', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.pays(reference)
    state({ kind: 'payment', reference, units: 100_00n, feeUnits: 50n })
    expect((await reconcile()).map(({ kind }) => kind)).toEqual(['open'])
    expect(await world.alerts()).toEqual([])
    await world.work()
    expect((await world.lookup(id)).status).toBe('DONE')
    expect(await reconcile()).toEqual([])
  })

  test('knows our refunds, each line one of them, and misses one that is not there', async () => {
    const [reference] = [await world.paid(), await world.paid()]
    for (let i = 0; i < 2; i += 1) {
      await world.refund(reference!, 10_00n)
      await world.work()
    }
    state({ kind: 'payment', reference: reference!, units: 100_00n, feeUnits: 50n })
    state({ kind: 'refund', reference: reference!, units: -10_00n })
    await aDayLater()
    expect((await reconcile()).map(({ kind, what }) => [kind, what])).toEqual([
      ['missing', 'payment'],
      ['missing', 'refund'],
    ])
    state({ kind: 'refund', reference: reference!, units: -10_00n })
    expect((await reconcile()).map(({ kind, what }) => [kind, what])).toEqual([['missing', 'payment']])
    expect(await world.balance('merchant')).toBe(176_00n)
  })

  test('F8 with money given back without us takes it from the merchant, a part at once, all of it when the acquirer says so', async () => {
    const [reference] = [await world.paid(), await world.paid()]
    state({ kind: 'payment', reference: reference!, units: 100_00n, feeUnits: 50n })
    state({ kind: 'refund', reference: reference!, units: -30_00n })
    await reconcile()
    await reconcile()
    expect(await world.balance('merchant')).toBe(166_00n)
    expect(await world.alerts()).toEqual(['refund-foreign'])
    state({ kind: 'refund', reference: reference!, units: -70_00n })
    world.first.reverses(reference!, 'all')
    expect((await reconcile()).map(({ kind }) => kind)).toEqual(['open'])
    await world.work()
    // Our fee of that payment goes back with it.
    expect([await world.balance('merchant'), await world.balance('fees')]).toEqual([98_00n, 2_00n])
    expect(await reconcile()).toEqual([])
    expect(await heldBy(world.db, 'first', 'UAH')).toBe(200_00n - 1_00n - 100_00n)
  })

  test('that lists in parts the sum that its acquirer stated takes it once', async () => {
    const [reference] = [await world.paid(), await world.paid()]
    world.first.reverses(reference!, 50_00n)
    await world.callback(world.first, world.first.callback(reference!))
    await world.work()
    expect(await world.balance('merchant')).toBe(146_00n)
    state({ kind: 'payment', reference: reference!, units: 100_00n, feeUnits: 50n })
    state({ kind: 'refund', reference: reference!, units: -30_00n })
    await aDayLater()
    // The second part has not come yet, and the sum is missing it.
    expect((await reconcile()).map(({ kind, what }) => [kind, what])).toEqual([
      ['missing', 'payment'],
      ['missing', 'refund'],
    ])
    state({ kind: 'refund', reference: reference!, units: -20_00n })
    expect((await reconcile()).map(({ kind, what }) => [kind, what])).toEqual([['missing', 'payment']])
    expect([await world.balance('merchant'), await heldBy(world.db, 'first', 'UAH')]).toEqual([
      146_00n,
      200_00n - 1_00n - 50_00n,
    ])
    state({ kind: 'refund', reference: reference!, units: -5_00n })
    for (let i = 0; i < 2; i += 1) await reconcile()
    expect(await world.balance('merchant')).toBe(141_00n)
  })

  test('that lists in one sum the parts that its acquirer stated takes it once', async () => {
    const [reference] = [await world.paid(), await world.paid()]
    for (const units of [30_00n, 50_00n]) {
      world.first.reverses(reference!, units)
      await world.callback(world.first, world.first.callback(reference!))
      await world.work()
    }
    state({ kind: 'refund', reference: reference!, units: -50_00n })
    for (let i = 0; i < 2; i += 1) expect(await reconcile()).toEqual([])
    expect(await world.balance('merchant')).toBe(146_00n)
  })

  test('that lists a payment taken back in two parts agrees with the books', async () => {
    const [reference] = [await world.paid(), await world.paid()]
    world.first.reverses(reference!, 'all')
    await world.callback(world.first, world.first.callback(reference!))
    await world.work()
    state({ kind: 'refund', reference: reference!, units: -30_00n })
    expect((await reconcile()).map(({ kind, booked, stated }) => [kind, booked, stated])).toEqual([
      ['differs', -100_00n, -30_00n],
    ])
    state({ kind: 'refund', reference: reference!, units: -70_00n })
    for (let i = 0; i < 2; i += 1) expect(await reconcile()).toEqual([])
    state({ kind: 'refund', reference: reference!, units: -1_00n })
    expect((await reconcile()).map(({ kind }) => kind)).toEqual(['differs', 'differs', 'differs'])
  })

  test('with two lines for one payment is reported: the payer was charged twice', async () => {
    const reference = await world.paid()
    state({ kind: 'payment', reference, units: 100_00n, feeUnits: 60n })
    state({ kind: 'payment', reference, units: 100_00n, feeUnits: 1_50n })
    for (let i = 0; i < 2; i += 1)
      expect((await reconcile()).map(({ kind, booked, stated }) => [kind, booked, stated])).toEqual([
        ['extra', null, 100_00n],
      ])
    expect([await world.balance('acquirer-costs'), await world.alerts()]).toEqual([-60n, ['statement-differs']])
  })

  test('with two lines for one payout is reported: the card was paid twice', async () => {
    const reference = world.runtime.newId()
    const payouts: PayoutBooks = {
      find: async () => [{ reference, ticker: 'UAH', units: -7_00n, costUnits: 0n, isPosted: true }],
      unstated: async () => [],
    }
    for (let i = 0; i < 2; i += 1) state({ kind: 'payout', reference, units: -7_00n })
    const found = await reconcileAcquirer({ ...deps(), payouts }, world.first)
    expect(found.map(({ kind, what, stated }) => [kind, what, stated])).toEqual([['extra', 'payout', -7_00n]])
  })

  test('that lists a part more than is posted takes that part', async () => {
    const reference = await world.paid()
    world.first.reverses(reference, 30_00n)
    await world.callback(world.first, world.first.callback(reference))
    await world.work()
    state({ kind: 'refund', reference, units: -50_00n })
    for (let i = 0; i < 2; i += 1) expect(await reconcile()).toEqual([])
    expect(await world.balance('merchant')).toBe(48_00n)
    state({ kind: 'refund', reference, units: -30_00n })
    await reconcile()
    expect(await world.balance('merchant')).toBe(18_00n)
  })

  test('with a fee taken for a refund books it once', async () => {
    const reference = await world.paid()
    state({ kind: 'refund', reference, units: -30_00n, feeUnits: 25n })
    for (let i = 0; i < 2; i += 1) await reconcile()
    expect([await platform('acquirer-costs'), await heldBy(world.db, 'first', 'UAH')]).toEqual([
      -25n,
      100_00n - 50n - 30_00n - 25n,
    ])
  })

  test('whose line of a refund moves nothing, or money in, is reported, and the lines behind it are read', async () => {
    const reference = await world.paid()
    state({ kind: 'refund', reference, units: 30_00n })
    state({ kind: 'refund', reference, units: 0n })
    state({ kind: 'fee', units: -3_00n })
    expect((await reconcile()).map(({ kind, what, stated }) => [kind, what, stated])).toEqual([
      ['differs', 'refund', 30_00n],
      ['differs', 'refund', 0n],
    ])
    expect([await world.balance('merchant'), await platform('acquirer-costs')]).toEqual([98_00n, -3_00n])
  })

  test('that is long locks a payment for a few of its lines only', async () => {
    const [first, last] = [await world.paid(), await world.paid()]
    state({ kind: 'payment', reference: first, units: 100_00n })
    for (let i = 0; i < 60; i += 1) state({ kind: 'fee', units: -1n })
    state({ kind: 'payment', reference: last, units: 100_00n })
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = inTransaction(world.db, async (tx) => {
      await sql`select from payments where id = ${last} for update`.execute(tx)
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const comparison = reconcile()
    try {
      await expect.poll(async () => (await waitingFor('payments')).length).toBe(1)
      await sql`select from payments where id = ${first} for update nowait`.execute(world.db)
    } finally {
      release.resolve()
      await other
    }
    expect(await comparison).toEqual([])
    expect(await platform('acquirer-costs')).toBe(-60n)
  })

  test('with two lines for one payment, at any distance, is reported', async () => {
    const reference = await world.paid()
    state({ kind: 'payment', reference, units: 100_00n })
    for (let i = 0; i < 60; i += 1) state({ kind: 'fee', units: -1n })
    state({ kind: 'payment', reference, units: 100_00n, at: START - 2 })
    expect((await reconcile()).map(({ kind, what }) => [kind, what])).toEqual([['extra', 'payment']])
  })

  test('is read by the job from every acquirer that has one', async () => {
    await world.paid()
    await aDayLater()
    const job = createStatementJob(
      {
        ...deps(),
        acquirers: new Map([
          ['first', world.first],
          ['second', world.second],
        ]),
      },
      1,
    )
    await job.run(new AbortController().signal)
    expect(await world.alerts()).toEqual(['statement-differs'])
  })
})
