/** The position that exchanges leave is traded away, with any answers of the venue. */
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { cases } from '../../../../test/setup/cases.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { E18 } from '../../market/rates/index.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { hedgeFlows, listOpenOrders, newestOrders, readPositions, startHedging, stopHedging } from './index.ts'
import { createPositionWatchJob } from './jobs-watching.ts'
import { BTC, catalogue, createHedgeWorld, readPolicy, SOUND, type HedgeWorld } from './test-world.ts'
import type { Fault } from '../../../../test/world/venue.ts'

const { db } = useDb({ max: 45 })
let world: HedgeWorld
beforeEach(async () => {
  await emptyTables(db)
  world = await createHedgeWorld(db, { leastUsdt: '50', mostUsdt: '20000', mostUsdtPerHour: '60000' })
})

const newest = async (asset = 'BTC') => await newestOrders(db, { venue: 'test', asset }, 20)
const states = async (asset = 'BTC') => (await newest(asset)).map(({ state }) => state)
const moment = () => ({ at: new Date(world.now), newId })

describe('an exposure', () => {
  test('is bought back on the venue: position, ledger and venue agree, and the fee is a cost', async () => {
    await world.sell('USDT', 'BTC', '0.1')
    expect(await world.exposure('BTC')).toBe(-BTC / 10n)
    await world.place()
    expect(await world.exposure('BTC')).toBe(0n)
    expect(await states()).toEqual(['filled'])
    expect(world.venue.taken).toHaveLength(1)
    const { rows } = await sql<{
      asset: string
      posted: bigint
    }>`select asset, posted from ledger_accounts where kind = 'venue-costs'`.execute(db)
    expect(rows).toEqual([{ asset: 'BTC', posted: -10_000n }])
    expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
  })

  test('is sold when merchants have sold, and a currency is the quote of its market', async () => {
    await world.sell('ETH', 'USDT', '5000')
    await world.sell('USDT', 'KZT', '500000')
    await world.place()
    const [eth, kzt] = [(await newest('ETH'))[0]!, (await newest('KZT'))[0]!]
    expect([eth.side, eth.base, kzt.side, kzt.base, kzt.quote]).toEqual(['sell', 'ETH', 'sell', 'USDT', 'KZT'])
    expect((await world.exposure('ETH')) < E18 / 10_000n).toBe(true)
    expect(Math.abs(Number(await world.exposure('KZT')))).toBeLessThan(50_00)
    expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
  })

  test('of many small exchanges is one order; below the least it waits', async () => {
    await world.sell('USDT', 'BTC', '0.0004')
    await world.place()
    expect(await newest()).toEqual([])
    for (let i = 0; i < 4; i += 1) await world.sell('USDT', 'BTC', '0.0004')
    await world.sell('BTC', 'USDT', '20')
    await world.place()
    expect(await states()).toEqual(['filled'])
    expect(Math.abs(Number(await world.exposure('BTC')))).toBeLessThan(1_000)
  })

  test('larger than one order may be takes several, and no more than an hour may have', async () => {
    await world.sell('USDT', 'BTC', '1.4')
    await world.pass(30)
    expect((await newest()).length).toBeGreaterThanOrEqual(3)
    for (const { amount, price } of await newest()) expect(amount * price <= 20_000n * E18 * E18).toBe(true)
    const left = await world.exposure('BTC')
    expect(left < -BTC / 3n).toBe(true)
    await world.pass(60)
    expect(await world.exposure('BTC')).toBe(left)
    world.now += 3_600_000
    await world.pass(30)
    expect(await world.exposure('BTC')).toBe(0n)
    expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
  })
})

const FAULTS: [string, Fault][] = [
  ['fills a part and cancels the rest', { fill: 40 }],
  ['fills nothing', { fill: 0 }],
  ['takes it and does not answer', { lost: 'taken' }],
  ['does not answer, and never had it', { lost: 'never' }],
  ['refuses it', { refuse: 'Filter failure' }],
  ['lets it rest', { rests: 3 }],
  ['shows fills later than what has traded', { fillsLag: 2 }],
  ['takes it, does not answer, and shows its fills late', { lost: 'taken', fillsLag: 2, fill: 60 }],
]

