/** A second seed takes the place of the first, on real EVM chains; a thief has the first. */
import { NATIVE_TICKER, SECOND_SEED } from '@bursar/chainkit'
import { checksumAddress, encodeTransfer, sweepOne, type Hex } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { faucetAccount, sendAndMine } from '../../../../../sandbox/anvil/transactions.ts'
import { bsc, ethereum, type EvmSpec } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps } from '../../../../../test/world/evm-sweeps.ts'
import { steal } from '../../../../../test/world/evm-thief.ts'
import { EVM_HOT as OLD_HOT, WALLET } from '../../../../../test/world/wallet.ts'
import type { KeyReference } from '../../../../../signer/src/protocol/protocol.ts'
import { createStockJob } from '../../../chain/addresses/index.ts'
import { createStop } from '../../../ledger/stops/index.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { leftAtFirstSeed } from '../index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'

const database = useDatabase({ template: migrated })
const GWEI = 10n ** 9n
const [anvil] = EVM_NODES.map(([, use]) => ({ ethereum: use(), bsc: use({ chainId: bsc.chainId, baseFee: 0n }) }))

const open = async (spec: EvmSpec = ethereum): Promise<EvmSweeps> =>
  openEvmSweeps(database.url, { spec, node: await anvil![spec.name as 'ethereum' | 'bsc']() })

const keyOf = async ({ db }: EvmSweeps, address: string): Promise<KeyReference> => {
  const { rows } = await sql<{ index: number }>`select derivation_index as index from addresses
    where family = 'EVM' and address = ${address}`.execute(db)
  return { account: 'deposit', branch: 0, index: rows[0]!.index }
}

const credited = ({ balance }: EvmSweeps, merchantId: string, ticker = 'USDT'): Promise<bigint> =>
  balance(merchantId, ticker, 'merchant')

describe.each([ethereum, bsc])('after a rotation on $blockchain', (spec) => {
  test('the money of the first seed goes to the second, which pays; late deposits at old addresses are credited then', async () => {
    const world = await open(spec)
    const { coin } = world
    const owners = await Promise.all([world.address(), world.address(), world.address()])
    const [first, second, third] = owners as [(typeof owners)[0], (typeof owners)[0], (typeof owners)[0]]
    await world.pay('USDT', first.address, '500')
    await world.mine(4)
    await world.pay('USDT', OLD_HOT, '70')
    const stock = { runtime: world.runtime, keys: { ...WALLET }, families: ['EVM' as const], target: 4 }
    await createStockJob(stock).run(new AbortController().signal)
    await world.rotate()
    const fresh = await world.address()
    expect((await keyOf(world, fresh.address)).index).toBeGreaterThanOrEqual(SECOND_SEED)
    await world.pay(coin, world.hot(), '5')
    await world.pay('USDT', second.address, '300')
    await world.pay(coin, third.address, '0.5')
    await world.pay('USDT', fresh.address, '200')
    await world.mine(4)
    expect(await Promise.all(owners.map(({ merchantId }) => credited(world, merchantId)))).toEqual([
      500_000_000n * unit(world),
      0n,
      0n,
    ])
    expect(await credited(world, third.merchantId, coin)).toBe(0n)
    expect(await credited(world, fresh.merchantId)).toBe(200_000_000n * unit(world))
    await world.settle()
    await world.settle()
    for (const { address } of [...owners, fresh]) expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect(await world.onChain(OLD_HOT, 'USDT')).toBe(0n)
    expect(await world.onChain(OLD_HOT, coin)).toBeLessThan((GWEI * GWEI) / 100n)
    expect(await credited(world, second.merchantId)).toBe(300_000_000n * unit(world))
    expect(await credited(world, third.merchantId, coin)).toBe(5n * 10n ** 17n)
    const outside = await world.chain.newAddress()
    const id = await world.request('USDT', outside, 40_000_000n * unit(world))
    await world.settle()
    expect(await world.withdrawal(id)).toBe('settled')
    expect(await world.differences()).toEqual([])
    expect(await world.alerts()).toEqual([])
    const left = await leftAtFirstSeed(world.db)
    expect(left.filter(({ asset }) => asset !== coin)).toEqual([])
  })
})

/** Ledger units of a millionth. */
const unit = ({ catalogue }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto('USDT')!.scale - 6)

