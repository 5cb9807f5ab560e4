import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, HOT, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

test('audit M-E2: the alert nonce-ahead ends once chain and database agree', async () => {
  world = await createPayoutWorld(database.url)
  await world.request(1_000_000n)
  await world.work()
  world.node.mined = 5
  const waiting = await world.request(1_000_000n)
  await world.work()
  expect(await world.alerts()).toMatchObject([{ kind: 'nonce-ahead', subject: `ETHEREUM/${HOT}` }])
  expect(await world.stateOf(waiting)).toBe('requested')
  world.node.mined = 1
  await world.work()
  expect(await world.alerts()).toEqual([])
  expect(await world.stateOf(waiting)).toBe('sent')
})
