/** Workers that die, race, meet stops, and people who settle unclear payouts. */
import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createPayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import { openCardPayouts, useCardPayouts, type CardPayoutWorld } from '../../../../test/world/card-payouts.ts'
import { liftStops, stopMoney } from '../../../../test/world/stops.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import type { NewStop } from '../../ledger/stops/index.ts'
import { abandon, createAskingJob, createSendingJob, resolve } from './index.ts'
import { referenceOf } from './sending.ts'

const { here, database, bank } = useCardPayouts({ bank: { UAH: { least: 1_00n, most: 14_500_00n } } })
const HOUR = 3_600_000
const signal = new AbortController().signal

const points = [
  ...new Set(
    readdirSync(import.meta.dirname)
      .filter((file) => /^jobs.*\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(/\.pause\('([a-z-]+)'\)/g)].map(
          (match) => match[1]!,
        ),
      ),
  ),
]

describe('a worker that dies', () => {
  test('can do so at named points', () => expect(points.length).toBeGreaterThanOrEqual(5))

  test.each(points)(
    'at %s: at most one payment, and money that may have been paid is not given back',
    async (point) => {
      const shop = await here.merchant('UAH', 2_000n)
      bank.next = [point === 'card-payout-asked' ? 'waits' : 'pays']
      await here.payOut(shop, { amount: '1000' })
      const reached = Promise.withResolvers<void>()
      const pause = (name: string): Promise<void> => {
        if (name !== point) return Promise.resolve()
        reached.resolve()
        return new Promise(() => {})
      }
      // The job stops at the point and never continues, as after a kill: its unstored work is lost.
      const dying = { ...here.deps, pause }
      const running = createSendingJob(dying, 1).run(signal)
      if (point === 'card-payout-asked') {
        await running
        bank.end([...bank.orders.keys()][0]!, 'pays')
        here.deps.runtime.clock = later(here, 10_000)
        void createAskingJob({ ...dying, runtime: here.runtime }, bank, 1).run(signal)
      }
      await reached.promise
      await here.work()
      await here.later(2 * HOUR, 24)
      const isLost = point === 'card-payout-begun'
      expect(bank.orders.size).toBe(isLost ? 0 : 1)
      expect((await here.notices(shop)).map(({ status }) => status)).toEqual(isLost ? [] : ['Done'])
      expect(await here.available(shop)).toBe(990_00n)
      expect((await here.alerts()).map(({ kind }) => kind)).toEqual(isLost ? ['card-payout-unknown'] : [])
    },
  )
})

const later = ({ runtime }: CardPayoutWorld, ms: number) => {
  const { now } = runtime.clock
  return { now, business: () => now() + ms }
}

describe('workers that race', () => {
  test('send each part once and book each end once', async () => {
    const shop = await here.merchant('UAH', 3_000_000n)
    for (let i = 0; i < 3; i += 1) await here.batch(shop, { ticker: 'UAH', amount: '800000' })
    let n = 0
    bank.before = async () => {
      bank.otherwise = (['pays', 'waits', 'refuses', 'drops'] as const)[(n += 1) % 4]!
    }
    const workers = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 8; i += 1) {
        await createSendingJob(here.deps, 1).run(signal)
        await createAskingJob(here.deps, bank, 1).run(signal)
      }
    })
    await Promise.all(workers)
    for (const [reference, { state }] of bank.orders) if (state.kind === 'waiting') bank.end(reference, 'pays')
    await Promise.all([here.later(HOUR, 3), here.work()])
    const { rows } = await sql<{
      parts: number
      orders: number
    }>`select (select count(*) from card_payout_parts) as parts,
      (select count(*) from card_payout_attempts) as orders`.execute(here.db)
    expect(rows[0]!.orders).toBe(rows[0]!.parts)
    expect(bank.orders.size).toBe(rows[0]!.parts)
    const notices = await here.notices(shop)
    expect(notices.map(({ status }) => status)).toEqual(['Done', 'Done', 'Done'])
    const paid = notices.reduce((all, { paidAmount }) => all + BigInt(Math.round(Number(paidAmount) * 100)), 0n)
    expect(paid).toBe(bank.paid())
    const fees = notices.reduce((all, { paidFee }) => all + BigInt(Math.round(Number(paidFee) * 100)), 0n)
    expect(await here.available(shop)).toBe(3_000_000_00n - paid - fees)
    expect(await here.balance(shop, 'merchant')).toBe(3_000_000_00n - paid - fees)
  })
})

