/**
 * Random histories of requests, answers, losses, callbacks, returns and stops: in each of them, the money is where the
 * cards say.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { createPayoutAcquirer, type Behaviour, type PayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import { openCardPayouts, type CardPayoutWorld } from '../../../../test/world/card-payouts.ts'
import { useDb } from '../../../../test/world/database.ts'
import { liftStops, stopMoney } from '../../../../test/world/stops.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { hearPayoutCallback } from './index.ts'

const database = useDb()
const limits = { UAH: { least: 1_00n, most: 14_500_00n } }
const accounts: PayoutAcquirer[] = [createPayoutAcquirer('bank', limits), createPayoutAcquirer('other', limits)]
const RICH = 1_000_000n
let here: CardPayoutWorld
beforeAll(async () => {
  here = await openCardPayouts(database, accounts)
})
afterAll(() => here.close())

/** Every end is known in time: what vanishes would stay open. */
const behaviour = fc.constantFrom<Behaviour>('pays', 'waits', 'refuses', 'refuses-elsewhere', 'drops', 'unreachable')
const step = fc.oneof(
  fc.record({
    do: fc.constant('ask' as const),
    batch: fc.boolean(),
    units: fc.bigInt(1_000_00n, 60_000_00n),
    meets: fc.array(behaviour, { maxLength: 6 }),
  }),
  fc.record({ do: fc.constant('later' as const), ms: fc.integer({ min: 500, max: 120_000 }) }),
  fc.record({
    do: fc.constantFrom('end' as const, 'return' as const, 'call' as const),
    which: fc.nat(),
    pays: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom('stop' as const, 'lift' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const pick = (kind: string | undefined, which: number): { account: PayoutAcquirer; reference: string } | undefined => {
  const all = accounts.flatMap((account) =>
    [...account.orders]
      .filter(([, { state }]) => kind === undefined || state.kind === kind)
      .map(([reference]) => ({ account, reference })),
  )
  return all[which % Math.max(all.length, 1)]
}
const call = ({ account, reference }: { account: PayoutAcquirer; reference: string }): Promise<unknown> =>
  inTransaction(here.db, (tx) =>
    hearPayoutCallback(
      tx,
      { acquirer: account.name, reference, state: account.orders.get(reference)?.state ?? { kind: 'unknown' } },
      momentOf(here.runtime),
    ),
  )

const walk = async (shop: string, one: Step): Promise<void> => {
  switch (one.do) {
    case 'ask': {
      for (const account of accounts) account.next.push(...one.meets)
      const amount = `${one.units / 100n}.${String(one.units % 100n).padStart(2, '0')}`
      await (one.batch ? here.batch(shop, { ticker: 'UAH', amount }) : here.payOut(shop, { amount }))
      return
    }
    case 'later':
      return here.later(one.ms)
    case 'end': {
      const found = pick('waiting', one.which)
      if (found) found.account.end(found.reference, one.pays ? 'pays' : 'refuses')
      return
    }
    case 'return': {
      const found = pick('succeeded', one.which)
      if (!found) return
      found.account.end(found.reference, 'reverses')
      await call(found)
      return
    }
    case 'call': {
      const found = pick(undefined, one.which)
      if (found) await call(found)
      return
    }
    case 'stop':
      return stopMoney(here.db, { asset: 'UAH' })
    case 'lift':
      return liftStops(here.db)
  }
}
const finish = async (): Promise<void> => {
  await liftStops(here.db)
  for (const account of accounts) account.next = []
  for (let round = 0; round < 6; round += 1) {
    for (const account of accounts)
      for (const [reference, { state }] of account.orders) if (state.kind === 'waiting') account.end(reference, 'pays')
    await here.later(700_000)
  }
}

test('cards got the amounts of the books, once, and the rest is on the balance', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      for (const account of accounts) account.orders.clear()
      const shop = await here.merchant('UAH', RICH)
      for (const one of steps) await walk(shop, one)
      await finish()
      const paid = accounts.reduce((sum, account) => sum + account.paid(), 0n)
      const { rows } = await sql<{
        state: string
        units: bigint
        fee: bigint
      }>`select state, units, fee_units as fee from card_payout_parts
        where merchant_id = ${shop}`.execute(here.db)
      const done = rows.filter(({ state }) => state === 'succeeded')
      expect(rows.every(({ state }) => ['succeeded', 'refused', 'reversed'].includes(state))).toBe(true)
      expect(done.reduce((sum, { units }) => sum + units, 0n)).toBe(paid)
      const fees = done.reduce((sum, { fee }) => sum + fee, 0n)
      expect(await here.available(shop)).toBe(RICH * 100n - paid - fees)
      expect(await here.balance(shop, 'merchant')).toBe(RICH * 100n - paid - fees)
      expect(await here.balance(shop, 'fees')).toBe(fees)
      for (const account of accounts) expect(await here.balance(shop, `acquirer:${account.name}`)).toBe(account.paid())
      const { rows: ends } = await sql<{
        id: string
        kind: string
        told: number
        sealed: boolean
      }>`select p.id, p.kind, p.sealed_card is not null as sealed,
        (select count(*) from events e where e.object_id = p.id and e.status = case p.kind when 'batch' then 'Done' else e.status end) as told
        from card_payouts p where p.merchant_id = ${shop}`.execute(here.db)
      for (const end of ends) {
        expect(end.sealed).toBe(false)
        expect([1, end.kind === 'batch' ? 1 : 2]).toContain(end.told)
      }
      // A part was paid by one order at most, whichever account had it.
      const { rows: twice } =
        await sql`select part_id from card_payout_attempts where state = 'succeeded' group by part_id having count(*) > 1`.execute(
          here.db,
        )
      expect(twice).toEqual([])
    }),
    { endOnFailure: true, numRuns: cases(25) },
  )
})
