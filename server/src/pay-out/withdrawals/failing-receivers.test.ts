/**
 * Coin for receivers whose code fails on chain what it let pass before: each such payment costs the platform its fee.
 */
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { grantCapital } from '../../treasury/reconciliation/index.ts'
import { createPayoutWorld, STRANGER, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const DAY_MS = 24 * 3_600_000
let height = 100

/** A withdrawal of coin, and what became of it after its block, in which it fails. */
const failOne = async (to: string): Promise<string> => {
  const id = await world.request(1_000n, { ticker: 'ETH', to })
  await world.work()
  const { rows } = await sql<{
    hash: string
  }>`select a.hash from outgoing_attempts a join outgoing o on o.id = a.outgoing_id where o.state = 'broadcast'`.execute(
    world.db,
  )
  world.node.mined += rows.length
  height += 2
  await world.block({
    height,
    transactions: rows.map(({ hash }) => ({ hash, keys: [], succeeded: false, fee: 7n, transfers: [] })),
  })
  await world.block({ height: height + 1, transactions: [] }, height)
  return id
}
const open = async (gas: bigint) => {
  world = await createPayoutWorld(database.url)
  world.node.estimate = () => ({ ok: true, gas })
  const grant = { merchantId: world.merchantId, asset: 'ETH', units: 1_000_000n }
  await inTransaction(world.db, (tx) => grantCapital(tx, grant, momentOf(world.runtime)))
}
const ended = async () =>
  (await world.alerts()).map(({ kind }) => kind).filter((kind) => kind !== 'withdrawal-reverted')

test('a receiver whose code failed twice in thirty days is not paid, and another one is', async () => {
  await open(21_001n)
  await failOne(STRANGER)
  await failOne(STRANGER)
  expect(await ended()).toEqual([])
  // The signer's limit of an hour.
  world.later(DAY_MS)
  const [refused, paid] = [
    await world.request(1_000n, { ticker: 'ETH', to: STRANGER }),
    await world.request(1_000n, { ticker: 'ETH', to: OTHER }),
  ]
  await world.work()
  expect([await world.stateOf(refused), await world.stateOf(paid), await ended()]).toEqual([
    'failed',
    'sent',
    ['withdrawal-impossible'],
  ])
  world.later(31 * DAY_MS)
  const again = await world.request(1_000n, { ticker: 'ETH', to: STRANGER })
  await world.work()
  expect(await world.stateOf(again)).toBe('sent')
})

test('after one failure a receiver gets one payment at a time, also of withdrawals that are planned together', async () => {
  await open(21_001n)
  await failOne(STRANGER)
  const ids: string[] = []
  for (const to of [STRANGER, STRANGER, STRANGER, OTHER, OTHER])
    ids.push(await world.request(100n, { ticker: 'ETH', to }))
  await world.work()
  const states = await Promise.all(ids.map(world.stateOf))
  expect(states.slice(0, 3).toSorted()).toEqual(['requested', 'requested', 'sent'])
  expect(states.slice(3)).toEqual(['sent', 'sent'])
})

test('a receiver without code is paid regardless of earlier failures', async () => {
  await open(21_000n)
  for (let round = 0; round < 3; round += 1) expect(await world.stateOf(await failOne(STRANGER))).toBe('failed')
  expect(await ended()).toEqual([])
})

test('a merchant whose payments to ever other contracts fail waits after twenty in a day, with an alert', async () => {
  await open(21_001n)
  await failOne(STRANGER)
  // Raw: nineteen copies of a payment that failed, to other receivers.
  await sql`insert into withdrawals select (w2).* from (select jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(), 'to_address', '0x' || n, 'hold_id', gen_random_uuid())) as w2
    from withdrawals w, generate_series(1, 19) n where w.to_address = ${STRANGER}) x`.execute(world.db)
  const id = await world.request(1_000n, { ticker: 'ETH', to: OTHER })
  await world.work()
  expect([await world.stateOf(id), await ended()]).toEqual(['requested', ['receivers-fail']])
  world.later(DAY_MS)
  await world.work()
  expect([await world.stateOf(id), await ended()]).toEqual(['sent', []])
})