test('a worker that was overtaken while it chose sends nothing', async () => {
  const shop = await here.merchant('UAH', 2_000n)
  await here.payOut(shop, { amount: '1000' })
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pause = async (name: string): Promise<void> => {
    if (name !== 'card-payout-chosen') return
    reached.resolve()
    await goOn.promise
  }
  const slow = createSendingJob({ ...here.deps, pause }, 1).run(signal)
  await reached.promise
  bank.next = ['unreachable']
  await here.later(100_000)
  goOn.resolve()
  await slow
  expect(bank.orders.size).toBe(0)
  await here.later(10_000)
  expect(bank.orders.size).toBe(1)
})

test('a database restored from an older copy sends under the reference the acquirer has seen: nothing is paid twice', async () => {
  const shop = await here.merchant('UAH', 2_000n)
  await here.payOut(shop, { amount: '1000' })
  const {
    rows: [part],
  } = await sql<{ id: string }>`select id from card_payout_parts`.execute(here.db)
  // Orders that were sent before the database was restored.
  const order = {
    reference: referenceOf(part!.id, 1),
    ticker: 'UAH',
    units: 1_000_00n,
    card: '4111111111111111',
    description: '',
    callbackUrl: '',
  } as const
  await bank.payOut(order)
  await here.work()
  await here.later(HOUR)
  expect(bank.orders.size).toBe(1)
  expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
  expect(isUuid(order.reference)).toBe(true)
  expect(new Set([1, 2, 3].map((attempt) => referenceOf(part!.id, attempt))).size).toBe(3)
})

test.each(['answers', 'is mute for a while'])(
  'audit M-A5: a database restored from an older copy sends nothing to one account that another has had, which %s',
  async (how) => {
    await here.close()
    const other = createPayoutAcquirer('other', bank.capabilities.payout)
    await openCardPayouts(database, [bank, other], undefined, here)
    const shop = await here.merchant('UAH', 5_000n)
    await here.payOut(shop, { amount: '1000' })
    const {
      rows: [part],
    } = await sql<{ id: string }>`select id from card_payout_parts`.execute(here.db)
    // Orders that were sent before the database was restored, while the first account could not be reached.
    await other.payOut({
      reference: referenceOf(part!.id, 1),
      ticker: 'UAH',
      units: 1_000_00n,
      card: '4111111111111111',
      description: '',
      callbackUrl: '',
    })
    // Raw: a restore that the command notices only on another timeline of PostgreSQL.
    await sql`insert into installation(identity, timeline, restores, restored_at) values ('i', 't', 1, ${momentOf(here.runtime).at})
    on conflict (singleton) do update set restored_at = excluded.restored_at`.execute(here.db)
    other.isMute = how !== 'answers'
    await here.later(60_000, 4)
    other.isMute = false
    await here.later(HOUR, 4)
    expect([bank.orders.size, other.orders.size]).toEqual([0, 1])
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
    // Later orders go by the routing.
    await here.payOut(shop, { amount: '1000' })
    await here.later(HOUR)
    expect([bank.orders.size, other.orders.size]).toEqual([1, 1])
    await sql`update installation set restored_at = null`.execute(here.db)
  },
)

describe('stops', () => {
  const stop = (what: Parameters<typeof stopMoney>[1]): Promise<void> => stopMoney(here.db, what)
  const cases: [string, (merchantId: string) => Partial<NewStop>, boolean][] = [
    ['everything', () => ({}), true],
    ['the asset', () => ({ asset: 'UAH' }), true],
    ['the merchant', (merchantId) => ({ merchantId }), true],
    ['another asset', () => ({ asset: 'KZT' }), false],
    ['a network', () => ({ network: 'ETHEREUM' }), false],
  ]
  test.each(cases)('of %s', async (_name, what, holdsBack) => {
    const shop = await here.merchant('UAH', 5_000n)
    await here.payOut(shop, { amount: '1000' })
    bank.next = ['waits']
    await here.payOut(shop, { amount: '1500' })
    await here.work()
    const sent = bank.orders.size
    expect(sent).toBe(2)
    await here.payOut(shop, { amount: '1100' })
    await stop(what(shop))
    await here.later(60_000, 3)
    expect(bank.orders.size - sent).toBe(holdsBack ? 0 : 1)
    expect(await here.payOut(shop, { amount: '1200' })).toMatchObject(
      holdsBack ? { status: 503, body: { code: 107 } } : { status: 200 },
    )
    // An order that an acquirer has is followed to its end.
    for (const [reference, { state }] of bank.orders) if (state.kind === 'waiting') bank.end(reference, 'pays')
    await here.later(HOUR)
    expect((await here.notices(shop)).filter(({ amount }) => amount === '1500')).toHaveLength(1)
    await liftStops(here.db)
    await here.later(HOUR)
    expect(await here.notices(shop)).toHaveLength(holdsBack ? 3 : 4)
  })

  test('made between choosing an acquirer and writing the order holds', async () => {
    const shop = await here.merchant('UAH', 5_000n)
    await here.payOut(shop, { amount: '1000' })
    const pause = async (name: string): Promise<void> => {
      if (name === 'card-payout-chosen') await stop({})
    }
    await createSendingJob({ ...here.deps, pause }, 1).run(signal)
    expect(bank.orders.size).toBe(0)
    await liftStops(here.db)
    await here.later(60_000)
    expect(bank.orders.size).toBe(1)
  })
})

