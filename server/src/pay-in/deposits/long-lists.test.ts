/**
 * Transactions of thousands of inputs that pay us at hundreds of outputs: the record and notification of each output
 * must not hold all inputs again.
 */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { ChainTransaction } from '@bursar/chainkit'
import { explain, nodesOf } from '../../../../test/setup/explaining.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createDb, inTransaction } from '../../platform/db/index.ts'
import { storeAncestry } from './ancestry.ts'
import { createAncestryJob } from './index.ts'
import { useDeposits, pay, type Owned } from '../../../../test/world/deposits.ts'
import { conflictsWith } from './unmined.ts'

const world = useDeposits()
let owned: Owned
beforeEach(async () => {
  owned = await world.address('BITCOIN')
})

/**
 * An input that spends a P2WSH coin takes 164 units of weight and more, an output 124: a block of 4,000,000 has space
 * for more than these.
 */
const [INPUTS, OUTPUTS] = [12_000, 700]
const txid = (at: number): string => at.toString(16).padStart(64, '0')
const wide = (inputs: number, outputs: number, besides: readonly string[] = [], hash = 'wide'): ChainTransaction => {
  const from = [...Array.from({ length: inputs }, (_, at) => `bc1q${txid(at).slice(6)}`), ...besides]
  return {
    hash,
    keys: Array.from({ length: inputs }, (_, at) => `${txid(at)}:0`),
    succeeded: true,
    fee: 1_000n,
    transfers: Array.from({ length: outputs }, (_, at) => ({
      index: `o:${at}`,
      contract: null,
      from,
      to: owned.address,
      units: 20_000n,
    })),
  }
}
const stored = async () =>
  (
    await sql<{
      count: number
      keys: number
      senders: number
    }>`select count(*)::int as count, sum(cardinality(keys))::int as keys, sum(cardinality(senders))::int as senders from deposits`.execute(
      world.db,
    )
  ).rows[0]!

test('a block with a transaction of thousands of inputs and hundreds of outputs to us is read, and all of it is credited', async () => {
  await world.mine('BITCOIN', 100, [wide(INPUTS, OUTPUTS)])
  await world.settle('BITCOIN', 105)
  expect(await stored()).toEqual({ count: OUTPUTS, keys: 0, senders: 0 })
  expect(await world.statuses()).toEqual([
    ...Array<string>(OUTPUTS).fill('Pending'),
    ...Array<string>(OUTPUTS).fill('Done'),
  ])
})

test('a transaction of as many inputs to few outputs, and one of few inputs to as many outputs, keep their senders and keys', async () => {
  await world.mine('BITCOIN', 100, [wide(INPUTS, 1)])
  expect(await stored()).toEqual({ count: 1, keys: INPUTS, senders: INPUTS })
  await world.reset()
  owned = await world.address('BITCOIN')
  await world.mine('BITCOIN', 100, [wide(2, OUTPUTS)])
  expect(await stored()).toEqual({ count: OUTPUTS, keys: 2 * OUTPUTS, senders: 2 * OUTPUTS })
})

test('a transfer whose adapter names only a part of its senders is stored so', async () => {
  const [transfer] = wide(3, 1).transfers
  const transaction = { ...wide(3, 1), transfers: [{ ...transfer!, sendersOmitted: true as const }] }
  await world.mine('BITCOIN', 100, [transaction])
  const { rows } = await sql<{ omitted: boolean }>`select senders_omitted as omitted from deposits`.execute(world.db)
  expect(rows).toEqual([{ omitted: true }])
})

test('one that an address of ours is among the senders of is still known to be ours', async () => {
  const { address } = await world.address('BITCOIN')
  await world.mine('BITCOIN', 100, [wide(INPUTS, OUTPUTS, [address])])
  expect(await stored()).toMatchObject({ count: 0 })
})

test('one that is seen in the pool and replaced has failed once the replacement is final', async () => {
  const paid = wide(300, 100)
  await world.poolHas('BITCOIN', [paid])
  expect(await stored()).toEqual({ count: 100, keys: 0, senders: 0 })
  const runtime = createTestRuntime(world.db, () => world.now)
  await createAncestryJob(
    runtime,
    { ancestorsOf: async () => [{ transaction: paid.hash, keys: [...paid.keys] }] },
    1,
  ).run(new AbortController().signal)
  await world.mine('BITCOIN', 100, [pay('payer', 1n, { hash: 'conflict', keys: [paid.keys[299]!] })])
  await world.settle('BITCOIN', 105, 100)
  const { rows } =
    await sql`select state, fail_reason as reason, count(*)::int as count from deposits group by 1, 2`.execute(world.db)
  expect(rows).toEqual([{ state: 'failed', reason: 'TRANSACTION_REPLACED', count: 100 }])
})

test('a block that is full of transactions of some inputs and some outputs is read', async () => {
  // 122 inputs of 170 units of weight and 163 outputs of 124 are 41,000 of a block's 4,000,000.
  const block = Array.from({ length: 97 }, (_, at) => wide(122, 163, [], `some ${at}`))
  await world.mine('BITCOIN', 100, block)
  expect((await stored()).count).toBe(97 * 163)
})

test('ancestors of a transaction of many outputs are compared with a block once, not for each output', async () => {
  const paid = wide(1_200, 1_600, [], 'standing')
  await world.poolHas('BITCOIN', [paid])
  const ancestors = [{ transaction: paid.hash, keys: [...paid.keys] }]
  await storeAncestry(world.db, 'BITCOIN', paid.hash, ancestors, new Date(world.now))
  const conflict = { hash: 'conflict', keys: [paid.keys[7]!] }
  const statements: Statement[] = []
  const db = createDb(createWatchedPool(world.url, (statement) => void statements.push(statement)))
  const found = await inTransaction(db, (tx) => conflictsWith(tx, 'BITCOIN', [conflict]))
  await db.destroy()
  expect([found.length, new Set(found.map(({ transaction }) => transaction))]).toEqual([1_600, new Set(['conflict'])])
  const { text, values } = statements.find((one) => one.text.includes('deposit_ancestry'))!
  const unnested = nodesOf((await explain(world.db, text, values))!)
    .filter((node) => node['Node Type'] === 'Function Scan')
    .map((node) => node['Actual Rows'] * node['Actual Loops'])
  expect(Math.max(...unnested)).toBe(1_200)
})
