/**
 * A deposit whose unconfirmed parent is replaced: bitcoind evicts it with the parent, and no block ever spends one of
 * its own inputs (Knots 29.4.3 on regtest).
 */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { PoolAncestor } from '../../adapters/chains/port.ts'
import { createAncestryJob } from './index.ts'
import { useDeposits, DAY, pay, START, type Owned } from '../../../../test/world/deposits.ts'

const BTC = 100_000_000n
const world = useDeposits()
let owned: Owned
let pool: Map<string, PoolAncestor[]>
let asked: string[]
beforeEach(async () => {
  await sql`truncate deposit_ancestry`.execute(world.db)
  world.now = START
  owned = await world.address('BITCOIN')
  pool = new Map()
  asked = []
})

const readAncestry = async (): Promise<void> => {
  const runtime = createTestRuntime(world.db, () => world.now)
  const adapter = {
    ancestorsOf: async (hash: string) => {
      asked.push(hash)
      return pool.get(hash) ?? null
    },
  }
  await createAncestryJob(runtime, adapter, 1).run(new AbortController().signal)
}
const GRANDPARENT = { transaction: 'grandparent', keys: ['coin:0', 'coin:1'] }
const PARENT = { transaction: 'parent', keys: ['grandparent:0'] }
/** In the pool, on a parent and a grandparent that no block has either. */
const seen = async () => {
  const paid = pay(owned.address, BTC, { keys: ['parent:1'] })
  pool.set(paid.hash, [GRANDPARENT, PARENT])
  await world.poolHas('BITCOIN', [paid])
  await readAncestry()
  return paid
}
const mined = (hash: string, keys: string[]) => pay('payer', BTC, { hash, keys })
const notified = async () => (await world.notices()).map(({ status, body }) => [status, body.failReason])

test('audit D-B6, row B-24: a deposit whose unconfirmed ancestor is replaced has failed once the replacement is final', async () => {
  await seen()
  await world.mine('BITCOIN', 100, [mined('conflict', ['coin:1'])])
  await world.poolHas('BITCOIN', [])
  await world.settle('BITCOIN', 105, 99)
  expect(await notified()).toEqual([['Pending', undefined]])
  await world.settle('BITCOIN', 105, 100)
  expect(await notified()).toEqual([
    ['Pending', undefined],
    ['Failed', 'TRANSACTION_REPLACED'],
  ])
})

test('audit D-B6, row B-24: ancestors that are mined themselves replace nothing', async () => {
  const paid = await seen()
  await world.mine('BITCOIN', 100, [mined('grandparent', GRANDPARENT.keys), mined('parent', PARENT.keys)])
  await world.settle('BITCOIN', 120, 110)
  await world.mine('BITCOIN', 121, [paid])
  await world.settle('BITCOIN', 130, 121)
  expect(await notified()).toEqual([
    ['Pending', undefined],
    ['Done', undefined],
  ])
})

test('audit D-B6, row B-24: a replacement that is lost with its block replaces nothing', async () => {
  const paid = await seen()
  await world.mine('BITCOIN', 100, [mined('conflict', ['coin:0'])])
  await world.orphan('BITCOIN', 100)
  await world.mine('BITCOIN', 100, [mined('grandparent', GRANDPARENT.keys), mined('parent', PARENT.keys), paid], 'b')
  await world.settle('BITCOIN', 110, 104)
  expect(await notified()).toEqual([
    ['Pending', undefined],
    ['Done', undefined],
  ])
})

test('audit D-B6, row B-23: a deposit that left the pool with its ancestors, without a conflict, stays pending', async () => {
  await seen()
  await world.poolHas('BITCOIN', [])
  world.now += 14 * DAY - 1
  await world.settle('BITCOIN', 200, 190)
  expect(await notified()).toEqual([['Pending', undefined]])
})

test('audit D-B6: ancestors are read once, again while the transaction is not in the pool, and forgotten with the deposit', async () => {
  const paid = pay(owned.address, BTC, { keys: ['parent:1'] })
  await world.poolHas('BITCOIN', [paid])
  await readAncestry()
  pool.set(paid.hash, [])
  await readAncestry()
  await readAncestry()
  expect(asked).toEqual([paid.hash, paid.hash])
  const stored = async () => (await sql<{ keys: string[] }>`select keys from deposit_ancestry`.execute(world.db)).rows
  expect(await stored()).toEqual([{ keys: [] }])
  await world.mine('BITCOIN', 100, [paid])
  await world.settle('BITCOIN', 110, 104)
  await readAncestry()
  expect(await stored()).toEqual([])
})
