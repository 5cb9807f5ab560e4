import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { undone } from '../../adapters/chains/simulated/transaction.ts'
import { countCosts } from '../costs/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createWorld, type World } from '../../pay-in/deposits/test-world.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { auditLedger, balancesOf, PLATFORM } from '../../ledger/postings/index.ts'
import { nextWaiting } from '../../pay-out/withdrawals/store.ts'
import { liftStop, listStops } from '../../ledger/stops/index.ts'
import { driftsOf } from '../../ledger/address-balances/index.ts'
import { createReconcileJob, listRounds, reconcileFully, reconcileNetwork } from './index.ts'
import { CHAIN, catalogue, createTreasury, E18, USDT, type Treasury } from './test-treasury.ts'

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

/** What every balance is wrong by, by address, in chain units. */
const lieAbout = (wrong: ReadonlyMap<string, bigint>, asset: string | null = null): { asked: string[] } => {
  const notified = { asked: [] as string[] }
  const { adapter } = here
  const truth = adapter.balancesAt.bind(adapter)
  adapter.balancesAt = async (height, wanted) => {
    notified.asked.push(...wanted.map(({ address, contract }) => `${address}/${contract}`))
    return (await truth(height, wanted)).map(
      (units, i) => units + (wanted[i]!.contract === asset ? (wrong.get(wanted[i]!.address) ?? 0n) : 0n),
    )
  }
  return notified
}
const round = async () => (await reconcileNetwork(here.runtime, catalogue, here.adapter))!
const runJob = () => createReconcileJob(here.runtime, catalogue, [here.adapter], 1).run(new AbortController().signal)
const lineOf = (lines: Awaited<ReturnType<typeof round>>['lines'], ticker: string) =>
  lines.find((line) => line.ticker === ticker)!
const openAlerts = async (): Promise<{ kind: string; text: string }[]> =>
  (
    await sql<{
      kind: string
      text: string
    }>`select kind, text from alerts where resolved_at is null order by kind, subject`.execute(world.db)
  ).rows

/** A merchant with 5 ETH at their address, the hot wallet with 3, and 1 of it paid out. */
const someBusiness = async () => {
  const owner = await here.owner()
  here.chain.pay([{ to: owner.address, units: 5n * E18 }])
  here.chain.pay([{ to: here.hot, units: 3n * E18 }])
  here.chain.mine(10)
  await here.catchUp()
  await here.withdraw(owner.merchantId, E18)
  here.chain.mine(10)
  await here.catchUp()
  return owner
}

