/** Final transactions of ours whose blocks are lost all the same. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { BroadcastResult } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { insertPlanned } from './commands.ts'
import { createTransactionSubscriber, createLostJob } from './index.ts'

const { db } = useDb()
const START = Date.UTC(2026, 0, 1)
const following = createTransactionSubscriber([])
let runtime: Runtime
let handed: string[]
let answer: BroadcastResult

beforeAll(() => {
  runtime = createTestRuntime(db, () => START)
})
beforeEach(async () => {
  await sql`truncate outgoing, outgoing_attempts, alerts cascade`.execute(db)
  handed = []
  answer = { kind: 'accepted' }
})

/** A transaction of ours in the final block 100. */
const ended = async (nonce: number, succeeded = true): Promise<string> => {
  const id = randomUUID()
  const unsigned = { unsigned: '0x02', signingKeys: [], feeRate: {}, networkFee: 1n }
  await inTransaction(db, (tx) =>
    insertPlanned(
      tx,
      { id, network: 'ETHEREUM', purpose: 'payout', senders: ['hot'], nonce, keys: [`hot:${nonce}`], ...unsigned },
      momentOf(runtime),
    ),
  )
  await sql`update outgoing set state = ${succeeded ? 'final' : 'failed'}, mined_hash = ${`hash${nonce}`}, mined_height = 100, mined_block = 'a100', network_fee = 5, succeeded = ${succeeded} where id = ${id}`.execute(
    db,
  )
  await sql`update outgoing_attempts set raw = ${`raw${nonce}`}, hash = ${`hash${nonce}`} where outgoing_id = ${id}`.execute(
    db,
  )
  return id
}
const lose = () =>
  inTransaction(db, async (tx) =>
    carryOut(tx, await following.orphaned(tx, 'ETHEREUM', 100, momentOf(runtime)), momentOf(runtime)),
  )
const mine = (hash: string, succeeded = true) =>
  inTransaction(db, async (tx) => {
    const block = {
      height: 101,
      hash: 'b101',
      parent: 'b100',
      time: START,
      transactions: [{ hash, keys: [], succeeded, fee: 5n, transfers: [] }],
    }
    await carryOut(tx, await following.block(tx, 'ETHEREUM', block, momentOf(runtime)), momentOf(runtime))
  })
const broadcast = async (raw: string): Promise<BroadcastResult> => {
  handed.push(raw)
  return answer
}
const handOver = () => createLostJob(runtime, { network: 'ETHEREUM', broadcast }, 1).run(new AbortController().signal)
const alerts = async () =>
  (await sql<{ kind: string }>`select kind from alerts where resolved_at is null order by kind`.execute(db)).rows.map(
    ({ kind }) => kind,
  )

test('audit M-D2: are handed over again as they were signed, in the order of their nonces, until blocks have them', async () => {
  await ended(8)
  const first = await ended(7)
  await handOver()
  expect(handed).toEqual([])
  await lose()
  expect(await alerts()).toEqual(['final-transaction-lost'])
  await handOver()
  expect(handed).toEqual(['raw7', 'raw8'])
  await mine('hash7')
  await handOver()
  expect(handed).toEqual(['raw7', 'raw8', 'raw8'])
  await mine('hash8')
  await handOver()
  expect(handed).toHaveLength(3)
  expect(await alerts()).toEqual([])
  const { rows } = await sql`select state, mined_height, mined_block from outgoing where id = ${first}`.execute(db)
  expect(rows).toEqual([{ state: 'final', mined_height: 101, mined_block: 'b101' }])
})

test('audit M-D2: a transaction without effect is not repeated, and a changed outcome raises an alert', async () => {
  await ended(7, false)
  await lose()
  await handOver()
  expect(handed).toEqual([])
  await mine('hash7', true)
  expect(await alerts()).toEqual(['final-transaction-changed'])
})

test('audit M-D2: one that the node no longer takes raises an alert', async () => {
  await ended(7)
  await lose()
  answer = { kind: 'conflict', message: 'nonce too low' }
  await handOver()
  expect(await alerts()).toEqual(['final-transaction-lost', 'lost-transaction-refused'])
})
