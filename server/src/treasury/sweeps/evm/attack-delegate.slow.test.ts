/** Attack: a thief of the first seed delegates its addresses to the delegate of the new treasury (EIP-7702). */
import { sweepContracts } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ethereum } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps } from '../../../../../test/world/evm-sweeps.ts'

const database = useDatabase({ template: migrated })
const [anvil] = EVM_NODES.map(([, use]) => use())

test.each([false, true])('an old address with the code of the new delegate delays no address of the second seed; delegated: %s', async (isDelegated) => {
  const world = await openEvmSweeps(database.url, { spec: ethereum, node: await anvil!() })
  const old = await world.address()
  await world.rotate()
  await world.pay('ETH', world.hot(), '5')
  const delegate = sweepContracts(world.hot() as `0x${string}`).delegate.address
  if (isDelegated) await world.node.rpc('anvil_setCode', old.address, `0xef0100${delegate.slice(2).toLowerCase()}`)
  const fresh = await Promise.all(Array.from({ length: 4 }, () => world.address()))
  for (const { address } of [old, ...fresh]) await world.pay('USDT', address, '200')
  await world.mine(4)
  await world.settle()
  const { rows } = await sql`select address, way, state, count(*)::int as n from sweeps group by 1, 2, 3 order by 1`.execute(world.db)
  console.log(isDelegated, 'old', old.address, rows, await world.alerts())
  expect(await world.leftOf(fresh.map(({ address }) => address)), 'new').toEqual([0n, 0n, 0n, 0n])
  expect(await world.leftOf([old.address]), 'old').toEqual([0n])
})
