import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createWorld, E18, pay, type World } from '../../../../test/world/deposits.ts'

const database = useDatabase({ template: migrated })
let world: World
beforeAll(async () => {
  world = createWorld(database.url)
  await world.reset()
})
afterAll(() => world.close())

test('audit D-E10: income that a block brings without a transaction is a deposit without a hash, each of them once', async () => {
  const { address, merchantId } = await world.address('ETHEREUM')
  const withdrawal = pay(address, 2n * E18, { hash: 'block 100', index: 'w:17' })
  const tips = pay(address, E18, { hash: 'block 100', index: 'f' })
  for (let read = 0; read < 2; read += 1)
    await world.mine('ETHEREUM', 100, [
      { ...withdrawal, keys: [], transfers: [...withdrawal.transfers, ...tips.transfers] },
    ])
  await world.settle('ETHEREUM', 110, 110)
  expect(await world.balance(merchantId, 'ETH')).toBe((3n * E18 * 99n) / 100n)
  const hashes = (await world.notices())
    .map(({ status, body }) => `${status} ${body.amount} ${body.hash ?? 'unknown'}`)
    .toSorted()
  expect(hashes).toEqual(['Done 1 unknown', 'Done 2 unknown', 'Pending 1 unknown', 'Pending 2 unknown'])
})