describe('a thief of the first seed', () => {
  test('moves a deposit through the old hot address: it is not credited, wherever the money goes then', async () => {
    const world = await open()
    const { address, merchantId } = await world.address()
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', address, '300')
    await world.pay('ETH', address, '0.01')
    await world.mine(1)
    const key = await keyOf(world, address)
    await steal(world, key, { to: world.tokens['USDT']!.contract, data: encodeTransfer(OLD_HOT, 300_000_000n) })
    await world.mine(4)
    await world.settle()
    expect(await world.onChain(world.hot(), 'USDT'), 'the job has emptied the old hot address').toBe(300_000_000n)
    expect(await credited(world, merchantId)).toBe(0n)
    await world.pay('USDT', address, '50')
    await world.mine(4)
    await world.settle()
    expect(await credited(world, merchantId), 'the next deposit is credited').toBe(50_000_000n * unit(world))
  })

  test('steals one unit: the rest is moved, in spite of the stop that the shortage creates', async () => {
    const world = await open()
    const { address, merchantId } = await world.address()
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', address, '300')
    await world.pay('ETH', address, '0.01')
    await world.mine(1)
    const stranger = await world.chain.newAddress()
    const data = encodeTransfer(stranger, 1n)
    await steal(world, await keyOf(world, address), { to: world.tokens['USDT']!.contract, data })
    await inTransaction(world.db, (tx) =>
      createStop(tx, { asset: 'USDT', merchantId: null, reason: 'custody is short' }, momentOf(world.runtime)),
    )
    await world.mine(4)
    await world.settle()
    expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect(await world.onChain(world.hot(), 'USDT')).toBe(299_999_999n)
    expect(await credited(world, merchantId)).toBe(0n)
  })

  test('takes the gas of an address: it gets none again, and its deposit waits', async () => {
    const world = await open()
    const { address } = await world.address()
    await world.rotate()
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', address, '300')
    await world.mine(4)
    const stranger = await world.chain.newAddress()
    let thefts = 0
    for (let round = 0; round < 4; round += 1) {
      await world.work()
      await world.mine(1)
      const held = await world.onChain(address, 'ETH')
      const price = BigInt(await world.node.rpc<string>('eth_gasPrice'))
      const left = held - 21_000n * price
      if (left > 0n) {
        await steal(world, await keyOf(world, address), { to: stranger, value: left, gas: 21_000n, price })
        thefts += 1
      }
      await world.mine(3)
      world.later(3 * 3_600_000)
    }
    const gas = (await world.sent()).filter(({ purpose }) => purpose === 'gas')
    expect([gas.length, thefts]).toEqual([1, 1])
    expect(await world.onChain(address, 'USDT')).toBe(300_000_000n)
  })

  test('has the delegate of the old treasury move a deposit: it is not credited', async () => {
    const world = await open()
    const [address] = (await world.holding(3)) as [string]
    await world.settle()
    expect(await world.states()).toEqual({ 'delegate final': 3 })
    const { rows } = await sql<{
      id: string
    }>`select merchant_id as id from addresses where address = ${address}`.execute(world.db)
    const before = await credited(world, rows[0]!.id)
    await world.rotate()
    await world.pay('USDT', address, '90')
    await world.mine(1)
    // The delegate of the old treasury: anyone may call it, and it pays the old hot address.
    await sendAndMine(world.node.rpc, {
      from: faucetAccount,
      to: address as Hex,
      data: sweepOne.encode([checksumAddress(world.tokens['USDT']!.contract)]),
      gas: 200_000n,
    })
    await world.mine(4)
    await world.pay('ETH', world.hot(), '5')
    await world.settle()
    expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect(await credited(world, rows[0]!.id)).toBe(before)
  })
})

test('a payment that the old hot address signed is mined or replaced, and its coin waits for that', async () => {
  const world = await open()
  await world.pay('USDT', OLD_HOT, '500')
  await world.mine(4)
  const id = await world.request('USDT', await world.chain.newAddress(), 100_000_000n * unit(world))
  await world.plan()
  await world.sendJob().run(new AbortController().signal)
  const [payment] = await world.sent()
  expect(payment).toMatchObject({ purpose: 'payout', senders: [OLD_HOT] })
  await world.rotate()
  await world.settle()
  await world.settle()
  expect(await world.withdrawal(id)).toBe('settled')
  expect((await world.sent()).filter(({ purpose }) => purpose === 'payout')).toHaveLength(1)
  expect(await world.onChain(OLD_HOT, 'USDT')).toBe(0n)
  expect(await world.onChain(OLD_HOT, NATIVE_TICKER.ETHEREUM)).toBeLessThan(10n ** 16n)
  expect(await world.differences()).toEqual([])
})
