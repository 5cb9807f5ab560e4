/**
 * A payment whose block is lost: the books and the records of our addresses follow the blocks, and Done is sent once.
 */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { act } from '../../../../test/world/ledger.ts'
import { notificationsOf } from '../../../../test/world/observed.ts'
import { createPayoutWorld, HOT, paidLog, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
beforeEach(async () => {
  world = await createPayoutWorld(database.url)
})
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const UNITS = 1_000_000n
/** The merchant's fee for a withdrawal of these tests, and the network's fee, in units of its coin. */
const [FEE, GAS] = [1_000n, 7n]

type Balances = Record<string, bigint>

/** Accounts of the ledger and records of addresses. */
const balances = async (): Promise<Balances> => {
  const { rows } = await sql<{ name: string; units: bigint }>`
    select asset || ' ' || kind as name, sum(posted) as units from ledger_accounts group by 1
    union all select asset || ' held', sum(held) from ledger_accounts group by 1
    union all select asset || ' of ' || address, sum(booked) from custody_addresses group by 1`.execute(world.db)
  return Object.fromEntries(rows.map(({ name, units }) => [name, units]))
}

const change = (before: Balances, after: Balances): Balances =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      .map((name) => [name, (after[name] ?? 0n) - (before[name] ?? 0n)] as const)
      .filter(([, units]) => units !== 0n),
  )

/** A withdrawal that a node has. @returns its id, and what reads a block that holds its transaction */
const sentWithdrawal = async (succeeded: boolean) => {
  const id = await world.request(UNITS)
  await world.work()
  const { rows } = await sql<{ hash: string }>`select hash from outgoing_attempts`.execute(world.db)
  const transfers = succeeded ? [paidLog(UNITS)] : []
  const transaction = { hash: rows[0]!.hash, keys: [`${HOT}:0`], succeeded, fee: GAS, transfers }
  return { id, mine: () => world.block({ height: 101, transactions: [transaction] }) }
}

const loseBlock = (): Promise<void> =>
  act(world.runtime, (tx, moment) => world.following.orphaned(tx, 'ETHEREUM', 101, moment))

const finish = (): Promise<void> => world.block({ height: 102, transactions: [] }, 101)

const statuses = async (): Promise<string[]> =>
  (await notificationsOf(world.db, world.merchantId)).map(({ status }) => status)

test('B5 a payment whose block is lost is no longer in transit, its fee is income once a block of it is final, and Done is sent once', async () => {
  const { id, mine } = await sentWithdrawal(true)
  const sent = await balances()
  await mine()
  const mined = await balances()
  expect(change(sent, mined)).toEqual({
    'USDT custody:ETHEREUM': UNITS,
    'USDT transit:ETHEREUM': -UNITS,
    'ETH custody:ETHEREUM': GAS,
    'ETH network-costs': -GAS,
    [`USDT of ${HOT}`]: -UNITS,
    [`ETH of ${HOT}`]: -GAS,
  })
  await loseBlock()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual(['sent', {}])
  await mine()
  expect([await world.stateOf(id), change(mined, await balances())]).toEqual(['mined', {}])
  await finish()
  expect([await world.stateOf(id), change(mined, await balances())]).toEqual([
    'settled',
    { 'USDT merchant': -UNITS - FEE, 'USDT held': -UNITS - FEE, 'USDT transit:ETHEREUM': UNITS, 'USDT fees': FEE },
  ])
  expect(await statuses()).toEqual(['Pending', 'Done'])
})

test('a payment without effect costs the network fee alone, while its block is there', async () => {
  const { id, mine } = await sentWithdrawal(false)
  const sent = await balances()
  const cost = { 'ETH custody:ETHEREUM': GAS, 'ETH network-costs': -GAS, [`ETH of ${HOT}`]: -GAS }
  await mine()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual(['mined', cost])
  await loseBlock()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual(['sent', {}])
  await mine()
  await finish()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual([
    'failed',
    { ...cost, 'USDT held': -UNITS - FEE },
  ])
  expect(await statuses()).toEqual(['Pending', 'Failed'])
})
