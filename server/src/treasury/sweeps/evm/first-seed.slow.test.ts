/** A second seed takes the place of the first, on real EVM chains; in some tests a thief has the first. */
import { randomUUID } from 'node:crypto'
import { SECOND_SEED } from '@bursar/chainkit'
import { checksumAddress, encodeTransfer, sweepOne, type Hex } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { faucetAccount, sendAndMine } from '../../../../../sandbox/anvil/transactions.ts'
import { bsc, ethereum, type EvmSpec } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps, type SweepOptions } from '../../../../../test/world/evm-sweeps.ts'
import { setHostileCode, steal } from '../../../../../test/world/evm-thief.ts'
import { EVM_HOT as OLD_HOT, WALLET } from '../../../../../test/world/wallet.ts'
import type { KeyReference } from '../../../../../signer/src/protocol/protocol.ts'
import { runAll } from '../../../../../test/world/network.ts'
import { createStockJob } from '../../../chain/addresses/index.ts'
import { createRefusalJob, evmHotKeys } from '../../../chain/transactions/index.ts'
import { createStop, readStops } from '../../../ledger/stops/index.ts'
import { decidedSums, undecidedDeposits } from '../../../pay-in/deposits/index.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { leftAtFirstSeed, reconcileNetwork } from '../../reconciliation/index.ts'
import { judgeRound } from '../../reconciliation/judging.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'

const database = useDatabase({ template: migrated })
const [anvil] = EVM_NODES.map(([, use]) => ({ ethereum: use(), bsc: use({ chainId: bsc.chainId, baseFee: 0n }) }))

const open = async (spec: EvmSpec = ethereum, more: Partial<SweepOptions> = {}): Promise<EvmSweeps> =>
  openEvmSweeps(database.url, { spec, node: await anvil![spec.name as 'ethereum' | 'bsc'](), ...more })

const keyOf = async ({ db }: EvmSweeps, address: string): Promise<KeyReference> => {
  const { rows } = await sql<{ index: number }>`select derivation_index as index from addresses
    where family = 'EVM' and address = ${address}`.execute(db)
  return { account: 'deposit', branch: 0, index: rows[0]!.index }
}

/** Ledger units of a millionth. */
const unit = ({ catalogue }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto('USDT')!.scale - 6)

/** The senders of our transactions by which the second seed pays, or takes part for, an address of the first. */
const paidToOld = async (world: EvmSweeps): Promise<string[]> => {
  const { rows } = await sql<{ sender: string; keys: { index: number }[] }>`
    select o.senders[1] as sender, t.signing_keys as keys from outgoing o
    join outgoing_attempts t on t.outgoing_id = o.id`.execute(world.db)
  const isSecond = ({ index }: { index: number }): boolean => index >= SECOND_SEED
  return rows.filter(({ keys }) => isSecond(keys[0]!) && keys.some((key) => !isSecond(key))).map(({ sender }) => sender)
}

const credited = ({ balance }: EvmSweeps, merchantId: string, ticker = 'USDT'): Promise<bigint> =>
  balance(merchantId, ticker, 'merchant')

