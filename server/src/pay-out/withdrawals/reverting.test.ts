import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, HOT, STRANGER, type Node, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const UNITS = 1_000_000n
const reverts = (message: string): ReturnType<Node['estimate']> => ({ ok: false, reason: 'reverted', message })
/** `transfer(address,uint256)`: the receiver is the low 20 bytes of the first word. */
const receiverOf = (data: string): string => `0x${data.slice(34, 74)}`
const refusedBy =
  (address: string) =>
  (call: { data: string }): ReturnType<Node['estimate']> =>
    receiverOf(call.data) === address.toLowerCase()
      ? reverts('execution reverted: not you')
      : { ok: true, gas: 65_000n }

test('audit M-B6: a token that is paused, or has frozen our address, fails no withdrawal however long that lasts', async () => {
  world = await createPayoutWorld(database.url)
  const all = [await world.request(UNITS), await world.request(UNITS), await world.request(UNITS)]
  // Tether's contract reverts when it is paused or the sender is on its list (TetherToken.sol: whenNotPaused,
  // isBlackListed[msg.sender]).
  world.node.estimate = () => reverts('execution reverted: Pausable: paused')
  await world.work(12, 121_000)
  expect(await Promise.all(all.map((id) => world.stateOf(id)))).toEqual(['requested', 'requested', 'requested'])
  expect(await world.alerts()).toMatchObject([{ kind: 'payments-revert', subject: 'ETHEREUM/USDT' }])
  world.node.estimate = () => ({ ok: true, gas: 65_000n })
  await world.work(2, 61_000)
  expect(await Promise.all(all.map((id) => world.stateOf(id)))).toEqual(['sent', 'sent', 'sent'])
  expect(await world.alerts()).toEqual([])
})

test('audit M-B6: a payment that only its receiver refuses waits for minutes, and is given back when that lasts', async () => {
  world = await createPayoutWorld(database.url)
  const before = await world.available('USDT')
  const id = await world.request(UNITS)
  const other = await world.request(UNITS, { to: HOT })
  world.node.estimate = refusedBy(STRANGER)
  await world.work(9, 61_000)
  expect([await world.stateOf(id), await world.stateOf(other)]).toEqual(['requested', 'sent'])
  await world.work(3, 61_000)
  expect(await world.stateOf(id)).toBe('failed')
  expect(await world.available('USDT')).toBe(before - UNITS - 1_000n)
  expect(await world.alerts()).toMatchObject([{ kind: 'withdrawal-impossible', subject: id }])
  expect(
    await world.signer.check({ network: 'ETHEREUM', intents: [{ id, asset: 'USDT', to: STRANGER, units: '1000000' }] }),
  ).toMatchObject([{ refused: 'intent-closed' }])
})

test('audit M-B6: a receiver that refuses now and then is paid when it takes the payment', async () => {
  world = await createPayoutWorld(database.url)
  const id = await world.request(UNITS)
  world.node.estimate = refusedBy(STRANGER)
  await world.work(5, 61_000)
  world.node.estimate = () => ({ ok: true, gas: 65_000n })
  await world.work(2, 61_000)
  expect(await world.stateOf(id)).toBe('sent')
})

test('audit M-B6: a receiver whose code takes a hundred times the gas that was charged is treated as one that refuses the payment', async () => {
  world = await createPayoutWorld(database.url)
  const before = await world.available('USDT')
  const [id, other] = [await world.request(UNITS), await world.request(UNITS, { to: HOT })]
  world.node.estimate = ({ data }) => ({
    ok: true,
    gas: receiverOf(data) === STRANGER.toLowerCase() ? 4_000_000n : 65_000n,
  })
  await world.work(12, 61_000)
  expect([await world.stateOf(id), await world.stateOf(other)]).toEqual(['failed', 'sent'])
  expect(await world.available('USDT')).toBe(before - UNITS - 1_000n)
  expect(await world.alerts()).toMatchObject([
    { kind: 'withdrawal-impossible', text: expect.stringContaining('4000000') as string },
  ])
})

test('many withdrawals that their receivers refuse are looked at twenty a minute, so that they delay no other merchant', async () => {
  world = await createPayoutWorld(database.url)
  for (let i = 0; i < 45; i += 1) await world.request(UNITS)
  world.node.estimate = refusedBy(STRANGER)
  await world.work(6, 100)
  const { rows } = await sql<{ minutes: number; count: number }>`
    select ceil(extract(epoch from not_before - min(not_before) over ()) / 60)::int + 1 as minutes, count(*) over ()::int as count
    from withdrawals where reverting_since is not null`.execute(world.db)
  expect(rows).toHaveLength(45)
  const within = (most: number): number => rows.filter(({ minutes }) => minutes <= most).length
  expect([within(1), within(2), within(3)].map((count, at) => count <= 20 * (at + 1) + 1)).toEqual([true, true, true])
  expect(within(4)).toBe(45)
})