describe('a person', () => {
  const lost = async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['vanishes']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    const { rows } = await sql<{ reference: string }>`select reference from card_payout_attempts`.execute(here.db)
    return { shop, reference: rows[0]!.reference }
  }
  const settle = (reference: string, how: 'paid' | 'refused'): Promise<void> =>
    inTransaction(here.db, async (tx) => {
      const moment = momentOf(here.runtime)
      await carryOut(
        tx,
        await resolve(tx, { reference, how, by: 'cli:someone: the bank says so' }, here.deps.catalogue, moment),
        moment,
      )
    })

  test.each([
    ['paid', 'Done', 990_00n],
    ['refused', 'Failed', 2_000_00n],
  ] as const)('says that it was %s, once, and not while it may be under way', async (how, status, left) => {
    const { shop, reference } = await lost()
    await expect(settle(reference, how)).rejects.toThrow('less than 15 minutes')
    await here.later(HOUR)
    await settle(reference, how)
    expect((await here.notices(shop)).map((notice) => notice.status)).toEqual([status])
    expect(await here.available(shop)).toBe(left)
    expect(await here.alerts()).toEqual([])
    await expect(settle(reference, 'refused')).rejects.toThrow('has ended')
    const asked = bank.asked.length
    await here.later(24 * HOUR, 4)
    expect(bank.asked.length).toBe(asked)
  })

  test('ends a payout that was never sent, and no other', async () => {
    const shop = await here.merchant('UAH', 5_000n)
    await here.payOut(shop, { amount: '1000' })
    bank.next = ['waits']
    const {
      rows: [part],
    } = await sql<{ id: string }>`select id from card_payout_parts`.execute(here.db)
    const end = (id: string): Promise<void> =>
      inTransaction(here.db, async (tx) => {
        const moment = momentOf(here.runtime)
        await carryOut(tx, await abandon(tx, id, here.deps.catalogue, moment), moment)
      })
    await end(part!.id)
    expect(await here.available(shop)).toBe(5_000_00n)
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    const {
      rows: [waiting],
    } = await sql<{ id: string }>`select id from card_payout_parts where state = 'waiting'`.execute(here.db)
    await expect(end(waiting!.id)).rejects.toThrow('it is waiting')
    expect(await here.available(shop)).toBe(3_990_00n)
  })
})

test('a part that no account accepts any more waits, with an alert', async () => {
  const shop = await here.merchant('UAH', 5_000n)
  await here.payOut(shop, { amount: '1000' })
  const deps = { ...here.deps, routing: { accounts: [], rules: [] } }
  await createSendingJob(deps, 1).run(signal)
  expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-no-route'])
  expect(await here.notices(shop)).toEqual([])
  await here.later(HOUR)
  expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
  expect(await here.alerts()).toEqual([])
})

test('a key that is missing keeps a part waiting, and says so', async () => {
  const shop = await here.merchant('UAH', 5_000n)
  await here.payOut(shop, { amount: '1000' })
  const without = { ...here.deps, cards: createSecretRing([new Uint8Array(32)]) }
  await createSendingJob(without, 1).run(signal)
  expect(await here.alerts()).toEqual([])
  here.deps.cards = without.cards
  await here.later(10 * 60_000, 3)
  expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-not-taken-up'])
  expect(bank.orders.size).toBe(0)
  here.deps.cards = here.ring
  await here.later(60_000)
  expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
  expect(await here.alerts()).toEqual([])
})

test('an account that can not pay has an alert until it pays again', async () => {
  const shop = await here.merchant('UAH', 5_000n)
  bank.next = ['refuses-elsewhere']
  await here.payOut(shop, { amount: '1000' })
  await here.work()
  expect((await here.alerts()).map(({ kind, subject }) => [kind, subject])).toEqual([
    ['acquirer-refuses-payouts', 'bank'],
  ])
  await here.payOut(shop, { amount: '1000' })
  await here.work()
  expect(await here.alerts()).toEqual([])
})
