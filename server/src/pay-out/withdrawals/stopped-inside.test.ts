import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createStop, liftStop, listStops } from '../../ledger/stops/index.ts'
import { createInternalDeliveryJob } from './index.ts'
import { catalogue, createPayoutWorld, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

test('audit S-3: a transfer within the platform waits too once a stop is in force, even if it was chosen before', async () => {
  world = await createPayoutWorld(database.url)
  const id = await world.request(1_000n, { internal: true })
  const stop = { asset: 'USDT', merchantId: world.merchantId, reason: 'a test' }
  const job = createInternalDeliveryJob({
    runtime: world.runtime,
    catalogue,
    networks: ['ETHEREUM'],
    receive: async () => noEffects,
    proved: async (waiting) => {
      await inTransaction(world.db, (tx) => createStop(tx, stop, momentOf(world.runtime)))
      return [...waiting]
    },
  })
  await job.run(new AbortController().signal)
  expect(await world.stateOf(id)).toBe('requested')
  for (const one of await listStops(world.db))
    await liftStop(world.db, one.id, { actor: 'someone', reason: null }, momentOf(world.runtime).at)
  await createInternalDeliveryJob({
    runtime: world.runtime,
    catalogue,
    networks: ['ETHEREUM'],
    receive: async () => noEffects,
  }).run(new AbortController().signal)
  expect(await world.stateOf(id)).toBe('delivered')
})