describe('a venue that', () => {
  test.each(FAULTS)('%s: the order is placed once, and the exposure is gone in the end', async (_name, fault) => {
    world.venue.faults = [fault]
    await world.sell('USDT', 'BTC', '0.2')
    await world.place()
    expect(await world.exposure('BTC')).not.toBe(0n)
    const first = (await newest()).at(-1)!
    await world.pass(60)
    expect(
      world.venue.taken.filter(({ clientId }) => clientId === first.id.replaceAll('-', '')).length,
    ).toBeLessThanOrEqual(1)
    expect(await world.exposure('BTC')).toBe(0n)
    expect((await newest()).length).toBe(
      fault.fill === undefined && fault.refuse === undefined && fault.lost !== 'never' ? 1 : 2,
    )
    expect(await listOpenOrders(db)).toEqual([])
    expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
  })

  test('accepts an order late: the order is not placed again, and ends when its time window is over', async () => {
    world.venue.faults = [{ lost: 'late' }]
    await world.sell('USDT', 'BTC', '0.2')
    await world.place()
    await world.pass(4)
    expect(await states()).toEqual(['sending'])
    world.venue.arrive()
    await world.pass(20)
    expect(await states()).toEqual(['filled'])
    expect(world.venue.placed).toHaveLength(1)
  })

  test('gets an order after its time window refuses the order, and the order ends as not placed', async () => {
    world.venue.faults = [{ lost: 'late' }]
    await world.sell('USDT', 'BTC', '0.2')
    await world.place()
    await world.pass(10)
    expect(await states()).toEqual(['sending'])
    world.venue.arrive()
    await world.pass(30)
    expect(await states()).toEqual(['filled', 'lapsed'])
    expect(await world.exposure('BTC')).toBe(0n)
  })

  test('gives no answer: an alert is raised, no new order is placed, and the outcomes are queried when it answers again', async () => {
    world.venue.faults = [{ lost: 'taken' }]
    await world.sell('USDT', 'BTC', '0.2')
    await world.place()
    world.venue.down = true
    await world.sell('USDT', 'ETH', '2')
    await world.pass(120)
    expect(await states()).toEqual(['sending'])
    expect(await newest('ETH')).toEqual([])
    expect(await world.alerts()).toEqual(['hedge-unknown', 'venue-unreachable'])
    world.venue.down = false
    await world.pass(120)
    expect([await world.exposure('BTC'), await world.exposure('ETH')]).toEqual([0n, 0n])
    expect(await world.alerts()).toEqual([])
    expect(world.venue.placed).toHaveLength(2)
  })

  test('fills nothing again and again is asked less and less often, with an alert', async () => {
    world.venue.faults = Array.from({ length: 100 }, () => ({ fill: 0 }))
    await world.sell('USDT', 'BTC', '0.2')
    await world.pass(300)
    expect((await newest()).length).toBeLessThan(10)
    expect(await world.alerts()).toEqual(['hedge-failing'])
    world.venue.faults = []
    await world.pass(300)
    expect(await world.exposure('BTC')).toBe(0n)
    expect(await world.alerts()).toEqual([])
  })

  test('never ends an order: the order is cancelled, and its fills stay', async () => {
    world.venue.faults = [{ rests: 1_000 }]
    await world.sell('USDT', 'BTC', '0.2')
    await world.place()
    await world.pass(90)
    expect(await states()).toEqual(['filled', 'cancelled'])
    expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
  })
})