describe('books and chain agree', () => {
  test('by total and by address, at the height the watcher has read to; only what moved is asked about again', async () => {
    const owner = await someBusiness()
    const notified = lieAbout(new Map())
    const first = await round()
    const [eth] = [lineOf(first.lines, 'ETH')]
    expect(eth).toMatchObject({
      height: here.chain.head.height,
      hash: here.chain.head.hash,
      booked: eth.onChain,
      short: 0n,
      surplus: 0n,
    })
    expect(eth.booked).toBe(7n * E18 - 21_000n * 5_000_000_000n)
    expect(notified.asked).toContain(`${owner.address}/null`)
    notified.asked.length = 0
    await round()
    expect(new Set(notified.asked)).toEqual(new Set([`${here.hot}/null`, `${here.hot}/${USDT}`]))
    const [stored] = (await listRounds(world.db)).filter(({ ticker }) => ticker === 'ETH')
    expect(stored).toMatchObject({
      network: 'ETHEREUM',
      height: here.chain.head.height,
      booked: eth.booked,
      onChain: eth.booked,
    })
  })

  test('a deposit that waits for its confirmations is on the chain and in the records, and in the books when it is credited', async () => {
    const owner = await here.owner()
    here.chain.pay([{ to: owner.address, units: E18 }])
    here.chain.mine()
    await here.catchUp()
    expect(await world.balance(owner.merchantId, 'ETH')).toBe(0n)
    expect(lineOf((await round()).lines, 'ETH')).toMatchObject({ booked: E18, onChain: E18, short: 0n, surplus: 0n })
  })

  test('a transaction without effect costs only its fee', async () => {
    const owner = await someBusiness()
    const failed = await here.withdraw(owner.merchantId, E18)
    here.chain.take(undone([...here.chain.pool.values()][0]!))
    here.chain.mine(3)
    await here.catchUp()
    const { rows } = await sql<{ succeeded: boolean }>`select succeeded from outgoing where id = ${failed}`.execute(
      world.db,
    )
    expect(rows).toEqual([{ succeeded: false }])
    expect(lineOf((await round()).lines, 'ETH')).toMatchObject({ short: 0n, surplus: 0n })
  })

  test('blocks that are lost take back what they brought and took, and other blocks bring it again', async () => {
    const owner = await someBusiness()
    here.chain.pay([
      { to: owner.address, units: E18 },
      { to: here.hot, units: E18 },
    ])
    await here.withdraw(owner.merchantId, E18)
    here.chain.mine()
    await here.catchUp()
    const hashes = here.chain.head.transactions.map(({ hash }) => hash)
    expect(hashes).toHaveLength(2)
    const before = lineOf((await round()).lines, 'ETH')
    here.chain.reorganise(1, { returned: hashes })
    await here.catchUp()
    const lost = lineOf((await round()).lines, 'ETH')
    expect(lost).toMatchObject({ booked: lost.onChain, short: 0n, surplus: 0n })
    expect(lost.onChain).not.toBe(before.onChain)
    here.chain.mine()
    await here.catchUp()
    expect(lineOf((await round()).lines, 'ETH')).toMatchObject({
      booked: before.booked,
      onChain: before.onChain,
      short: 0n,
      surplus: 0n,
    })
  })

  const deed = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('deposit' as const),
        token: fc.boolean(),
        who: fc.nat({ max: 2 }),
        thousandths: fc.integer({ min: 1, max: 9_000 }),
        fails: fc.nat({ max: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('withdraw' as const), thousandths: fc.integer({ min: 1, max: 500 }) }),
    },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 4 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('reorganise' as const),
        depth: fc.integer({ min: 1, max: 5 }),
        picked: fc.nat({ max: 15 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('mine and catch up' as const) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('reconcile' as const) }) },
  )

  test('whatever happens: deposits, payouts, reorganisations, at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 30 }), async (deeds) => {
        here = await createTreasury(world, createSimulatedChain(CHAIN))
        const { chain, hot } = here
        const owners = [await here.owner(), await here.owner()]
        chain.pay([
          { to: hot, units: 50n * E18 },
          { to: owners[0]!.address, units: 40n * E18 },
        ])
        chain.mine(8)
        await here.catchUp()
        for (const one of deeds) {
          if (one.do === 'deposit') {
            const to = [...owners.map(({ address }) => address), hot][one.who]!
            const units = (BigInt(one.thousandths) * (one.token ? 10n ** 6n : E18)) / 1_000n
            chain.pay([{ to, units, contract: one.token ? USDT : null }], { fails: one.fails === 0 })
          } else if (one.do === 'withdraw') {
            // A reorganisation may leave the account's earlier payments waiting: the next one then is refused by the
            // node.
            await here.withdraw(owners[0]!.merchantId, (BigInt(one.thousandths) * E18) / 1_000n).catch(() => undefined)
          } else if (one.do === 'mine') chain.mine(one.blocks)
          else if (one.do === 'mine and catch up') {
            chain.mine()
            await here.catchUp()
          } else if (one.do === 'reorganise') {
            const hashes = chain.blocks
              .slice(-one.depth)
              .flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
            chain.reorganise(one.depth, { returned: hashes.filter((_, i) => (one.picked >> (i % 4)) & 1) })
          } else if (one.do === 'look') await here.follower.step()
          else {
            const found = await reconcileNetwork(here.runtime, catalogue, here.adapter)
            for (const line of found?.lines ?? [])
              expect(line).toMatchObject({ onChain: line.booked, short: 0n, surplus: 0n })
          }
        }
        await here.catchUp()
        const { lines, left } = await round()
        expect(left).toBe(0)
        for (const line of lines) expect(line).toMatchObject({ onChain: line.booked, short: 0n, surplus: 0n })
        expect(await auditLedger(world.db)).toEqual([])
        await inTransaction(world.db, countCosts)
        const uncounted =
          await sql`select merchant_id, -posted as units from ledger_accounts where kind = 'network-costs'
          except select merchant_id, sum(units) from network_costs group by merchant_id`.execute(world.db)
        expect(uncounted.rows).toEqual([])
      }),
      { endOnFailure: true, numRuns: cases(25) },
    )
  })
})

