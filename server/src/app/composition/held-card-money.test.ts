import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { acceptPayment, heldOf, heldParts, heldTotals, resolveDispute } from '../../cards/acquiring/index.ts'
import { balanceRoutes } from '../../ledger/balances/index.ts'
import { catalogue, HOUR_MS, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { spendMoney } from '../../../../test/world/ledger.ts'
import { expectingFiat } from './converting.ts'

const world = useFiatInvoices(expectingFiat)

const DAY_MS = 24 * HOUR_MS
/** The balance of the merchant, and its spendable part. */
const balance = async (): Promise<[bigint, bigint]> => {
  const { rows } = await sql<{ posted: bigint; held: bigint }>`select posted, held from ledger_accounts
    where kind = 'merchant' and merchant_id = ${world.merchantId}`.execute(world.db)
  return rows.reduce<[bigint, bigint]>(
    ([has, free], { posted, held }) => [has + posted, free + posted - held],
    [0n, 0n],
  )
}
const held = async () => (await heldOf(world.db, world.merchantId)).map(({ kind, units }) => [kind, units])
const conversions = async () =>
  (await sql<{ units: bigint }>`select units from conversions order by created_at, units`.execute(world.db)).rows.map(
    ({ units }) => units,
  )

const spend = (units: bigint) => spendMoney(world.runtime, { merchantId: world.merchantId, asset: 'UAH' }, units)
const freezes = async () =>
  (await sql<{ lifted: boolean }>`select lifted_at is not null as lifted from freezes`.execute(world.db)).rows.map(
    ({ lifted }) => lifted,
  )

describe('held money', () => {
  const terms = { cardHoldHours: 0, cardReservePercent: 0, cardReserveDays: 180 }
  test('audit F-9.8: nothing by default', async () => {
    expect(heldParts(98_00n, terms, new Date(0))).toEqual([])
    await world.paid()
    expect([await balance(), await held()]).toEqual([[98_00n, 98_00n], []])
  })

  test('audit F-9.8: the reserve rounded up, and all of the rest', () => {
    const at = (days: number): Date => new Date(days * DAY_MS)
    expect(heldParts(98_01n, { ...terms, cardHoldHours: 48, cardReservePercent: 10 }, at(0))).toEqual([
      { units: 88_20n, kind: 'time', releaseAt: at(2) },
      { units: 9_81n, kind: 'reserve', releaseAt: at(180) },
    ])
    expect(heldParts(98_00n, { ...terms, cardReservePercent: 100 }, at(0))).toEqual([
      { units: 98_00n, kind: 'reserve', releaseAt: at(180) },
    ])
    expect(heldParts(0n, { ...terms, cardHoldHours: 1 }, at(0))).toEqual([])
  })
})

describe('money of a card payment', () => {
  test('audit F-9.8: can not be spent before its hours and its days are over', async () => {
    await world.set({ cardHoldHours: 48, cardReservePercent: 10, cardReserveDays: 30 })
    await world.paid()
    expect([await balance(), await held()]).toEqual([
      [98_00n, 0n],
      [
        ['time', 88_20n],
        ['reserve', 9_80n],
      ],
    ])
    const [route] = balanceRoutes({
      runtime: world.runtime,
      catalogue,
      heldOf: (merchantId) => heldTotals(world.db, merchantId),
    })
    const request = {
      merchantId: world.merchantId,
      params: {},
      query: { tickers: 'UAH,KZT' },
      body: undefined,
      keyId: randomUUID(),
      requestId: 'r',
      answerKeys: [],
    }
    expect(await route!.handle(request)).toMatchObject({
      body: [
        { value: '0', ticker: 'UAH', held: '98' },
        { value: '0', ticker: 'KZT' },
      ],
    })
    await world.later(47 * HOUR_MS)
    expect(await balance()).toEqual([98_00n, 0n])
    await world.later(HOUR_MS)
    expect(await balance()).toEqual([98_00n, 88_20n])
    await world.later(28 * DAY_MS)
    expect([await balance(), await held()]).toEqual([[98_00n, 98_00n], []])
  })

  test('killed at card-hold-due: is released once by the next worker', async () => {
    await world.set({ cardHoldHours: 48 })
    await world.paid()
    world.killAt = 'card-hold-due'
    await world.later(48 * HOUR_MS)
    expect(world.passed).toContain('card-hold-due')
    expect(await balance()).toEqual([98_00n, 0n])
    world.killAt = undefined
    for (let i = 0; i < 2; i += 1) await world.work()
    expect([await balance(), await held()]).toEqual([[98_00n, 98_00n], []])
  })

  test('audit F-9.8: becomes its target once it may be spent', async () => {
    await world.set({ cardHoldHours: 48, cardReservePercent: 10, cardReserveDays: 30 })
    await world.paid({ target: { ticker: 'BTC' } })
    expect(await conversions()).toEqual([])
    await world.later(48 * HOUR_MS)
    expect(await conversions()).toEqual([88_20n])
    await world.later(28 * DAY_MS)
    expect(await conversions()).toEqual([88_20n, 9_80n])
  })

  test('audit F-9.8: that a chargeback takes back is taken from its own hold, and is not converted', async () => {
    await world.set({ cardHoldHours: 48 })
    const reference = await world.paid({ target: { ticker: 'BTC' } })
    world.first.reverses(reference, 'all')
    await world.hear(reference)
    await world.work()
    expect([await balance(), await held(), await world.balance('receivable')]).toEqual([[0n, 0n], [], 0n])
    await world.later(48 * HOUR_MS)
    expect(await conversions()).toEqual([])
  })

  test('audit F-9.8: a chargeback of spent money uses the reserve of other payments, and no more of it than it needs', async () => {
    const spent = await world.paid()
    await world.set({ cardReservePercent: 50, cardReserveDays: 30 })
    await world.paid()
    await world.paid()
    await world.paid()
    expect(await balance()).toEqual([4n * 98_00n, 98_00n + 3n * 49_00n])
    await spend(245_00n)
    world.first.reverses(spent, 'all')
    await world.hear(spent)
    await world.work()
    expect([await balance(), await held(), await world.balance('receivable')]).toEqual([
      [49_00n, 0n],
      [['reserve', 49_00n]],
      0n,
    ])
  })

  test('audit F-9.8: is refunded out of its own hold, and the rest stays held', async () => {
    await world.set({ cardHoldHours: 48 })
    const reference = await world.paid()
    await world.refund(reference, 30_00n)
    await world.work()
    expect([await balance(), await held()]).toEqual([[68_00n, 0n], [['time', 68_00n]]])
    await world.later(48 * HOUR_MS)
    expect(await balance()).toEqual([68_00n, 68_00n])
  })

  test('audit F-9.8: is held again until its old time when a refund of it is refused, and becomes its target then', async () => {
    await world.set({ cardHoldHours: 48, cardReservePercent: 10, cardReserveDays: 30 })
    const reference = await world.paid({ target: { ticker: 'BTC' } })
    world.first.refundAnswer = 'refused'
    await world.refund(reference, 90_00n)
    await world.work()
    const again = async () => (await held()).reduce((sum, [, units]) => sum + (units as bigint), 0n)
    expect([await balance(), await again()]).toEqual([[98_00n, 0n], 98_00n])
    await world.later(48 * HOUR_MS)
    expect([await balance(), await again()]).toEqual([[98_00n, 88_20n], 9_80n])
    await world.later(28 * DAY_MS)
    expect((await conversions()).reduce((sum, units) => sum + units, 0n)).toBe(98_00n)
  })

  test('audit F-9.8: with the reserves that a dispute used, is held again when nothing went back', async () => {
    const disputed = await world.paid()
    await world.set({ cardReservePercent: 50, cardReserveDays: 30 })
    await world.paid()
    await spend(147_00n)
    expect([await balance(), await held()]).toEqual([[49_00n, 0n], [['reserve', 49_00n]]])
    world.first.reverses(disputed, undefined)
    await world.hear(disputed)
    await world.work()
    expect([await balance(), await held()]).toEqual([[49_00n, 0n], []])
    await world.act((tx, moment) => resolveDispute(tx, disputed, 0n, 'operator: seen in the console', moment))
    expect([await balance(), await held()]).toEqual([[49_00n, 0n], [['reserve', 49_00n]]])
  })

  test('audit F-9.8: with the reserves that a dispute used, is held again except the part that went back', async () => {
    await world.set({ cardHoldHours: 48 })
    const disputed = await world.paid()
    world.first.reverses(disputed, undefined)
    await world.hear(disputed)
    await world.work()
    await world.act((tx, moment) => resolveDispute(tx, disputed, 1_00n, 'operator: seen in the console', moment))
    expect([await balance(), await held()]).toEqual([[97_00n, 0n], [['time', 97_00n]]])
    await world.later(48 * HOUR_MS)
    expect(await balance()).toEqual([97_00n, 97_00n])
  })

  test('audit F-9.8: repays the debt of its merchant when it is released, and only the rest becomes its target', async () => {
    const spent = await world.paid()
    await spend(98_00n)
    await world.set({ cardHoldHours: 48 })
    await world.paid({ target: { ticker: 'BTC' }, amount: { value: '200', ticker: 'UAH' } })
    world.first.reverses(spent, 'all')
    await world.hear(spent)
    await world.work()
    expect([await world.balance('receivable'), await freezes()]).toEqual([-98_00n, [false]])
    await world.later(48 * HOUR_MS)
    expect([await world.balance('receivable'), await balance(), await freezes(), await conversions()]).toEqual([
      0n,
      [99_00n, 99_00n],
      [true],
      [99_00n],
    ])
  })

  test('audit F-9.8: that repays a debt at once becomes nothing else; only the rest becomes its target', async () => {
    const spent = await world.paid()
    await spend(98_00n)
    world.first.reverses(spent, 'all')
    await world.hear(spent)
    await world.work()
    await world.paid({ target: { ticker: 'BTC' }, amount: { value: '200', ticker: 'UAH' } })
    expect([await world.balance('receivable'), await balance(), await conversions()]).toEqual([
      0n,
      [99_00n, 99_00n],
      [99_00n],
    ])
  })

  test('audit F-9.8: that was in suspense and is accepted becomes its target as well', async () => {
    await world.set({ cardReservePercent: 10, cardReserveDays: 30 })
    const { reference } = await world.atTheBank({ target: { ticker: 'BTC' } })
    world.first.pays(reference, { units: 90_00n })
    await world.hear(reference)
    await world.work()
    await world.act((tx, moment) => acceptPayment(tx, reference, world.subscriber, moment))
    expect([await balance(), await conversions()]).toEqual([[88_10n, 79_29n], [79_29n]])
  })
})