describe('nothing is begun', () => {
  beforeEach(() => world.sell('USDT', 'BTC', '0.2'))
  const begun = async () => {
    await world.pass(20)
    return (await newest()).length
  }

  test('while hedging is stopped', async () => {
    await inTransaction(db, (tx) => stopHedging(tx, { reason: 'drill', actor: 'test' }, moment()))
    expect(await begun()).toBe(0)
    expect(await startHedging(db, 'test', new Date(world.now))).toBe(1)
    expect(await begun()).toBe(1)
  })

  test.each(['BTC', 'USDT', null])('while %s is frozen for every merchant', async (asset) => {
    await inTransaction(db, (tx) => createStop(tx, { asset, merchantId: null, reason: 'drill' }, moment()))
    expect(await begun()).toBe(0)
  })

  test('while the venue trades too far above our own middle: the order that is sent fills nothing', async () => {
    world.venue.prices.set('BTC/USDT', 65_400n * E18)
    await world.place()
    expect(await states()).toEqual(['cancelled'])
    expect((await newest())[0]!.price <= 65_325n * E18).toBe(true)
    expect(world.venue.taken[0]!.fills).toEqual([])
  })

  test('without a price of our own', async () => {
    world.usdtMarkets = { open: new Map(), closed: new Map([['BTC', 'sources lie']]) }
    expect(await begun()).toBe(0)
  })

  test('with too little on the venue, which raises an alert', async () => {
    world.venue.held.set('USDT', 3n * E18)
    expect(await begun()).toBe(0)
    expect(await world.alerts()).toEqual(['venue-balance-low'])
    world.venue.held.set('USDT', 1_000_000n * E18)
    expect(await begun()).toBe(1)
    expect(await world.alerts()).toEqual([])
  })

  test('where the venue was seen twice to hold less than the books say', async () => {
    world.venue.held.set('USDT', 900_000n * E18)
    await world.sound()
    world.now += 1_000
    await world.sound()
    expect(await world.alerts()).toEqual(['venue-drift'])
    expect(await begun()).toBe(0)
    world.venue.held.set('USDT', 1_000_000n * E18)
    await world.sound()
    expect(await begun()).toBe(1)
  })
})

test('the amount that an open order may spend is not sold to merchants, and is for sale again once the order has ended', async () => {
  await world.sell('BTC', 'USDT', '10000')
  world.venue.faults = [{ lost: 'late' }]
  await world.place()
  const {
    rows: [held],
  } = await sql<{
    reserved: bigint
  }>`select sum(reserved) as reserved from exchange_inventory where asset = 'BTC'`.execute(db)
  expect(held!.reserved).toBe((await newest())[0]!.reserved)
  expect(held!.reserved > 0n).toBe(true)
  expect(await world.sound()).toEqual(SOUND)
  await world.pass(30)
  const {
    rows: [left],
  } = await sql<{
    reserved: bigint
  }>`select sum(reserved) as reserved from exchange_inventory where asset = 'BTC'`.execute(db)
  expect(left!.reserved).toBe(0n)
})

test('profit is the margin of merchants less the cost of the hedge over the middle; slippage is distinguished', async () => {
  await world.sell('USDT', 'BTC', '0.1')
  world.venue.prices.set('BTC/USDT', 65_100n * E18)
  await world.place()
  const at = (await readPositions(db, catalogue, readPolicy({}), world.usdtMarkets)).find(
    ({ asset }) => asset === 'BTC',
  )!
  expect(at).toMatchObject({
    hedged: BTC / 10n,
    exposure: 0n,
    realised: -10n * E18,
    unrealised: 0n,
    slippage: 10n * E18,
  })
  expect(at.venueFees).toBe((6_510n * E18) / 1_000n)
  expect((await hedgeFlows(db)).find(({ asset }) => asset === 'USDT')).toMatchObject({ soldUnits: 6_510n * E18 })
})

test('a limit that is nearly used has an alert, until it is not', async () => {
  const policy = readPolicy({ assets: { BTC: { short: '0.25' } } })
  const watch = () =>
    createPositionWatchJob({ runtime: world.runtime, exchange: policy, warnPercent: 80n }, 1_000).run(
      new AbortController().signal,
    )
  await world.sell('USDT', 'BTC', '0.2')
  await watch()
  expect(await world.alerts()).toEqual(['position-limit-near'])
  await world.place()
  await watch()
  expect(await world.alerts()).toEqual([])
})

test('fills take assets in the order that exchanges take them in, so that no two wait for each other', async () => {
  world.venue.faults = [{ lost: 'taken' }]
  await world.sell('USDT', 'BTC', '0.2')
  await world.place()
  world.now += 5_000
  const lock = (tx: Tx, asset: string) =>
    sql`select 1 from exchange_inventory where asset = ${asset} order by chunk for update`.execute(tx)
  let asking: Promise<void> | undefined
  await inTransaction(db, async (tx) => {
    await lock(tx, 'BTC')
    asking = world.ask()
    while (!(await isWaitingForLock(db))) await sleep(20)
    await lock(tx, 'USDT')
  })
  await asking
  expect(await states()).toEqual(['filled'])
  expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
})

