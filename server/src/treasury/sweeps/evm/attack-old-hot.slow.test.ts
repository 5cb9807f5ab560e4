/** Attack: a thief pays a deposit address of its own merchant from the old hot address. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { encodeTransfer } from '@bursar/chainkit/evm'
import { ethereum } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps } from '../../../../../test/world/evm-sweeps.ts'
import { steal } from '../../../../../test/world/evm-thief.ts'
import { EVM_HOT as OLD_HOT } from '../../../../../test/world/wallet.ts'
import type { KeyReference } from '../../../../../signer/src/protocol/protocol.ts'

const database = useDatabase({ template: migrated })
const [anvil] = EVM_NODES.map(([, use]) => use())
const open = async (): Promise<EvmSweeps> => openEvmSweeps(database.url, { spec: ethereum, node: await anvil!() })
const unit = ({ catalogue }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto('USDT')!.scale - 6)
const dollars = (world: EvmSweeps, count: bigint): bigint => count * 1_000_000n * unit(world)
const credited = ({ balance }: EvmSweeps, merchantId: string): Promise<bigint> => balance(merchantId, 'USDT', 'merchant')
const hotKey: KeyReference = { account: 'hot', branch: 0, index: 0 }

test.each(['old', 'new'])('money that a thief sends from the old hot address to an %s deposit address is booked once', async (which) => {
  const world = await open()
  const before = await world.address()
  await world.pay('USDT', OLD_HOT, '500')
  await world.mine(4)
  await world.rotate()
  await world.pay('ETH', world.hot(), '5')
  await world.mine(1)
  const { address, merchantId } = which === 'new' ? await world.address() : before
  await steal(world, hotKey, { to: world.tokens['USDT']!.contract, data: encodeTransfer(address, 100_000_000n), price: 80_000_000_000n })
  await world.mine(4)
  await world.settle()
  const { rows } = await sql`select address, asset, booked, difference from custody_addresses where asset = 'USDT'`.execute(world.db)
  console.log(which, 'credited', await credited(world, merchantId), 'at', address, await world.onChain(address, 'USDT'), rows, await world.differences(), await world.alerts(), (await sql`select index, units, state, internal from deposits`.execute(world.db)).rows)
  // The thief's own gas is missing, and nothing else.
  expect((await world.differences()).filter((one) => !one.includes('"ETH"'))).toEqual([])
  expect(await credited(world, merchantId)).toBe(0n)
  void dollars
})
