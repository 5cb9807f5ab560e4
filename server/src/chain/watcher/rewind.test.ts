/** A network whose node has no block in common with what was read: an operator sets it back. */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { follow, readAll } from '../../../../test/world/watcher.ts'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { createBalanceCheckJob } from '../../pay-in/deposits/index.ts'
import { catalogue, useDeposits, DAY, E18, pay, type Owned } from '../../../../test/world/deposits.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { createFunding } from '../../treasury/reconciliation/index.ts'
import {
  ForkTooDeep,
  LeadershipLost,
  newestInCommon,
  planRewind,
  rescan,
  rewind,
  type Follower,
  type RewindDeps,
} from './index.ts'
import { createTestChain, type TestChain } from './test-chain.ts'

const world = useDeposits()
let chain: TestChain
let owned: Owned
let deps: RewindDeps & { adapter: ChainAdapter }

beforeEach(async () => {
  chain = createTestChain('ETHEREUM', { finalDepth: 2, timeAt: () => world.now })
  owned = await world.address('ETHEREUM')
  deps = {
    runtime: world.runtime,
    network: 'ETHEREUM',
    adapter: chain as unknown as ChainAdapter,
    subscribers: [createFunding(catalogue), world.deposits],
  }
})

const begin = (ringBlocks = 1): Promise<Follower> =>
  follow(deps.runtime, deps.adapter, deps.subscribers, { ringBlocks })
const payment = (hash: string) => pay(owned.address, E18, { hash, index: 'n', keys: [`${hash}:in`] })

/** Blocks 1 to 8 with a payment in 2 and one in 5; then all from 4 on are others, with the second payment in 6. */
const lostDeep = async (): Promise<Follower> => {
  const follower = await begin()
  for (let height = 1; height <= 8; height += 1)
    chain.mine(height === 2 ? [payment('early')] : height === 5 ? [payment('late')] : [])
  await readAll(follower)
  chain.reorganise(5, [[], [], [payment('late')], [], [], [], []])
  await expect(follower.step()).rejects.toThrow(ForkTooDeep)
  return follower
}

test('audit M-D2: goes back to a block in common, and deposits read again from there are credited and notified once', async () => {
  await lostDeep()
  const common = await newestInCommon(world.db, deps.adapter, 'ETHEREUM')
  expect(common).toEqual({ height: 2, hash: chain.blocks[2]!.hash })
  const plan = await planRewind(deps, 2)
  expect(plan).toMatchObject({
    cursor: { height: 8, finalHeight: 6 },
    to: common,
    outgoing: 0,
    deposits: [{ asset: 'ETH', count: 1, booked: E18 }],
  })
  await rewind(deps, plan.to)
  expect(await world.balance(owned.merchantId, 'ETH')).toBe((E18 * 99n) / 100n)
  await readAll(await begin())
  expect(await world.balance(owned.merchantId, 'ETH')).toBe((2n * E18 * 99n) / 100n)
  expect(await world.statuses()).toEqual(['Pending', 'Pending', 'Done', 'Done'])
  expect(await auditLedger(world.db)).toEqual([])
})

test('audit M-D2: below a final block, all payments on the network stop', async () => {
  await lostDeep()
  await rewind(deps, { height: 2, hash: chain.blocks[2]!.hash })
  const { rows } = await sql`select asset, merchant_id, network from freezes where lifted_at is null`.execute(world.db)
  expect(rows).toEqual([{ asset: null, merchant_id: null, network: 'ETHEREUM' }])
  const alerts = await sql<{ kind: string }>`select kind from alerts where resolved_at is null order by kind`.execute(
    world.db,
  )
  expect(alerts.rows.map(({ kind }) => kind)).toContain('finality-broken')
})

test('audit M-D2: a watcher that led before writes nothing any more', async () => {
  const follower = await begin()
  for (let height = 1; height <= 8; height += 1) chain.mine()
  await readAll(follower)
  await rewind(deps, { height: 4, hash: chain.blocks[4]!.hash })
  chain.mine()
  await expect(readAll(follower)).rejects.toThrow(LeadershipLost)
  await readAll(await begin())
})

