/** Attacks on the rotation of a stolen seed: each test states what should hold. */
import { encodeTransfer } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps } from '../../../../../test/world/evm-sweeps.ts'
import { runAll } from '../../../../../test/world/network.ts'
import { steal } from '../../../../../test/world/evm-thief.ts'
import { EVM_HOT as OLD_HOT } from '../../../../../test/world/wallet.ts'
import type { KeyReference } from '../../../../../signer/src/protocol/protocol.ts'

const database = useDatabase({ template: migrated })
const [anvil] = EVM_NODES.map(([, use]) => use())
const open = async (): Promise<EvmSweeps> => openEvmSweeps(database.url, { spec: ethereum, node: await anvil!() })
const hotKey: KeyReference = { account: 'hot', branch: 0, index: 0 }

const keyOf = async ({ db }: EvmSweeps, address: string): Promise<KeyReference> => {
  const { rows } = await sql<{ index: number }>`select derivation_index as index from addresses
    where family = 'EVM' and address = ${address}`.execute(db)
  return { account: 'deposit', branch: 0, index: rows[0]!.index }
}
const credited = ({ balance }: EvmSweeps, merchantId: string, ticker = 'USDT'): Promise<bigint> =>
  balance(merchantId, ticker, 'merchant')
const unit = ({ catalogue }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto('USDT')!.scale - 6)
const dollars = (world: EvmSweeps, count: bigint): bigint => count * 1_000_000n * unit(world)

describe('deposits that a rotation finds half way', () => {
  test.each([false, true])('small deposits, one swept before, are credited as a sum; rotated: %s', async (rotates) => {
    const world = await open()
    Object.assign(world.catalogue.findCrypto('USDT')!.networks.get('ETHEREUM')!, { minDeposit: dollars(world, 100n) })
    const { address, merchantId } = await world.address()
    await world.pay('USDT', address, '60')
    await world.mine(4)
    await world.settle()
    expect(await world.onChain(address, 'USDT'), 'swept before').toBe(0n)
    if (rotates) {
      await world.rotate()
      await world.pay('ETH', world.hot(), '5')
      await world.mine(4)
    }
    await world.pay('USDT', address, '60')
    await world.mine(4)
    await world.settle()
    world.later(3 * 3_600_000)
    await world.settle()
    expect(await world.onChain(address, 'USDT'), 'swept after').toBe(0n)
    expect(await credited(world, merchantId)).toBe(dollars(world, 120n))
  })

  test.each([false, true])('a deposit swept when final, that needs more confirmations, is credited; rotated: %s', async (rotates) => {
    const world = await open()
    const { address, merchantId } = await world.address()
    await world.pay('USDT', address, '300')
    await world.mine(1)
    // As with `confirmations: {kind: 'tiers', otherwise: 60}`.
    await sql`update deposits set credit_height = block_height + 60 where address = ${address}`.execute(world.db)
    await world.mine(4)
    await world.settle()
    expect(await world.onChain(address, 'USDT'), 'swept before').toBe(0n)
    expect(await credited(world, merchantId), 'not yet').toBe(0n)
    if (rotates) {
      await world.rotate()
      await world.pay('ETH', world.hot(), '5')
    }
    await world.mine(70)
    await world.settle()
    expect(await world.onChain(OLD_HOT, 'USDT')).toBe(rotates ? 0n : 300_000_000n)
    expect(await credited(world, merchantId)).toBe(dollars(world, 300n))
  })
})

test('a deposit of coin that a thief took is not credited by the fee caps of a sweep of tokens', async () => {
  const world = await open()
  const { address, merchantId } = await world.address()
  await world.rotate()
  await world.pay('ETH', world.hot(), '5')
  await world.pay('USDT', address, '300')
  await world.mine(4)
  await world.work()
  await world.mine(1)
  const gas = await world.onChain(address, 'ETH')
  expect(gas, 'the top-up is there').toBeGreaterThan(0n)
  // The thief is the merchant. A deposit of coin after the top-up, and before the sweep.
  const paid = '0.00007'
  await world.pay('ETH', address, paid)
  await world.mine(4)
  await world.work()
  await world.mine(1)
  expect(await world.onChain(address, 'USDT'), 'the tokens have moved').toBe(0n)
  const key = await keyOf(world, address)
  const price = BigInt(await world.node.rpc<string>('eth_gasPrice'))
  await steal(world, key, { to: world.hot(), value: 1_000_000_000n, gas: 21_000n, price })
  const left = (await world.onChain(address, 'ETH')) - 21_000n * price
  const stranger = await world.chain.newAddress()
  if (left > 0n) await steal(world, key, { to: stranger, value: left, gas: 21_000n, price })
  await world.mine(4)
  console.log('top-up', gas, 'stolen', left, 'caps', (await world.sent()).map(({ purpose, plannedFee, fee, senders }) => [purpose, plannedFee, fee, senders[0]]))
  expect(await credited(world, merchantId, 'ETH')).toBe(0n)
})