describe.each([ethereum, bsc])('after a planned rotation on $blockchain', (spec) => {
  test('under load, each deposit is credited, old money is swept by the old wallet and paid to the new one, which pays', async () => {
    const world = await open(spec)
    const { coin } = world
    const owners = await Promise.all([world.address(), world.address(), world.address()])
    const [first, second, third] = owners as [(typeof owners)[0], (typeof owners)[0], (typeof owners)[0]]
    await world.pay('USDT', first.address, '500')
    await world.mine(4)
    await world.pay('USDT', OLD_HOT, '270')
    await world.mine(4)
    const signed = await world.request('USDT', await world.chain.newAddress(), 100_000_000n * unit(world))
    await world.plan()
    await world.sendJob().run(new AbortController().signal)
    expect((await world.sent()).map(({ purpose, senders }) => [purpose, senders])).toEqual([['payout', [OLD_HOT]]])
    const unsigned = await world.request('USDT', await world.chain.newAddress(), 40_000_000n * unit(world))
    await world.plan()
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
    expect(await credited(world, second.merchantId), 'credited before it is moved').toBe(300_000_000n * unit(world))
    expect(await credited(world, third.merchantId, coin)).toBe((E18 / 2n) * coinUnit(world))
    await world.settle()
    await world.rotate()
    await world.settle()
    world.later(3_600_000)
    await world.settle()

    for (const { address } of [...owners, fresh]) expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect(await world.onChain(OLD_HOT, 'USDT')).toBe(0n)
    expect(await world.onChain(OLD_HOT, coin), 'only the reserve for sweeps').toBeLessThan(E18 / 4n)
    expect(await world.onChain(world.hot(), coin)).toBeGreaterThan(9n * E18)
    expect(await world.withdrawal(signed)).toBe('settled')
    expect(await world.withdrawal(unsigned)).toBe('settled')
    const payments = (await world.sent()).filter(({ purpose, state }) => purpose === 'payout' && state === 'final')
    expect(payments.map(({ senders }) => senders[0])).toEqual([OLD_HOT, world.hot()])
    expect(await paidToOld(world)).toEqual([])
    expect(await world.differences()).toEqual([])
    // The worker ends it when the signer's check passes the payment; this world asks for no check.
    expect(await world.alerts()).toEqual(['signer-rotated'])
    expect((await leftAtFirstSeed(world.db)).filter(({ asset }) => asset !== coin)).toEqual([])

    await world.pay('USDT', second.address, '25')
    await world.mine(4)
    await world.settle()
    expect(await credited(world, second.merchantId), 'a later deposit').toBe(325_000_000n * unit(world))
    expect(await world.onChain(OLD_HOT, 'USDT')).toBe(0n)
    expect(await world.differences()).toEqual([])
  })
})

test('several old hot addresses drain; an unsigned transfer between them, and the alerts about it and a payment, end', async () => {
  const world = await open(ethereum, { hotAddresses: 3, asksSigner: true })
  const old = evmHotKeys(WALLET, 3).map(({ address }) => address)
  for (const address of old.slice(1)) await world.pay('ETH', address, '2')
  await world.pay('USDT', OLD_HOT, '900')
  await world.mine(4)
  const payment = await world.request('USDT', await world.chain.newAddress(), 40_000_000n * unit(world))
  await world.plan()
  await world.rebalance()
  const before = await world.sent()
  expect(before.map(({ purpose }) => purpose)).toContain('payout')
  const moves = before.filter(({ purpose }) => purpose === 'rebalance').map(({ id }) => id)
  expect(moves.length).toBeGreaterThan(0)
  await world.rotate()
  await world.pay('ETH', world.hot(), '5')
  await world.pay('USDT', old[1]!, '70')
  await world.mine(4)
  await runAll(world.sendJob(), 20)
  expect(await world.alerts()).toContain('signer-rotated')
  for (let round = 0; round < 4; round += 1) {
    await world.settle()
    world.later(3_600_000)
    await runAll(createRefusalJob({ runtime: world.runtime, network: 'ETHEREUM' }, 0))
  }
  expect(await Promise.all(old.map((address) => world.onChain(address, 'USDT')))).toEqual([0n, 0n, 0n])
  for (const address of old) expect(await world.onChain(address, 'ETH')).toBeLessThan(E18 / 4n)
  expect(await world.withdrawal(payment)).toBe('settled')
  const ended = (await world.sent()).filter(({ id }) => moves.includes(id))
  expect(ended.map(({ state }) => state).filter((state) => state !== 'failed' && state !== 'abandoned')).toEqual([])
  expect(await world.alerts()).toEqual([])
  expect(await world.differences()).toEqual([])
  expect(await paidToOld(world)).toEqual([])
})

const E18 = 10n ** 18n
const coinUnit = ({ catalogue, coin }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto(coin)!.scale - 18)

