/** The addresses that a round reads, and those about which it concludes nothing. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { bookAt } from '../../../../test/world/custody.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { createWorld, type World } from '../../../../test/world/deposits.ts'
import { listStops } from '../../ledger/stops/index.ts'
import { createReconcileJob, reconcileFully, reconcileNetwork, type Round } from './index.ts'
import { CHAIN, catalogue, createTreasury, E18, USDT, type Treasury } from '../../../../test/world/treasury.ts'

const database = useDatabase({ template: migrated })
const HOUR = 3_600_000
let world: World
let here: Treasury

beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())
beforeEach(async () => {
  here = await createTreasury(world, createSimulatedChain(CHAIN))
})

const lineOf = (lines: Round['lines'], ticker: string) => lines.find((line) => line.ticker === ticker)!

describe('addresses that are queried', () => {
  test('idle ones again after a week, a few at a time; all of them when asked for', async () => {
    const owner = await here.someBusiness()
    const notified = here.lieAbout(new Map())
    await here.round()
    here.later(8 * 24 * HOUR)
    notified.asked.length = 0
    await here.round()
    expect(notified.asked).toContain(`${owner.address}/null`)
    notified.asked.length = 0
    await reconcileFully(here.runtime, catalogue, here.adapter, () => {})
    expect(new Set(notified.asked)).toEqual(
      new Set([owner.address, here.hot].flatMap((address) => [`${address}/null`, `${address}/${USDT}`])),
    )
  })

  test('theft from an idle address is found when its turn comes, and in full at once', async () => {
    const owner = await here.someBusiness()
    await here.round()
    here.lieAbout(new Map([[owner.address, -E18]]))
    expect(lineOf((await here.round()).lines, 'ETH').short).toBe(0n)
    const found = await reconcileFully(here.runtime, catalogue, here.adapter, () => {})
    expect(lineOf(found!.lines, 'ETH').short).toBe(E18)
  })

  test('more than fit a round wait for the next, and nothing is concluded about them meanwhile', async () => {
    for (let i = 0; i < 7; i += 1) here.chain.pay([{ to: (await here.owner()).address, units: E18 }])
    here.chain.mine()
    await here.catchUp()
    const limits = { mostTouched: 4, idleAfterMs: HOUR, mostIdle: 10 }
    const one = await reconcileNetwork(here.runtime, catalogue, here.adapter, limits)
    expect(one!.left).toBeGreaterThan(0)
    expect(lineOf(one!.lines, 'ETH')).toMatchObject({ short: 0n, surplus: 0n, booked: 7n * E18, onChain: 7n * E18 })
    let rounds = 0
    for (let left = one!.left; left > 0; rounds += 1)
      left = (await reconcileNetwork(here.runtime, catalogue, here.adapter, limits))!.left
    expect(rounds).toBeGreaterThan(0)
  })

  test('a hundred thousand idle addresses are not queried', async () => {
    // Raw: a hundred thousand addresses.
    await sql`insert into custody_addresses(network, asset, address, booked, touched, compared_height, compared_at)
      select 'ETHEREUM', 'ETH', '0x' || i, 1, false, 1, ${new Date(world.now)} from generate_series(1, 100000) i`.execute(
      world.db,
    )
    await sql`analyze custody_addresses`.execute(world.db)
    const owner = await here.owner()
    here.chain.pay([{ to: owner.address, units: E18 }])
    here.chain.mine()
    await here.catchUp()
    const notified = here.lieAbout(new Map())
    const { compared } = await here.round()
    await sql`delete from custody_addresses where address like '0x%' and booked = 1`.execute(world.db)
    expect(compared).toBe(3)
    expect(new Set(notified.asked)).toContain(`${owner.address}/null`)
  })
})

test('nothing is concluded while node and watcher stand on different branches, or the network is unread', async () => {
  await here.someBusiness()
  here.chain.reorganise(2)
  expect(await reconcileNetwork(here.runtime, catalogue, here.adapter)).toBeUndefined()
  await sql`delete from watch_cursors`.execute(world.db)
  expect(await reconcileNetwork(here.runtime, catalogue, here.adapter)).toBeUndefined()
})

test('audit M-C6: a network whose node is slow does not keep others waiting', async () => {
  const owner = await here.someBusiness()
  here.lieAbout(new Map([[owner.address, -1n]]))
  let answer: (hash: string) => void = () => {}
  const slow = {
    ...here.adapter,
    network: 'BINANCE_SMART_CHAIN' as const,
    hashAt: () => new Promise<string>((resolve) => (answer = resolve)),
  }
  await readEmptyBlocks(here.runtime, 'BINANCE_SMART_CHAIN', { height: 1 })
  await bookAt(world.db, { network: 'BINANCE_SMART_CHAIN', asset: 'USDT', address: 'anybody' }, 1n)
  const running = createReconcileJob(here.runtime, catalogue, [slow, here.adapter], 1).run(new AbortController().signal)
  await expect.poll(() => listStops(world.db)).toHaveLength(1)
  answer('another block')
  await running
})

test('a node that fails does not keep other networks waiting', async () => {
  const owner = await here.someBusiness()
  here.lieAbout(new Map([[owner.address, -1n]]))
  const broken = {
    ...here.adapter,
    network: 'BINANCE_SMART_CHAIN' as const,
    hashAt: () => Promise.reject(new Error('no answer')),
  }
  await readEmptyBlocks(here.runtime, 'BINANCE_SMART_CHAIN', { height: 1 })
  await createReconcileJob(here.runtime, catalogue, [broken, here.adapter], 1).run(new AbortController().signal)
  expect(await listStops(world.db)).toHaveLength(1)
})