describe('a shortage', () => {
  test('freezes withdrawals of that asset only, alerts, and names the address and the difference', async () => {
    const owner = await someBusiness()
    lieAbout(new Map([[owner.address, -(2n * E18) / 10n]]))
    await runJob()
    const freezes = await listStops(world.db)
    expect(freezes).toMatchObject([{ asset: 'ETH', merchantId: null, reason: 'custody on ETHEREUM is short' }])
    const [alert] = await openAlerts()
    expect(alert!.kind).toBe('custody-shortage')
    expect(alert!.text).toContain('ETH on ETHEREUM is short by 0.2 ')
    expect(alert!.text).toContain(`${owner.address} holds 4.8, not 5 (-0.2)`)
    expect(alert!.text).toContain(`at block ${here.chain.head.height}`)
    expect(await driftsOf(world.db, 'ETHEREUM', 'ETH', 9)).toMatchObject([
      { address: owner.address, booked: 5n * E18, difference: -(2n * E18) / 10n },
    ])
    await here.waits(owner.merchantId, 'ETH')
    await here.waits(owner.merchantId, 'USDT')
    const going = await nextWaiting(world.db, 'ETHEREUM', 'onChain', new Date(world.now), 10)
    expect(going.map(({ ticker }) => ticker)).toEqual(['USDT'])
  })

  test('is not made up for by what another address has too much', async () => {
    const owner = await someBusiness()
    lieAbout(
      new Map([
        [owner.address, -5n],
        [here.hot, 5n],
      ]),
    )
    await runJob()
    expect(await listStops(world.db)).toHaveLength(1)
    expect((await openAlerts()).map(({ kind }) => kind)).toEqual(['custody-shortage', 'custody-surplus'])
  })

  test('that is over resolves its alert, and leaves the freeze to the operator', async () => {
    const owner = await someBusiness()
    const wrong = new Map([[owner.address, -1n]])
    lieAbout(wrong)
    await runJob()
    wrong.clear()
    await runJob()
    expect(await openAlerts()).toEqual([])
    const [freeze] = await listStops(world.db)
    expect(await liftStop(world.db, freeze!.id, { actor: 'a test', reason: null }, new Date(world.now))).toBe(true)
    await runJob()
    expect(await listStops(world.db)).toEqual([])
  })

  test('that the records of addresses do not show is reported as such: the ledger says more than they do', async () => {
    await someBusiness()
    await round()
    await sql`update custody_addresses set booked = booked - 9, touched = false where address = ${here.hot} and asset = 'ETH'`.execute(
      world.db,
    )
    lieAbout(new Map([[here.hot, -9n]]))
    await runJob()
    expect((await openAlerts())[0]!.text).toContain(
      'every address holds what its record says, so ledger and records differ',
    )
    expect(await listStops(world.db)).toHaveLength(1)
  })

  test('stays in force and is reported anew when it changes, not every time it is seen', async () => {
    const owner = await someBusiness()
    const wrong = new Map([[owner.address, -1n]])
    lieAbout(wrong)
    await runJob()
    await runJob()
    const count = async () => (await sql<{ n: number }>`select count(*) as n from alerts`.execute(world.db)).rows[0]!.n
    expect(await count()).toBe(1)
    wrong.set(here.hot, -7n)
    await runJob()
    expect(await count()).toBe(2)
    expect(await openAlerts()).toHaveLength(1)
    expect(await listStops(world.db)).toHaveLength(1)
  })
})