test('many exchanges of both assets while fills are posted are all sound', async () => {
  await world.sell('USDT', 'BTC', '0.3')
  const one = (i: number) => (i % 2 ? world.sell('USDT', 'BTC', '0.0007') : world.sell('BTC', 'USDT', '45'))
  for (let round = 0; round < 3; round += 1)
    await Promise.all([...Array.from({ length: 30 }, (_, i) => one(i)), world.pass(5)])
  await world.pass(30)
  expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
})

const POINTS = ['hedge-begun', 'hedge-answered', 'hedge-recorded', 'hedge-asked']

test.each(POINTS)('killed at %s: it goes on from rows, and the order is placed once', async (point) => {
  world.venue.faults = point === 'hedge-asked' ? [{ lost: 'taken' }] : []
  await world.sell('USDT', 'BTC', '0.2')
  world.killAt = point
  await world.place()
  await world.ask()
  world.killAt = undefined
  await world.pass(120)
  expect(await world.exposure('BTC')).toBe(0n)
  expect(world.venue.placed.length).toBe(1)
  expect(await states()).toEqual(point === 'hedge-begun' ? ['filled', 'lapsed'] : ['filled'])
  expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
})

test('in any history with kills: one order for a client id, every fill posted once, and nothing is left open', async () => {
  const fault = fc.record({
    fill: fc.constantFrom(0, 10, 50, 100),
    lost: fc.constantFrom<Fault['lost'][]>(undefined, undefined, 'taken', 'never', 'late'),
    refuse: fc.constantFrom(undefined, undefined, undefined, 'no'),
    rests: fc.constantFrom(0, 0, 2),
    fillsLag: fc.constantFrom(0, 0, 1, 3),
  }) as fc.Arbitrary<Fault>
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('sell' as const),
      pair: fc.constantFrom(
        ['USDT', 'BTC'],
        ['BTC', 'USDT'],
        ['ETH', 'BTC'],
        ['USDT', 'ETH'],
        ['USDT', 'KZT'],
        ['KZT', 'USDT'],
      ),
      usdt: fc.integer({ min: 20, max: 8_000 }),
    }),
    fc.record({ kind: fc.constant('fault' as const), fault }),
    fc.record({ kind: fc.constant('run' as const), killAt: fc.constantFrom(undefined, undefined, ...POINTS) }),
    fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 5, 20) }),
    fc.record({ kind: fc.constant('arrive' as const) }),
    fc.record({ kind: fc.constant('price' as const), btc: fc.integer({ min: 60_000, max: 70_000 }) }),
    fc.record({ kind: fc.constant('down' as const), down: fc.boolean() }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), async (acts) => {
      await emptyTables(db)
      world = await createHedgeWorld(db, { leastUsdt: '50', mostUsdt: '20000', mostUsdtPerHour: '10000000' })
      for (const one of acts) {
        if (one.kind === 'sell') {
          const [spend, target] = one.pair as [string, string]
          const amount = { BTC: one.usdt / 65_000, ETH: one.usdt / 2_500, USDT: one.usdt, KZT: one.usdt * 500 }[target]!
          await world.sell(spend, target, amount.toFixed(target === 'KZT' ? 2 : 4))
        } else if (one.kind === 'fault') world.venue.faults.push(one.fault)
        else if (one.kind === 'run') {
          world.killAt = one.killAt
          await world.place()
          await world.ask()
          world.killAt = undefined
        } else if (one.kind === 'pass') await world.pass(one.seconds)
        else if (one.kind === 'arrive') world.venue.arrive()
        else if (one.kind === 'price') world.price('BTC', BigInt(one.btc) * E18)
        else world.venue.down = one.down
        const { drift: _, ...now } = (await world.sound().catch(() => SOUND)) as typeof SOUND & { drift?: unknown }
        expect(now).toEqual(SOUND)
      }
      world.venue.down = false
      world.venue.faults = []
      await world.pass(30)
      for (let i = 0; i < 12; i += 1) {
        world.now += 60_000
        await world.ask()
        await world.place()
      }
      expect(await listOpenOrders(db)).toEqual([])
      expect(await world.sound()).toEqual({ ...SOUND, drift: [] })
      for (const { asset, exposureUsdt } of await readPositions(db, catalogue, readPolicy({}), world.usdtMarkets))
        if (asset !== 'USDT') expect([asset, Math.abs(Number(exposureUsdt)) < 50e18]).toEqual([asset, true])
    }),
    { endOnFailure: true, numRuns: cases(8) },
  )
})
