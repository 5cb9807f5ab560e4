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

/** The changes by a block with a payment without effect, by one with effect, and by the end of the latter. */
const COST: Balances = { 'ETH custody:ETHEREUM': GAS, 'ETH network-costs': -GAS, [`ETH of ${HOT}`]: -GAS }
const PAID: Balances = {
  ...COST,
  'USDT custody:ETHEREUM': UNITS,
  'USDT transit:ETHEREUM': -UNITS,
  [`USDT of ${HOT}`]: -UNITS,
}
const CAPTURED: Balances = {
  'USDT merchant': -UNITS - FEE,
  'USDT held': -UNITS - FEE,
  'USDT transit:ETHEREUM': UNITS,
  'USDT fees': FEE,
}

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
const sentWithdrawal = async () => {
  const id = await world.request(UNITS)
  await world.work()
  const { rows } = await sql<{ hash: string }>`select hash from outgoing_attempts`.execute(world.db)
  const mine = (effect: 'with effect' | 'without effect'): Promise<void> => {
    const succeeded = effect === 'with effect'
    const transfers = succeeded ? [paidLog(UNITS)] : []
    const transaction = { hash: rows[0]!.hash, keys: [`${HOT}:0`], succeeded, fee: GAS, transfers }
    return world.block({ height: 101, transactions: [transaction] })
  }
  return { id, mine }
}

const loseBlock = (): Promise<void> =>
  act(world.runtime, (tx, moment) => world.following.orphaned(tx, 'ETHEREUM', 101, moment))

const finish = (): Promise<void> => world.block({ height: 102, transactions: [] }, 101)

const statuses = async (): Promise<string[]> =>
  (await notificationsOf(world.db, world.merchantId)).map(({ status }) => status)

test('B5 a payment whose block is lost is no longer in transit, its fee is income once a block of it is final, and Done is sent once', async () => {
  const { id, mine } = await sentWithdrawal()
  const sent = await balances()
  await mine('with effect')
  const mined = await balances()
  expect(change(sent, mined)).toEqual(PAID)
  await loseBlock()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual(['sent', {}])
  await mine('with effect')
  expect([await world.stateOf(id), change(mined, await balances())]).toEqual(['mined', {}])
  await finish()
  expect([await world.stateOf(id), change(mined, await balances())]).toEqual(['settled', CAPTURED])
  expect(await statuses()).toEqual(['Pending', 'Done'])
})

test('a payment without effect costs the network fee alone, while its block is there', async () => {
  const { id, mine } = await sentWithdrawal()
  const sent = await balances()
  await mine('without effect')
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual(['mined', COST])
  await loseBlock()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual(['sent', {}])
  await mine('without effect')
  await finish()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual([
    'failed',
    { ...COST, 'USDT held': -UNITS - FEE },
  ])
  expect(await statuses()).toEqual(['Pending', 'Failed'])
})

test('a payment that is mined again without effect is Failed after Done once that block is final', async () => {
  const { id, mine } = await sentWithdrawal()
  const sent = await balances()
  await mine('with effect')
  await loseBlock()
  await mine('without effect')
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual(['mined', COST])
  expect(await statuses()).toEqual(['Pending', 'Done'])
  await finish()
  expect([await world.stateOf(id), change(sent, await balances())]).toEqual([
    'failed',
    { ...COST, 'USDT held': -UNITS - FEE },
  ])
  expect(await statuses()).toEqual(['Pending', 'Done', 'Failed'])
})

test('a payment without effect that is mined again with effect is Done and never Failed', async () => {
  const { id, mine } = await sentWithdrawal()
  const sent = await balances()
  await mine('without effect')
  expect(await statuses()).toEqual(['Pending'])
  await loseBlock()
  await mine('with effect')
  const mined = await balances()
  expect([await world.stateOf(id), change(sent, mined)]).toEqual(['mined', PAID])
  await finish()
  expect([await world.stateOf(id), change(mined, await balances())]).toEqual(['settled', CAPTURED])
  expect(await statuses()).toEqual(['Pending', 'Done'])
})
