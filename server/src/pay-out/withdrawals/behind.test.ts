import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createEvmPayoutJob } from './index.ts'
import { createPayoutWorld, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
const { signal } = new AbortController()
beforeEach(async () => {
  world = await createPayoutWorld(database.url)
})
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

/** Hosted nodes answer from machines whose heads differ by one to five blocks (tidx#264). */
test('audit D-E13: a node behind the books changes nothing: no nonce is handed out and no withdrawal planned', async () => {
  const job = createEvmPayoutJob(world.evm, 1)
  const id = await world.request(5_000_000n)
  // The books have read 100.
  world.node.head = { height: 98, hash: 'older' }
  await expect(job.run(signal)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  expect(await world.stateOf(id)).toBe('requested')
  expect((await sql`select from hot_wallets where next_nonce > 0`.execute(world.db)).rows).toHaveLength(0)
  world.node.head = { height: 101, hash: 'newer' }
  await job.run(signal)
  expect(await world.stateOf(id)).toBe('planned')
})

test('audit D-E13: balances, nonce and estimate of a payout are asked of one state', async () => {
  const job = createEvmPayoutJob(world.evm, 1)
  const id = await world.request(5_000_000n)
  const stray = (): never => {
    throw new Error('asked of whichever block the next machine has')
  }
  const { minedNonce, estimateGas, balancesAt } = world.adapter
  const stateFrom = world.adapter.stateFrom.bind(world.adapter)
  Object.assign(world.adapter, {
    minedNonce: stray,
    estimateGas: stray,
    balancesAt: stray,
    head: stray,
    stateFrom: async (least: number) => ({
      ...(await stateFrom(least)),
      minedNonce,
      estimateGas,
      balances: (wanted: Parameters<typeof balancesAt>[1]) => balancesAt(100, wanted),
    }),
  })
  await job.run(signal)
  expect(await world.stateOf(id)).toBe('planned')
})
