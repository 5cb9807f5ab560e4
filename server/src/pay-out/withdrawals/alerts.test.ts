/** Alerts about withdrawals that wait end with their cause, however it ends. */
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { giveBack } from './refusals.ts'
import { catalogue, createPayoutWorld, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const kinds = async (): Promise<string[]> => (await world.alerts()).map(({ kind }) => kind)
const giveUp = async (id: string): Promise<void> => {
  const { runtime, signer, merchantId } = world
  expect(await giveBack({ runtime, catalogue, signer }, { merchantId, id })).toMatchObject({ kind: 'given-back' })
}

test('too little coin for the fees of tokens: over once tokens are paid', async () => {
  world = await createPayoutWorld(database.url, {})
  let coin = 0n
  world.adapter.balancesAt = async (_height, wanted) =>
    wanted.map(({ contract }) => (contract === null ? coin : 10n ** 20n))
  const id = await world.request(1_000_000n)
  await world.work()
  expect([await world.stateOf(id), await kinds()]).toEqual(['requested', ['hot-wallet-short']])
  coin = 10n ** 20n
  await world.work()
  expect([await world.stateOf(id), await kinds()]).toEqual(['sent', []])
})

test('too little coin for a withdrawal that is given back', async () => {
  world = await createPayoutWorld(database.url, {})
  world.adapter.balancesAt = async (_height, wanted) => wanted.map(() => 0n)
  const id = await world.request(1_000_000n)
  await world.work()
  expect(await kinds()).toEqual(['hot-wallet-short'])
  await giveUp(id)
  await world.work()
  expect(await kinds()).toEqual([])
})

test('a token that no address can pay, and whose withdrawal is given back', async () => {
  world = await createPayoutWorld(database.url, {})
  world.node.estimate = () => ({ ok: false, reason: 'reverted', message: 'Pausable: paused' })
  const id = await world.request(1_000_000n)
  await world.work()
  expect(await kinds()).toEqual(['payments-revert'])
  // It is looked at again in a minute; until then it waits all the same.
  await world.work(5)
  expect(await kinds()).toEqual(['payments-revert'])
  await giveUp(id)
  await world.work()
  expect(await kinds()).toEqual([])
})

test.each([
  ['payout-refused', 20, 'bad-output-of-tomorrow', 2_000n],
  ['payout-fee-too-high', 1, undefined, 10_000_000n],
] as const)('a Bitcoin withdrawal that waits with %s and is given back', async (kind, rounds, message, rate) => {
  world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
  await world.coins(10, 5_000_000n)
  if (message) world.node.wouldTake = () => ({ kind: 'refused', reason: 'invalid', message })
  world.node.rate = rate
  const id = await world.request(77_777n)
  await world.work(rounds)
  expect([await world.stateOf(id), await kinds()]).toEqual(['requested', [kind]])
  await giveUp(id)
  await world.work()
  expect(await kinds()).toEqual([])
})