test('audit M-D2: refuses a block that is not below the read blocks, and one that the node does not have', async () => {
  await expect(planRewind(deps, 1)).rejects.toThrow('has not been read yet')
  await readAll(await begin())
  await expect(planRewind(deps, 1)).rejects.toThrow('a rewind goes to a block below it')
  chain.mine()
  await readAll(await begin())
  chain.blocks.length = 0
  await expect(planRewind(deps, 0)).rejects.toThrow('has no block 0')
})

/** Holds the open rotating addresses against what the node says they hold at the final block; they all hold as much. */
const checkBalances = (units: bigint): Promise<unknown> => {
  const adapter = {
    capabilities: async () => ({ mempool: false, traces: false }),
    hashAt: chain.hashAt,
    balancesAt: async (_height: number, wanted: readonly unknown[]) => wanted.map(() => units),
  }
  return createBalanceCheckJob({
    runtime: deps.runtime,
    network: 'ETHEREUM',
    adapter,
    deposits: world.deposits,
    everyMs: 1,
  }).run(new AbortController().signal)
}

test('audit M-A2 M-D2: until blocks are read again, the amount that a final payment took is not found as a deposit', async () => {
  owned = await world.address('ETHEREUM', { untilMs: world.now + DAY, afterMs: DAY })
  const follower = await begin(50)
  for (let height = 1; height <= 8; height += 1) chain.mine(height === 2 ? [payment('early')] : [])
  await readAll(follower)
  // A payment of ours from the address, in block 5, stays posted: its transaction is final.
  await world.act(async () => ({
    ...noEffects,
    moves: [{ network: 'ETHEREUM', asset: 'ETH', address: owned.address, units: -E18, height: 5 }],
  }))
  chain.reorganise(5, [[], [], []])
  await rewind(deps, { height: 2, hash: chain.blocks[2]!.hash })
  await readAll(await begin(50))
  await checkBalances(E18)
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
  for (let more = 0; more < 5; more += 1) chain.mine()
  await readAll(await begin(50))
  await checkBalances(E18 / 2n)
  await readAll(await begin(50))
  expect(await world.statuses()).toEqual(['Pending', 'Done', 'Pending'])
})

test('audit M-D2: a deposit found by balance comes back under its own id, also when its address has ended meanwhile', async () => {
  owned = await world.address('ETHEREUM', { untilMs: world.now + DAY, afterMs: DAY })
  const follower = await begin(50)
  for (let height = 1; height <= 8; height += 1) chain.mine()
  await readAll(follower)
  await checkBalances(E18)
  chain.mine()
  await readAll(follower)
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
  await rewind(deps, { height: 2, hash: chain.blocks[2]!.hash })
  expect(await world.balance(owned.merchantId, 'ETH')).toBe(0n)
  world.now += 3 * DAY
  for (let more = 0; more < 5; more += 1) chain.mine()
  await readAll(await begin(50))
  await checkBalances(E18)
  chain.mine()
  await readAll(await begin(50))
  expect(await world.balance(owned.merchantId, 'ETH')).toBe((E18 * 99n) / 100n)
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
  await checkBalances(E18)
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
  expect(await auditLedger(world.db)).toEqual([])
})

test('audit M-A4: blocks are read again only from a node that has the final block of the books, however old they are', async () => {
  const follower = await begin(3)
  for (let height = 1; height <= 9; height += 1) chain.mine()
  await readAll(follower)
  const other = createTestChain('ETHEREUM', { finalDepth: 2, timeAt: () => world.now })
  other.reorganise(1, [[]])
  for (let height = 1; height <= 9; height += 1) other.mine(height === 2 ? [payment('of another chain')] : [])
  await expect(rescan({ ...deps, adapter: other as unknown as ChainAdapter }, 2, 2)).rejects.toThrow(ChainUnavailable)
  expect(await world.statuses()).toEqual([])
  other.blocks.length = 4
  await expect(rescan({ ...deps, adapter: other as unknown as ChainAdapter }, 2, 2)).rejects.toThrow(ChainUnavailable)
  expect(await world.statuses()).toEqual([])
  expect(await rescan(deps, 2, 3)).toBe(2)
})