describe('a surplus', () => {
  const suspense = async () =>
    (await balancesOf(world.db, 'suspense', [{ merchantId: PLATFORM, asset: 'ETH' }]))[0]!.posted

  test('alerts and freezes nothing; when it has stood for an hour it is booked to suspense, and the chain agrees', async () => {
    const owner = await someBusiness()
    lieAbout(new Map([[owner.address, 77n]]))
    await runJob()
    expect(await listStops(world.db)).toEqual([])
    expect((await openAlerts()).map(({ kind }) => kind)).toEqual(['custody-surplus'])
    expect(await suspense()).toBe(0n)
    here.later(HOUR)
    await runJob()
    expect(await suspense()).toBe(77n)
    await runJob()
    expect((await openAlerts()).map(({ kind, text }) => `${kind} ${text.slice(0, 27)}`)).toEqual([
      'custody-suspended 0.000000000000000077 ETH on',
    ])
    expect(lineOf((await round()).lines, 'ETH')).toMatchObject({ short: 0n, surplus: 0n })
    expect(await auditLedger(world.db)).toEqual([])
  })

  test('that a deposit explains later leaves suspense for it, without a shortage', async () => {
    const owner = await someBusiness()
    // The node shows no inner call: the block brings nothing, the balance does.
    here.chain.pay([{ to: owner.address, units: E18, inner: true }])
    const blocks = here.adapter.blockAt.bind(here.adapter)
    const { adapter } = here
    adapter.blockAt = async (height) => {
      const block = await blocks(height)
      return (
        block && {
          ...block,
          transactions: block.transactions.map((t) => ({
            ...t,
            transfers: t.transfers.filter(({ index }) => !index.startsWith('t:')),
          })),
        }
      )
    }
    here.chain.mine(10)
    await here.catchUp()
    await runJob()
    here.later(HOUR)
    await runJob()
    expect(await suspense()).toBe(E18)
    const held = {
      owner: {
        merchantId: owner.merchantId,
        addressId: owner.addressId,
        address: owner.address,
        index: 0,
        meta: null,
        leasedUntil: null,
      },
      units: 6n * E18,
    }
    const { height, hash } = here.chain.blocks.at(-7)!
    await world.act(
      async (tx, moment) =>
        (await world.deposits.explainBalances(tx, 'ETHEREUM', { height, hash }, [held], moment)) ?? noEffects,
    )
    here.chain.mine()
    await here.catchUp()
    await runJob()
    expect(await suspense()).toBe(0n)
    expect(await listStops(world.db)).toEqual([])
    expect(await openAlerts()).toEqual([])
    expect(lineOf((await round()).lines, 'ETH')).toMatchObject({ short: 0n, surplus: 0n })
  })
})

