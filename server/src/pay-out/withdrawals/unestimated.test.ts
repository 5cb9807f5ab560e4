/** Payments that a node has no estimate for, though it answers everything else. */
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { ChainUnavailable } from '../../adapters/chains/port.ts'
import { DEFAULT_POLICY } from '../../chain/transactions/index.ts'
import { createPayoutWorld, HOT, type Node, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
const UNITS = 1_000_000n
/**
 * The precompiled contract BLAKE2 (EIP-152): anyone can name it as a receiver, and a payment without data fails in it.
 */
const BLAKE2 = '0x0000000000000000000000000000000000000009'
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const receiverOf = (data: string): string => `0x${data.slice(34, 74)}`
/**
 * geth of August 2026 answers code -32000 with the text of the fault, here `errBlake2FInvalidInputLength`
 * (core/vm/contracts.go; eth/gasestimator/gasestimator.go, `Estimate`, gives `result.Err` as it is). bsc of April 2026
 * answers "failed with 21000 gas: block blacklist account" for the receivers in core/types/blacklist.go
 * (core/state_transition.go).
 */
const unestimated = ({ data }: Parameters<Node['estimate']>[0]): ReturnType<Node['estimate']> => {
  if (receiverOf(data) !== BLAKE2) return { ok: true, gas: 65_000n }
  throw new ChainUnavailable('ETHEREUM: eth_estimateGas: refused: invalid input length (-32000)')
}
const workOn = async (rounds: number, everyMs: number): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) await world.work(1, everyMs).catch(() => undefined)
}

test('as many as the limit of a hot address keep no other withdrawal waiting', async () => {
  world = await createPayoutWorld(database.url)
  for (let i = 0; i < DEFAULT_POLICY.mostInFlight; i += 1) await world.request(UNITS, { to: BLAKE2 })
  const other = await world.request(UNITS)
  world.node.estimate = unestimated
  await workOn(10, 1_000)
  expect(await world.stateOf(other)).toBe('sent')
})

test('one is given back when that lasts for minutes, as one that its receiver refuses', async () => {
  world = await createPayoutWorld(database.url)
  const id = await world.request(UNITS, { to: BLAKE2 })
  world.node.estimate = unestimated
  await workOn(13, 61_000)
  expect(await world.stateOf(id)).toBe('failed')
  expect(await world.alerts()).toMatchObject([
    { kind: 'withdrawal-impossible', subject: id, text: expect.stringContaining('invalid input length') as string },
  ])
})

test('none is given back while the node estimates nothing at all, however long that lasts', async () => {
  world = await createPayoutWorld(database.url)
  const ids = [await world.request(UNITS, { to: BLAKE2 }), await world.request(UNITS, { to: HOT })]
  world.node.estimate = () => {
    throw new ChainUnavailable('ETHEREUM: eth_estimateGas: refused: header not found (-32000)')
  }
  await workOn(13, 61_000)
  const { rows } = await sql<{ state: string }>`select state from withdrawals where id = any(${ids})`.execute(world.db)
  expect(rows).toEqual([{ state: 'requested' }, { state: 'requested' }])
})
