/** Bitcoin payouts that are not mined: when they are replaced, at what cost, and when they are left alone. */
import { isRefused } from '@bursar/chainkit'
import { feeAt, outpointOf, parseTransaction } from '@bursar/chainkit/bitcoin'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import type { BroadcastResult } from '../../adapters/chains/port.ts'
import { createPayoutWorld, policyWith, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const COIN = 5_000_000n
const HALF_AN_HOUR = 30 * 60_000
const NO_DESCENDANTS = { count: 0, vsize: 0, fee: 0n }

interface Entry {
  inputs: string[]
  vsize: number
  fee: bigint
  /** transactions of others that spend its outputs */
  descendants: { count: number; vsize: number; fee: bigint }
}

/**
 * The pool of a node: refuses by BIP 125 rules 3 to 5 and by its least rate, in the words of Bitcoin Core 29
 * (policy/rbf.cpp and validation.cpp), as Bitcoin Knots 29.4.3 was seen to.
 */
const openPool = () => {
  const pool = new Map<string, Entry>()
  const node = {
    least: 1_000n,
    handed: [] as string[],
    sole: (): Entry => [...pool.values()][0]!,
    hashes: () => [...pool.keys()],
    evict: () => pool.clear(),
  }
  world.node.broadcast = (raw): BroadcastResult => {
    const parsed = parseTransaction(Buffer.from(raw, 'hex'))
    if (isRefused(parsed)) throw new Error(parsed.message)
    const { txid, vsize, outputs } = parsed
    if (pool.has(txid)) return { kind: 'accepted' }
    node.handed.push(txid)
    const fee = BigInt(parsed.inputs.length) * COIN - outputs.reduce((sum, { units }) => sum + units, 0n)
    if (fee < feeAt(node.least, vsize))
      return {
        kind: 'refused',
        reason: 'fee-too-low',
        message: `mempool min fee not met, ${fee} < ${feeAt(node.least, vsize)}`,
      }
    const inputs = parsed.inputs.map(outpointOf)
    const evicted = [...pool].filter(([, entry]) => entry.inputs.some((input) => inputs.includes(input)))
    const count = evicted.reduce((sum, [, entry]) => sum + 1 + entry.descendants.count, 0)
    if (count > 100)
      return {
        kind: 'refused',
        reason: 'later',
        message: `too many potential replacements, rejecting replacement ${txid}`,
      }
    const paid = evicted.reduce((sum, [, entry]) => sum + entry.fee + entry.descendants.fee, 0n)
    if (evicted.length > 0 && fee < paid + feeAt(1_000n, vsize)) {
      return {
        kind: 'refused',
        reason: 'fee-too-low',
        message: `insufficient fee, rejecting replacement ${txid}, less fees than conflicting txs`,
      }
    }
    for (const [hash] of evicted) pool.delete(hash)
    pool.set(txid, { inputs, vsize, fee, descendants: NO_DESCENDANTS })
    return { kind: 'accepted' }
  }
  world.node.poolCost = (hash) => {
    const entry = pool.get(hash)
    if (!entry) return null
    const { vsize, fee, descendants } = entry
    const both = { vsize: vsize + descendants.vsize, fee: fee + descendants.fee }
    const isPaidFor = both.fee * BigInt(vsize) > fee * BigInt(both.vsize)
    return {
      vsize,
      fee,
      ancestors: { vsize: 0, fee: 0n },
      descendants,
      package: isPaidFor ? both : { vsize, fee },
    }
  }
  return node
}
/** The signer's cap of fees is not the subject of these tests. */
const dear = (): object => {
  const policy = policyWith({}) as { networks: { BITCOIN: { fee: object } } }
  const { BITCOIN } = policy.networks
  const fee = {
    ...BITCOIN.fee,
    maxUnits: '1000000',
    maxMilliSatPerVb: '10000000',
    maxPerHour: '100000000',
    maxPerDay: '100000000',
  }
  return { ...policy, networks: { ...policy.networks, BITCOIN: { ...BITCOIN, fee } } }
}
const openWorld = async (): Promise<PayoutWorld> =>
  (world = await createPayoutWorld(database.url, { network: 'BITCOIN', policy: dear() }))
const open = async (units = 1_000_000n) => {
  await openWorld()
  const pool = openPool()
  await world.coins(3, COIN)
  await world.request(units)
  await world.work()
  return pool
}
const attempts = async (): Promise<bigint[]> =>
  (
    await sql<{ fee: bigint }>`select network_fee as fee from outgoing_attempts order by attempt`.execute(world.db)
  ).rows.map(({ fee }) => fee)

test('audit D-B3: a payout with the fee rate of the node is not replaced because blocks are slow', async () => {
  await open()
  await world.work(4, HALF_AN_HOUR)
  expect(await attempts()).toHaveLength(1)
})

test('audit D-B3: a payout that pays less than the node asks is replaced, once', async () => {
  const pool = await open()
  world.node.rate = 20_000n
  await world.work(4, HALF_AN_HOUR)
  expect(await attempts()).toHaveLength(2)
  expect(pool.sole().fee).toBeGreaterThanOrEqual(feeAt(20_000n, pool.sole().vsize))
})

test('audit D-B3, row B-2: a payout whose receiver pays for it is not replaced', async () => {
  const pool = await open()
  pool.sole().descendants = { count: 1, vsize: 110, fee: 20_000n }
  world.node.rate = 20_000n
  await world.work(60, HALF_AN_HOUR)
  expect(await attempts()).toHaveLength(1)
})

test('audit D-B3, row B-2: a replacement pays for the descendants that its receiver made, in one attempt', async () => {
  const pool = await open()
  pool.sole().descendants = { count: 1, vsize: 20_000, fee: 22_000n }
  world.node.rate = 20_000n
  const before = pool.sole().fee
  await world.work(10, HALF_AN_HOUR)
  expect([pool.hashes(), await attempts()]).toEqual([pool.handed.slice(1), [before, pool.sole().fee]])
  expect(pool.sole().fee).toBeGreaterThan(before + 22_000n)
})

test('audit D-B3, row B-2: a child pays when it costs less than the transactions that a replacement evicts', async () => {
  const pool = await open()
  pool.sole().descendants = { count: 1, vsize: 100_000, fee: 110_000n }
  world.node.rate = 20_000n
  const asked: (bigint | undefined)[] = []
  world.node.payForParent = (_hash, _rate, below) => (asked.push(below), true)
  await world.work(1, HALF_AN_HOUR)
  expect(await attempts()).toHaveLength(1)
  expect(asked).toEqual([expect.toSatisfy((below: bigint) => below > 110_000n && below < 115_000n)])
})

test('audit D-B3, row B-4: above the number of transactions that nodes evict, only a child pays', async () => {
  const pool = await open()
  pool.sole().descendants = { count: 100, vsize: 11_000, fee: 11_000n }
  world.node.rate = 20_000n
  const asked: (bigint | undefined)[] = []
  world.node.payForParent = (_hash, _rate, below) => (asked.push(below), false)
  await world.work(3, HALF_AN_HOUR)
  expect([(await attempts()).length, asked, await world.alerts()]).toMatchObject([
    1,
    [undefined, undefined, undefined],
    [{ kind: 'stuck' }],
  ])
})

test('audit D-B3, row B-3: a replacement that the node refuses for its fee leads to no further one before the payout is stuck again', async () => {
  const pool = await open()
  world.node.rate = 20_000n
  const { broadcast } = world.node
  // The receiver spends the payout in the moment before the replacement arrives.
  world.node.broadcast = (raw) => {
    if (pool.hashes().length === 1 && pool.sole().descendants.count === 0)
      pool.sole().descendants = { count: 1, vsize: 50_000, fee: 50_000n }
    return broadcast(raw)
  }
  await world.work(1, HALF_AN_HOUR)
  await world.work(60, 5_000)
  expect(await attempts()).toHaveLength(2)
  await world.work(2, HALF_AN_HOUR)
  expect(await attempts()).toHaveLength(3)
  expect(pool.sole().fee).toBeGreaterThan(50_000n)
})

test('audit D-B3: a payout below the least rate of the pool pays the rate of now, and no more', async () => {
  await openWorld()
  const pool = openPool()
  pool.least = 10_000n
  await world.coins(3, COIN)
  await world.request(1_000_000n)
  await world.work()
  expect(pool.hashes()).toEqual([])
  // The node asks for more than the cap on the rate allows.
  world.node.rate = 9_000n
  await world.work(60, 5_000)
  expect((await attempts()).length).toBe(2)
  expect(await world.alerts()).toEqual([])
  await world.work(1, HALF_AN_HOUR)
  expect(await world.alerts()).toMatchObject([
    { kind: 'broadcast', text: expect.stringContaining('mempool min fee not met') as string },
  ])
  world.node.rate = 12_000n
  await world.work(3, 60_000)
  expect([pool.hashes().length, (await attempts()).length]).toEqual([1, 3])
})

test('row B-23: a payout that a full pool evicted is replaced at the current fee rate', async () => {
  const pool = await open()
  // Bitcoin Core 29, txmempool.cpp TrimToSize: the cheapest leave, and the least rate rises above what they paid.
  pool.evict()
  pool.least = 10_000n
  world.node.rate = 20_000n
  await world.work(4, HALF_AN_HOUR)
  expect([pool.hashes().length, (await attempts()).length, await world.alerts()]).toEqual([1, 2, []])
})

// Bitcoin Core 31, doc/release-notes: with `-privatebroadcast` a transaction is sent to others
// and does not stay in the pool.
test('row B-28: a payout that the node sends privately and does not show is handed over again, and is one payout', async () => {
  await openWorld()
  await world.coins(3, COIN)
  const handed: string[] = []
  world.node.broadcast = (raw) => {
    const parsed = parseTransaction(Buffer.from(raw, 'hex'))
    if (isRefused(parsed)) throw new Error(parsed.message)
    handed.push(parsed.txid)
    return { kind: 'accepted' }
  }
  world.node.poolCost = () => null
  await world.request(1_000_000n)
  await world.work()
  await world.work(4, HALF_AN_HOUR)
  expect([new Set(handed).size, (await attempts()).length, await world.alerts()]).toEqual([1, 1, []])
  expect(handed.length).toBeGreaterThan(3)
})
