/**
 * Money from a transaction with so many inputs and outputs that its senders are not written: no list can say that they
 * are clean.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { listSanctions, PUBLIC_URL, screenAll } from '../../../../test/world/screening.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createScreenHeld } from '../../app/composition/screening.ts'
import { catalogue, createWorld, pay, type World } from '../../../../test/world/deposits.ts'
import { holdsUntilVerified } from '../../merchants/accounts/index.ts'
import { listOpen } from './index.ts'
import { decideFirst } from './test-held.ts'

const database = useDatabase({ template: migrated })
let world: World
beforeAll(() => {
  world = createWorld(database.url, {
    holds: holdsUntilVerified,
    onHeld: [(...all) => createScreenHeld(PUBLIC_URL, () => world.deposits)(...all)],
  })
})
afterAll(() => world.close())

const screen = () =>
  screenAll(
    createTestRuntime(world.db, () => world.now),
    catalogue,
    { deposits: world.deposits },
  )
const states = async () =>
  (await sql`select state, count(*)::int as count from deposits group by 1 order by 1`.execute(world.db)).rows

test('a listed sender among many stays in quarantine until a person has decided', async () => {
  const [SENDERS, OUTPUTS] = [2_500, 9]
  const owned = await world.address('BITCOIN')
  await makeMerchant(world.db, world.now, { id: owned.merchantId, settings: { holdUntilVerified: true } })
  await listSanctions(world.db, 'XBT', ['bad'], world.moment())
  const from = ['bad', ...Array.from({ length: SENDERS }, (_, at) => `payer ${at}`)]
  const to = (at: number) => ({ index: `o:${at}`, contract: null, from, to: owned.address, units: 1_000_000n })
  const transaction = { ...pay(owned.address, 1n), transfers: Array.from({ length: OUTPUTS }, (_, at) => to(at)) }
  await world.mine('BITCOIN', 100, [transaction])
  await world.settle('BITCOIN', 105, 100)
  await screen()
  expect([await states(), (await listOpen(world.db, 10)).map(({ state }) => state)]).toEqual([
    [{ state: 'held', count: OUTPUTS }],
    Array(OUTPUTS).fill('risky'),
  ])
  expect(await decideFirst(world, PUBLIC_URL, { event: 'released', actor: 'cli:ann', deciders: 1 })).toBe(0)
  expect(await states()).toEqual([
    { state: 'credited', count: 1 },
    { state: 'held', count: OUTPUTS - 1 },
  ])
})
