/** Attacks by code that a thief gives to an old deposit address (EIP-7702), and a fee of the token's issuer. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deployerAccount } from '../../../../../sandbox/anvil/transactions.ts'
import { call } from '../../../../../sandbox/tokens/index.ts'
import { ethereum } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps } from '../../../../../test/world/evm-sweeps.ts'
import { steal } from '../../../../../test/world/evm-thief.ts'
import type { KeyReference } from '../../../../../signer/src/protocol/protocol.ts'

const database = useDatabase({ template: migrated })
const [anvil] = EVM_NODES.map(([, use]) => use())
const open = async (): Promise<EvmSweeps> => openEvmSweeps(database.url, { spec: ethereum, node: await anvil!() })
const unit = ({ catalogue }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto('USDT')!.scale - 6)
const dollars = (world: EvmSweeps, count: bigint): bigint => count * 1_000_000n * unit(world)
const credited = ({ balance }: EvmSweeps, merchantId: string): Promise<bigint> => balance(merchantId, 'USDT', 'merchant')
const keyOf = async ({ db }: EvmSweeps, address: string): Promise<KeyReference> => {
  const { rows } = await sql<{ index: number }>`select derivation_index as index from addresses
    where family = 'EVM' and address = ${address}`.execute(db)
  return { account: 'deposit', branch: 0, index: rows[0]!.index }
}

/** Delegates an address to code that burns gas: rounds of a loop of 26 units each. */
const burnAt = async ({ node, chain }: EvmSweeps, address: string, rounds: number): Promise<void> => {
  const burner = await chain.newAddress()
  await node.rpc('anvil_setCode', burner, `0x62${rounds.toString(16).padStart(6, '0')}5b600190038060045700`)
  await node.rpc('anvil_setCode', address, `0xef0100${burner.slice(2).toLowerCase()}`)
}

test('code of an old deposit address that burns gas costs the new hot address no more than a few plain payments', async () => {
  const world = await open()
  const { address } = await world.address()
  await world.rotate()
  await world.pay('ETH', world.hot(), '5')
  await world.mine(4)
  await burnAt(world, address, 400_000)
  const key = await keyOf(world, address)
  for (let round = 0; round < 12; round += 1) {
    await world.pay('USDT', address, '2')
    await world.mine(4)
    for (let step = 0; step < 3; step += 1) {
      await world.work()
      await world.mine(4)
    }
    const price = BigInt(await world.node.rpc<string>('eth_gasPrice'))
    const left = (await world.onChain(address, 'ETH')) - 21_000n * price
    if (left > 0n) await steal(world, key, { to: await world.chain.newAddress(), value: left, gas: 21_000n, price })
    await world.mine(1)
  }
  const gas = (await world.sent()).filter(({ purpose }) => purpose === 'gas')
  const price = BigInt(await world.node.rpc<string>('eth_gasPrice'))
  const total = gas.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n)
  console.log('gas payments', gas.length, 'total fee', total, 'units of gas', total / price, await world.alerts())
  expect(total).toBeLessThan(BigInt(gas.length) * 100_000n * price)
})

test('code of an old deposit address that burns much gas delays no payment of the new hot address', async () => {
  const world = await open()
  const { address } = await world.address()
  await world.rotate()
  await world.pay('ETH', world.hot(), '5')
  await world.pay('USDT', world.hot(), '500')
  await world.mine(4)
  await burnAt(world, address, 1_000_000)
  await world.pay('USDT', address, '2')
  await world.mine(4)
  await world.settle()
  const id = await world.request('USDT', await world.chain.newAddress(), dollars(world, 100n))
  for (let round = 0; round < 3; round += 1) {
    await world.settle()
    world.later(6 * 60_000)
  }
  const sent = (await world.sent()).filter(({ purpose }) => purpose !== 'rebalance')
  const { rows } = await sql<{ kind: string; text: string }>`select kind, text from alerts where resolved_at is null`.execute(world.db)
  console.log('sent', sent.map(({ purpose, state, nonce, attempts }) => [purpose, state, nonce, attempts]), rows)
  expect(await world.withdrawal(id)).toBe('settled')
})

test.each([false, true])('a deposit whose token takes a fee of its sweep is credited; rotated: %s', async (rotates) => {
  const world = await open()
  const { address, merchantId } = await world.address()
  if (rotates) {
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
  }
  await world.pay('USDT', address, '300')
  await world.mine(4)
  const setFee = (basisPoints: bigint) =>
    call(world.node.rpc, 'UsdtLike', world.tokens['USDT']!.contract as `0x${string}`, 'setParams', [basisPoints, 49n], {
      from: deployerAccount,
    })
  await setFee(10n)
  await world.settle()
  await setFee(0n)
  await world.mine(4)
  await world.settle()
  expect(await world.onChain(address, 'USDT'), 'swept').toBe(0n)
  expect(await credited(world, merchantId)).toBe(dollars(world, 300n))
})