describe('when the first seed is stolen', () => {
  const stolen = { isFirstStolen: true } as const

  test('a deposit at an old address waits for an operator, wherever its money goes, and then is credited or refused', async () => {
    const world = await open()
    const [before, one, other] = [await world.address(), await world.address(), await world.address()]
    await world.pay('USDT', before.address, '100')
    await world.mine(4)
    await world.rotate(stolen)
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', one.address, '300')
    await world.pay('USDT', other.address, '300')
    await world.mine(4)
    await world.settle()
    expect(await world.onChain(world.hot(), 'USDT'), 'all of it has arrived').toBe(700_000_000n)
    expect(await credited(world, before.merchantId)).toBe(100_000_000n * unit(world))
    expect([await credited(world, one.merchantId), await credited(world, other.merchantId)]).toEqual([0n, 0n])
    const waiting = await undecidedDeposits(world.db, 10)
    expect(waiting.map(({ address }) => address).toSorted()).toEqual([one.address, other.address].toSorted())
    const idOf = (address: string): string => waiting.find((deposit) => deposit.address === address)!.id
    expect(await world.decide([idOf(one.address), randomUUID()], true), 'one is unknown').toBe(false)
    expect(await world.decide([idOf(one.address)], true)).toBe(true)
    expect(await world.decide([idOf(one.address)], true), 'it is decided').toBe(false)
    expect(await world.decide([idOf(other.address)], false)).toBe(true)
    await world.mine(2)
    expect(await credited(world, one.merchantId)).toBe(300_000_000n * unit(world))
    expect(await credited(world, other.merchantId)).toBe(0n)
    expect(await undecidedDeposits(world.db, 10)).toEqual([])
    expect((await decidedSums(world.db)).get('ETHEREUM/USDT')).toBe(300_000_000n * unit(world))
    expect(await world.differences()).toEqual([])
    expect(await paidToOld(world)).toEqual([])
  })

  test('a thief who gives old addresses hostile code and takes the gas of the old hot address holds up no payment', async () => {
    const world = await open()
    const { address } = await world.address()
    await world.rotate(stolen)
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', world.hot(), '100')
    await world.pay('USDT', address, '300')
    await world.mine(4)
    await setHostileCode(world, address)
    const stranger = await world.chain.newAddress()
    await steal(world, { account: 'hot', branch: 0, index: 0 }, { to: stranger, value: 49n * (E18 / 10n) })
    const spent = await world.onChain(world.hot(), 'ETH')
    const id = await world.request('USDT', await world.chain.newAddress(), 50_000_000n * unit(world))
    await world.settle()
    expect(await world.withdrawal(id)).toBe('settled')
    expect(await world.onChain(world.hot(), 'ETH'), 'only the fee of the payment').toBeGreaterThan(spent - E18 / 100n)
    expect(await paidToOld(world)).toEqual([])
    const sent = await world.sent()
    expect(
      sent.filter(({ senders }) => senders[0] === world.hot()).map(({ purpose, state }) => [purpose, state]),
    ).toEqual([['payout', 'final']])
  })

  test('a thief who uses nonces of the old hot address stops neither sweeps nor the drain', async () => {
    const world = await open()
    const { address } = await world.address()
    await world.rotate(stolen)
    await world.pay('ETH', world.hot(), '5')
    await steal(world, { account: 'hot', branch: 0, index: 0 }, { to: await world.chain.newAddress(), value: 1n })
    await world.pay('USDT', address, '300')
    await world.mine(4)
    await world.settle()
    expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect(await world.onChain(world.hot(), 'USDT')).toBe(300_000_000n)
  })

  test('a thief takes one unit: the rest is moved in spite of a stop, and payments of the asset go on', async () => {
    const world = await open()
    const { address } = await world.address()
    await world.rotate(stolen)
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', address, '300')
    await world.pay('ETH', address, '0.01')
    await world.mine(1)
    const data = encodeTransfer(await world.chain.newAddress(), 1n)
    await steal(world, await keyOf(world, address), { to: world.tokens['USDT']!.contract, data })
    await world.mine(4)
    const round = await reconcileNetwork(world.runtime, world.catalogue, world.adapter)
    await judgeRound(world.runtime, world.catalogue, round!)
    expect(await world.alerts()).toContain('custody-shortage')
    expect(await readStops(world.db)).toEqual([])
    await inTransaction(world.db, (tx) =>
      createStop(tx, { asset: 'USDT', merchantId: null, reason: 'by hand' }, momentOf(world.runtime)),
    )
    await world.settle()
    expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect(await world.onChain(world.hot(), 'USDT')).toBe(299_999_999n)
  })

  test('a thief has the delegate of the old treasury move coin, or logs that it did: nothing is credited', async () => {
    const world = await open()
    const [address] = (await world.holding(3)) as [string]
    await world.settle()
    expect(await world.states()).toEqual({ 'delegate final': 3 })
    await world.rotate(stolen)
    await world.pay('ETH', world.hot(), '5')
    await world.pay('USDT', address, '90')
    await world.mine(1)
    await sendAndMine(world.node.rpc, {
      from: faucetAccount,
      to: address as Hex,
      data: sweepOne.encode([checksumAddress(world.tokens['USDT']!.contract)]),
      gas: 200_000n,
    })
    await world.mine(4)
    await world.settle()
    expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect((await undecidedDeposits(world.db, 10)).map((deposit) => deposit.address)).toEqual([address])
  })
})