describe('which addresses are asked about', () => {
  test('idle ones again after a week, a few at a time; all of them when asked for', async () => {
    const owner = await someBusiness()
    const notified = lieAbout(new Map())
    await round()
    here.later(8 * 24 * HOUR)
    notified.asked.length = 0
    await round()
    expect(notified.asked).toContain(`${owner.address}/null`)
    notified.asked.length = 0
    await reconcileFully(here.runtime, catalogue, here.adapter, () => {})
    expect(new Set(notified.asked)).toEqual(
      new Set([owner.address, here.hot].flatMap((address) => [`${address}/null`, `${address}/${USDT}`])),
    )
  })

  test('theft from an idle address is found when its turn comes, and in full at once', async () => {
    const owner = await someBusiness()
    await round()
    lieAbout(new Map([[owner.address, -E18]]))
    expect(lineOf((await round()).lines, 'ETH').short).toBe(0n)
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

  test('a hundred thousand idle addresses are not asked about', async () => {
    await sql`insert into custody_addresses(network, asset, address, booked, touched, compared_height, compared_at)
      select 'ETHEREUM', 'ETH', '0x' || i, 1, false, 1, ${new Date(world.now)} from generate_series(1, 100000) i`.execute(
      world.db,
    )
    await sql`analyze custody_addresses`.execute(world.db)
    const owner = await here.owner()
    here.chain.pay([{ to: owner.address, units: E18 }])
    here.chain.mine()
    await here.catchUp()
    const notified = lieAbout(new Map())
    const { compared } = await round()
    await sql`delete from custody_addresses where address like '0x%' and booked = 1`.execute(world.db)
    expect(compared).toBe(3)
    expect(new Set(notified.asked)).toContain(`${owner.address}/null`)
  })
})

test('nothing is concluded while node and watcher stand on different branches, or the network is unread', async () => {
  await someBusiness()
  here.chain.reorganise(2)
  expect(await reconcileNetwork(here.runtime, catalogue, here.adapter)).toBeUndefined()
  await sql`delete from watch_cursors`.execute(world.db)
  expect(await reconcileNetwork(here.runtime, catalogue, here.adapter)).toBeUndefined()
})

test('audit O-3.4: a shortage that a second reading does not show stops nothing', async () => {
  const owner = await someBusiness()
  // What anvil 1.7.1 answers under load, once in 39 blocks, for its newest block by hash: the balance after
  // transactions of the next one.
  const truly = here.adapter.balancesAt.bind(here.adapter)
  let readings = 0
  here.adapter.balancesAt = async (height, wanted) => {
    readings += 1
    const units = await truly(height, wanted)
    return readings > 1
      ? units
      : units.map((held, i) =>
          wanted[i]!.address === owner.address && wanted[i]!.contract === null ? held - 1n : held,
        )
  }
  await runJob()
  expect(await listStops(world.db)).toEqual([])
  expect(await openAlerts()).toEqual([])
  expect(readings).toBe(2)
})

test('audit O-3.4: a shortage stands when no second reading can be had', async () => {
  const owner = await someBusiness()
  lieAbout(new Map([[owner.address, -1n]]))
  const lying = here.adapter.balancesAt
  let readings = 0
  here.adapter.balancesAt = async (height, wanted) => {
    readings += 1
    if (readings > 1) throw new Error('no answer')
    return lying(height, wanted)
  }
  await runJob()
  expect(await listStops(world.db)).toHaveLength(1)
})

test('audit M-C6: a network whose node is slow does not keep others waiting', async () => {
  const owner = await someBusiness()
  lieAbout(new Map([[owner.address, -1n]]))
  let answer: (hash: string) => void = () => {}
  const slow = {
    ...here.adapter,
    network: 'BINANCE_SMART_CHAIN' as const,
    hashAt: () => new Promise<string>((resolve) => (answer = resolve)),
  }
  await sql`insert into watch_cursors values ('BINANCE_SMART_CHAIN', 1, 'x', 1, 1, 1, true, ${new Date(world.now)})`.execute(
    world.db,
  )
  await sql`insert into custody_addresses(network, asset, address, booked) values ('BINANCE_SMART_CHAIN', 'USDT', 'anybody', 1)`.execute(
    world.db,
  )
  const running = createReconcileJob(here.runtime, catalogue, [slow, here.adapter], 1).run(new AbortController().signal)
  await expect.poll(() => listStops(world.db)).toHaveLength(1)
  answer('another block')
  await running
})

test('a node that fails does not keep other networks waiting', async () => {
  const owner = await someBusiness()
  lieAbout(new Map([[owner.address, -1n]]))
  const broken = {
    ...here.adapter,
    network: 'BINANCE_SMART_CHAIN' as const,
    hashAt: () => Promise.reject(new Error('no answer')),
  }
  await sql`insert into watch_cursors values ('BINANCE_SMART_CHAIN', 1, 'x', 1, 1, 1, true, ${new Date(world.now)})`.execute(
    world.db,
  )
  await createReconcileJob(here.runtime, catalogue, [broken, here.adapter], 1).run(new AbortController().signal)
  expect(await listStops(world.db)).toHaveLength(1)
})
