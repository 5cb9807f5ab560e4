/** Payments over a node whose pool is not to be relied on. */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { DEFAULT_POLICY } from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createPayoutWorld, HOT, paidLog, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { CARELESS_ESTIMATE, createTestPool, SLOTS, type TestPool } from './test-pool.ts'

const database = useDatabase({ template: migrated })
const UNITS = 1_000_000n
let world: PayoutWorld
let pool: TestPool

beforeEach(async () => {
  world = await createPayoutWorld(database.url)
  pool = createTestPool()
  world.node.broadcast = pool.broadcast
})
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const payments = async (count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) ids.push(await world.request(UNITS))
  await world.work()
  return ids
}
const attempts = async () =>
  (
    await sql<{
      hash: string
      nonce: number
      fee: bigint
    }>`select a.hash, o.nonce, a.network_fee as fee from outgoing_attempts a
    join outgoing o on o.id = a.outgoing_id where a.hash is not null order by o.nonce, a.attempt`.execute(world.db)
  ).rows
const mine = async (height: number, hashes: readonly string[]): Promise<void> => {
  const nonceOf = new Map((await attempts()).map(({ hash, nonce }) => [hash, nonce]))
  pool.mine(hashes)
  world.node.mined += hashes.length
  await world.block({
    height,
    transactions: hashes.map((hash) => ({
      hash,
      keys: [`${HOT}:${nonceOf.get(hash)}`],
      succeeded: true,
      fee: 1n,
      transfers: [paidLog(UNITS)],
    })),
  })
}

test('row E-50: transactions that a node has dropped are broadcast again, in the order of their nonces', async () => {
  await payments(3)
  const first = [...pool.handed]
  expect(first).toHaveLength(3)
  pool.forget()
  await world.work(1, DEFAULT_POLICY.rebroadcastEveryMs)
  expect(pool.handed.slice(3)).toEqual(first)
  expect([...pool.has]).toEqual((await attempts()).map(({ hash }) => hash))
})

test('row E-51: a transaction that a node forgets with its lost block is broadcast again, with the same bytes', async () => {
  const [id] = await payments(1)
  const { hash } = (await attempts())[0]!
  await mine(101, [hash])
  world.node.mined = 0
  await inTransaction(world.db, async (tx) =>
    carryOut(tx, await world.following.orphaned(tx, 'ETHEREUM', 101, momentOf(world.runtime)), momentOf(world.runtime)),
  )
  await world.work(1, DEFAULT_POLICY.rebroadcastEveryMs)
  expect(pool.handed).toEqual([pool.handed[0], pool.handed[0]])
  expect(pool.has.has(hash)).toBe(true)
  await mine(101, [hash])
  await world.block({ height: 102, transactions: [] }, 102)
  expect(await world.stateOf(id!)).toBe('settled')
})

test('row E-52: no more of one sender wait in the pool than its limit, and the others follow', async () => {
  await payments(SLOTS + 4)
  await world.work(3)
  expect([pool.has.size, pool.refused]).toEqual([SLOTS, 0])
  await mine(
    101,
    (await attempts()).slice(0, 3).map(({ hash }) => hash),
  )
  await world.work(2)
  expect([pool.has.size, pool.refused]).toEqual([SLOTS, 0])
})

test('row E-53: a transaction that a relay accepts and never spreads gets a higher fee, and is paid once', async () => {
  const [id] = await payments(1)
  await world.work(2, DEFAULT_POLICY.bumpAfterMs)
  const shown = await attempts()
  expect(shown.length).toBeGreaterThan(1)
  const [first, second] = shown
  expect(second!.nonce).toBe(first!.nonce)
  expect(second!.fee).toBeGreaterThan(first!.fee)
  await mine(101, [first!.hash])
  await world.block({ height: 102, transactions: [] }, 102)
  await world.work(2)
  expect([await world.stateOf(id!), (await world.outgoing()).map(({ state }) => state)]).toEqual(['settled', ['final']])
})

test('row E-57: an estimate that looks at no balance pays nothing out of an empty hot address', async () => {
  world.node.estimate = () => CARELESS_ESTIMATE
  const all = world.adapter.balancesAt
  world.adapter.balancesAt = async (height, wanted) =>
    (await all(height, wanted)).map((units, at) => (wanted[at]!.contract === null ? 0n : units))
  const [id] = await payments(1)
  expect([await world.stateOf(id!), pool.handed]).toEqual(['requested', []])
  world.adapter.balancesAt = all
  await world.work(2)
  expect(pool.handed).toHaveLength(1)
})
