/**
 * The totals that are read all the time are those of their tables, after any change by any writer.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { moveCustody } from '../../ledger/address-balances/index.ts'
import { createWorld, E18, type World } from '../../../../test/world/deposits.ts'
import { recordOwn } from '../../../../test/world/own-address.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { auditCounts, countAnew, countStates, createCountJob } from './index.ts'

const database = useDatabase({ template: migrated })
let world: World
beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())

const move = (address: string, units: bigint) =>
  inTransaction(world.db, (tx) => moveCustody(tx, [{ network: 'ETHEREUM', asset: 'ETH', address, units, height: 1 }]))
const platform = (address: string, account: 'hot' | 'cold') => recordOwn(world.runtime, 'EVM', account, address)
const totals = async (): Promise<Record<string, bigint>> => {
  const { rows } = await sql<{
    account: string
    booked: bigint
  }>`select account, booked from custody_totals where network = 'ETHEREUM' and asset = 'ETH'`.execute(world.db)
  return Object.fromEntries(rows.map(({ account, booked }) => [account, booked]))
}

test('audit M-C2: the sums of addresses are counted by purpose, also when a purpose changes', async () => {
  await platform('0xhot', 'hot')
  await move('0xhot', 5n * E18)
  await move('0xa', 3n * E18)
  await move('0xb', 2n * E18)
  await move('0xa', -1n * E18)
  expect(await totals()).toEqual({ hot: 5n * E18, deposit: 4n * E18 })
  await platform('0xb', 'cold')
  expect(await totals()).toEqual({ hot: 5n * E18, deposit: 2n * E18, cold: 2n * E18 })
  await sql`delete from house_addresses where address = '0xb'`.execute(world.db)
  expect(await totals()).toMatchObject({ deposit: 4n * E18, cold: 0n })
  expect(await auditCounts(world.db)).toEqual([])
})

test('audit M-C2: deposits are counted by state as they move, before and after the changes are added up', async () => {
  // Raw: six deposits in given states.
  const row = (
    state: string,
  ) => sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, keys, created_at, updated_at)
    select ${randomUUID()}, gen_random_uuid(), 'ETHEREUM', 'ETH', ${randomUUID()}, i::text, 'a', gen_random_uuid(), '{}', 1, 0, ${state}, 'Pending', '{}', now(), now() from generate_series(1, 3) i`
  await row('pending').execute(world.db)
  await row('credited').execute(world.db)
  await sql`update deposits set state = 'credited' where state = 'pending' and index = '1'`.execute(world.db)
  await sql`update deposits set meta = 'x'`.execute(world.db)
  const counts = [
    { network: 'ETHEREUM', state: 'credited', count: 4 },
    { network: 'ETHEREUM', state: 'pending', count: 2 },
  ]
  expect(await countStates(world.db, 'deposits')).toEqual(counts)
  await runUntilIdle([createCountJob({ db: world.db, log: pino({ enabled: false }) } as never, 1)])
  expect((await sql`select from state_changes`.execute(world.db)).rows).toEqual([])
  expect(await countStates(world.db, 'deposits')).toEqual(counts)
  expect(await auditCounts(world.db)).toEqual([])
})

test('audit M-C2: a total that is wrong is found, and counted anew', async () => {
  await withoutTriggers(world.db, (tx) =>
    sql`update custody_addresses set booked = booked + 7 where address = '0xa'`.execute(tx),
  )
  await sql`update state_counts set count = 9 where state = 'pending'`.execute(world.db)
  expect((await auditCounts(world.db)).map(({ what }) => what)).toEqual([
    'custody ETHEREUM ETH deposit',
    'deposits ETHEREUM pending',
  ])
  await countAnew(world.db)
  expect(await auditCounts(world.db)).toEqual([])
})