describe('what was planned when the seed became active', () => {
  test('a payment planned and not signed is paid by the second seed', async () => {
    const world = await open()
    await world.pay('USDT', OLD_HOT, '500')
    await world.mine(4)
    const id = await world.request('USDT', await world.chain.newAddress(), dollars(world, 100n))
    await world.plan()
    expect((await world.sent()).map(({ purpose, state }) => [purpose, state])).toEqual([['payout', 'planned']])
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', world.hot(), '500')
    await world.mine(4)
    await world.settle()
    world.later(6 * 60_000)
    await world.settle()
    world.later(6 * 60_000)
    await world.settle()
    expect(await world.withdrawal(id)).toBe('settled')
    expect(await world.onChain(OLD_HOT, 'USDT')).toBe(0n)
    expect(await world.differences()).toEqual([])
    console.log((await sql`select kind, subject from alerts where resolved_at is null`.execute(world.db)).rows)
    expect(await world.alerts()).toEqual([])
  })

  test.each([1, 4])('sweeps of %s addresses planned and not signed are planned again', async (count) => {
    const world = await open()
    const addresses = await world.holding(count)
    await runAll(world.sweepJob(), 20)
    expect((await world.rows()).length + (await world.sent()).length).toBeGreaterThan(0)
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
    await world.mine(4)
    await world.settle()
    world.later(3 * 3_600_000)
    await world.settle()
    world.later(25 * 3_600_000)
    await world.settle()
    expect(await world.leftOf(addresses)).toEqual(addresses.map(() => 0n))
    expect(await world.onChain(world.hot(), 'USDT')).toBe(200_000_000n * BigInt(count))
    expect(await world.alerts()).toEqual([])
  })

  test('a gas payment of the old hot address is mined, and the sweep goes to the second seed', async () => {
    const world = await open()
    const addresses = await world.holding(1)
    await runAll(world.sweepJob(), 20)
    await world.sendJob().run(new AbortController().signal)
    console.log((await world.sent()).map(({ purpose, state }) => [purpose, state]), await world.rows())
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
    await world.mine(4)
    await world.settle()
    world.later(3 * 3_600_000)
    await world.settle()
    expect(await world.leftOf(addresses)).toEqual([0n])
    expect(await world.onChain(world.hot(), 'USDT')).toBe(200_000_000n)
  })
})

describe('a thief at the old hot address', () => {
  test('uses the nonce of a signed payment: it is paid once, by the second seed', async () => {
    const world = await open()
    await world.pay('USDT', OLD_HOT, '500')
    await world.mine(4)
    const receiver = await world.chain.newAddress()
    const id = await world.request('USDT', receiver, dollars(world, 100n))
    await world.plan()
    await world.sendJob().run(new AbortController().signal)
    await world.rotate()
    const stranger = await world.chain.newAddress()
    await steal(world, hotKey, { to: world.tokens['USDT']!.contract, data: encodeTransfer(stranger, 499_000_000n), price: 80_000_000_000n })
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', world.hot(), '500')
    await world.mine(4)
    const { createSupersededJob } = await import('../../../chain/transactions/index.ts')
    for (let round = 0; round < 3; round += 1) {
      await runAll(createSupersededJob(world.sending, 0), 5)
      await world.settle()
      world.later(6 * 60_000)
    }
    expect(await world.withdrawal(id)).toBe('settled')
    expect(await world.onChain(receiver, 'USDT')).toBe(100_000_000n)
    expect(await world.onChain(OLD_HOT, 'USDT'), 'the rest is moved').toBe(0n)
  })

  test('uses the nonces of the moves to the second seed: the rest is moved', async () => {
    const world = await open()
    await world.pay('USDT', OLD_HOT, '500')
    await world.mine(4)
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
    const stranger = await world.chain.newAddress()
    const { createSupersededJob } = await import('../../../chain/transactions/index.ts')
    for (let round = 0; round < 3; round += 1) {
      await world.work()
      await steal(world, hotKey, { to: world.tokens['USDT']!.contract, data: encodeTransfer(stranger, 1_000_000n), price: 80_000_000_000n })
      await world.mine(4)
      await runAll(createSupersededJob(world.sending, 0), 5)
    }
    await world.settle()
    expect(await world.onChain(OLD_HOT, 'USDT')).toBe(0n)
    expect(await world.onChain(world.hot(), 'USDT')).toBe(497_000_000n)
    console.log(await world.alerts())
  })
})

