/**
 * Sweeps on two real EVM chains: what waits at deposit addresses reaches the hot wallet, and the books agree with the
 * chain.
 */
import { randomUUID } from 'node:crypto'
import { isRefused } from '@bursar/chainkit'
import { COIN, fromHex, parseDraft, sweepOne } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deployerAccount, faucetAccount, sendAndMine } from '../../../../../sandbox/anvil/transactions.ts'
import { call, ensureTokens } from '../../../../../sandbox/tokens/index.ts'
import { bsc, ethereum, type EvmSpec } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps, type SweepOptions } from '../../../../../test/world/evm-sweeps.ts'
import { runAll } from '../../../../../test/world/network.ts'
import { EVM_HOT as HOT } from '../../../../../test/world/wallet.ts'
import { expectedPrice } from './gas-price.ts'

const database = useDatabase({ template: migrated })
const GWEI = 10n ** 9n
const HOUR = 3_600_000
/** Of each kind, one on Ethereum's rules and one like BSC. */
const NODES = EVM_NODES.map(([name, use]) => ({
  name,
  ethereum: use(),
  bsc: use({ chainId: bsc.chainId, baseFee: 0n }),
}))
type Nodes = Pick<(typeof NODES)[number], EvmSpec['name']>
type OpenOptions = Partial<SweepOptions> & { nodes?: Nodes }

/** On anvil unless `nodes` says otherwise. */
const open = async (spec: EvmSpec, { nodes = NODES[0]!, ...more }: OpenOptions = {}): Promise<EvmSweeps> =>
  openEvmSweeps(database.url, { spec, node: await nodes[spec.name](), ...more })

const usdtOf = async (world: EvmSweeps): Promise<string> =>
  (await ensureTokens(world.node.rpc, ethereum.tokens)).get('USDT')!

const units = (whole: bigint): bigint => whole * 1_000_000n

describe.each(NODES)('on $name', (nodes) => {
  test.each([ethereum, bsc])(
    '$blockchain: deposits of three assets leave 12 addresses in one transaction, and again without authorisations',
    async (spec) => {
      const world = await open(spec, { nodes })
      const { coin } = world
      const merchants = [randomUUID(), randomUUID(), randomUUID()]
      const owners = await Promise.all(Array.from({ length: 12 }, (_, i) => world.address(merchants[i % 3])))
      for (const [i, { address }] of owners.entries()) {
        if (i % 3 !== 1) await world.pay('USDT', address, `${100 + i}.000001`)
        if (i % 2 === 0) await world.pay('USDC', address, '250')
        if (i % 3 === 2) await world.pay(coin, address, '0.5')
      }
      await world.pay('USDT', owners[1]!.address, '77')
      await world.mine(1)
      await world.work()
      expect(await world.rows(), 'nothing before it is final').toEqual([])
      await world.mine(3)
      const before = await Promise.all(['USDT', 'USDC', coin].map((ticker) => world.onChain(HOT, ticker)))
      await world.settle()

      const states = await world.states()
      expect(
        Object.keys(states).every((state) => state.endsWith(' final')),
        JSON.stringify(states),
      ).toBe(true)
      expect(states['delegate final']).toBeGreaterThanOrEqual(15)
      const sweeps = (await world.sent()).filter(({ unsigned }) => unsigned.startsWith('0x04'))
      expect(sweeps).toHaveLength(1)
      for (const { address } of owners) {
        expect(await world.onChain(address, 'USDT')).toBe(0n)
        expect(await world.onChain(address, 'USDC')).toBe(0n)
      }
      const after = await Promise.all(['USDT', 'USDC', coin].map((ticker) => world.onChain(HOT, ticker)))
      expect(after[0]! - before[0]!).toBeGreaterThan(0n)
      expect(after[1]! - before[1]!).toBe(250n * 6n * 10n ** BigInt(spec.tokens[0]!.decimals))
      expect(await world.differences()).toEqual([])
      const costs = await Promise.all(merchants.map((id) => world.balance(id, coin, 'network-costs')))
      expect(costs.every((cost) => cost < 0n)).toBe(true)
      const paid = (await world.sent()).reduce((sum, { fee }) => sum + (fee ?? 0n), 0n)
      expect(-costs.reduce((sum, cost) => sum + cost, await world.platformCosts())).toBe(paid)

      for (const { address } of owners.slice(0, 6)) await world.pay('USDT', address, '300')
      await world.mine(4)
      await world.settle()
      const second = (await world.sent()).filter(({ purpose }) => purpose === 'sweep').at(-1)!
      expect(second.unsigned.startsWith('0x04')).toBe(false)
      for (const { address } of owners) expect(await world.onChain(address, 'USDT')).toBe(0n)
      expect(await world.differences()).toEqual([])
      expect(await world.alerts()).toEqual([])
    },
  )

  test('without delegation an address is sent its gas and pays by itself; the rest of the gas is in the books', async () => {
    const world = await open(ethereum, { nodes, policy: { setCode: 'off' } })
    const addresses = await world.holding(2)
    await world.pay('USDC', addresses[0]!, '300')
    await world.mine(4)
    await world.settle()
    await world.settle()
    expect(await world.leftOf(addresses)).toEqual([0n, 0n])
    expect(await world.onChain(addresses[0]!, 'USDC')).toBe(0n)
    const outgoing = await world.sent()
    expect(outgoing.filter(({ purpose }) => purpose === 'gas')).toHaveLength(2)
    expect(outgoing.filter(({ senders }) => addresses.includes(senders[0]!)).map(({ state }) => state)).toEqual([
      'final',
      'final',
      'final',
    ])
    expect(await world.states()).toEqual({ 'top-up final': 3 })
    expect(await world.differences()).toEqual([])
  })

  test('without delegation, a token that takes signatures is swept by them, many holders at once, and again', async () => {
    const world = await open(ethereum, {
      nodes,
      policy: { setCode: 'off' },
      domain: { name: 'Sandbox USD Coin', version: '2' },
    })
    const owners = await Promise.all(Array.from({ length: 5 }, () => world.address()))
    for (const round of [1, 2]) {
      for (const { address } of owners) await world.pay('USDC', address, '300')
      await world.mine(4)
      await world.settle()
      expect(await world.states()).toEqual({ 'authorize final': 5 * round })
    }
    for (const { address } of owners) expect(await world.onChain(address, 'USDC')).toBe(0n)
    expect(
      (await world.sent()).map(({ purpose, state }) => `${purpose} ${state}`),
      'the relay and two batches',
    ).toEqual(Array.from({ length: 3 }, () => 'sweep final'))
    expect(await world.differences()).toEqual([])
  })

  test('where blocks show no inner calls, the books follow coin that leaves by delegation', async () => {
    const world = await open(ethereum, { nodes, traces: 'off' })
    const addresses = await world.holding(4)
    await world.settle()
    expect(await world.states()).toEqual({ 'delegate final': 4 })
    for (const address of addresses) {
      await world.pay('USDT', address, '300')
      await world.pay('ETH', address, '0.4')
    }
    await world.mine(4)
    await world.settle()
    expect(await world.states()).toEqual({ 'delegate final': 12 })
    for (const address of addresses) expect(await world.onChain(address, 'ETH')).toBe(0n)
    expect(await world.differences()).toEqual([])
  })

  test('audit D-E2: where blocks show no inner calls, the books follow the coin that a stranger has swept', async () => {
    const world = await open(ethereum, { nodes, traces: 'off' })
    const [address] = (await world.holding(3)) as [string]
    await world.settle()
    await world.pay('ETH', address, '0.00001')
    await world.mine(4)
    expect(await world.differences()).toEqual([])
    await sendAndMine(world.node.rpc, {
      from: faucetAccount,
      to: address as `0x${string}`,
      data: sweepOne.encode([COIN]),
      gas: 200_000n,
    })
    await world.mine(4)
    expect(await world.onChain(address, 'ETH')).toBe(0n)
    expect(await world.differences()).toEqual([])
  })

  test('coin that a stranger sweeps while we do does not keep its address from being swept', async () => {
    const world = await open(ethereum, { nodes })
    const [address] = (await world.holding(3)) as [string]
    await world.settle()
    await world.pay('ETH', address, '0.5')
    await world.mine(4)
    await world.work()
    expect(await world.states()).toMatchObject({ 'delegate broadcast': 1 })
    const dearer = '0x174876e800'
    await world.node.rpc('eth_sendTransaction', {
      from: faucetAccount,
      to: address,
      data: sweepOne.encode([COIN]),
      gas: '0x30d40',
      maxFeePerGas: dearer,
      maxPriorityFeePerGas: dearer,
    })
    await world.mine(4)
    await world.pay('USDT', address, '200')
    await world.mine(4)
    await world.settle()
    expect(await world.leftOf([address])).toEqual([0n])
    expect(await world.onChain(address, 'ETH')).toBe(0n)
    expect(await world.differences()).toEqual([])
    expect(await world.alerts()).toEqual([])
  })

  test('a reorganisation takes a sweep back; the same bytes are mined again, and costs are charged once', async () => {
    const world = await open(ethereum, { nodes })
    const addresses = await world.holding(4)
    await world.deployed()
    await world.work()
    await world.mine(1)
    expect(await world.states()).toEqual({ 'delegate mined': 4 })
    expect(await world.differences()).toEqual([])
    const [sweep] = (await world.sent()).filter(({ unsigned }) => unsigned.startsWith('0x04'))
    await world.chain.reorg({ depth: 1, without: [sweep!.hash!] })
    await world.catchUp()
    expect(await world.states()).toEqual({ 'delegate broadcast': 4 })
    expect(await world.differences()).toEqual([])
    await world.settle()
    expect(await world.states()).toEqual({ 'delegate final': 4 })
    expect(await world.leftOf(addresses)).toEqual([0n, 0n, 0n, 0n])
    expect((await world.sent()).filter(({ hash }) => hash === sweep!.hash)).toHaveLength(1)
    expect(await world.differences()).toEqual([])
  })

  test('a stuck sweep pays more: the same nonce and authorisations, and one of the two is mined', async () => {
    const world = await open(ethereum, { nodes })
    const addresses = await world.holding(4)
    await world.deployed()
    await world.work()
    world.later(61_000)
    await world.work()
    const [bumped] = (await world.sent()).filter(({ unsigned }) => unsigned.startsWith('0x04'))
    const draft = parseDraft(fromHex(bumped!.unsigned as `0x${string}`))
    if (isRefused(draft)) throw new Error(draft.message)
    expect([draft.nonce, draft.authorizations.length, await world.attempts()]).toEqual([BigInt(bumped!.nonce!), 4, 2])
    await world.settle()
    expect(await world.states()).toEqual({ 'delegate final': 4 })
    expect(await world.leftOf(addresses)).toEqual([0n, 0n, 0n, 0n])
    expect(await world.differences()).toEqual([])
  })
})

test('E10 the sweep of an address that the token refuses is retried at growing intervals, and an alert is raised', async () => {
  const world = await open(ethereum)
  const addresses = await world.holding(4)
  const [blocked] = addresses as [string]
  await call(world.node.rpc, 'UsdtLike', await usdtOf(world), 'addBlackList', [blocked], { from: deployerAccount })
  await world.settle()
  expect(await world.leftOf(addresses)).toEqual([units(200n), 0n, 0n, 0n])
  for (const hours of [1, 2, 4]) {
    world.later(hours * HOUR + 1_000)
    await world.settle()
  }
  const refused = (await world.rows()).filter(({ address }) => address === blocked)
  expect(refused.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed', 'failed'])
  expect(await world.alerts()).toEqual(['sweep-failing'])
  await call(world.node.rpc, 'UsdtLike', await usdtOf(world), 'removeBlackList', [blocked], { from: deployerAccount })
  world.later(9 * HOUR)
  await world.settle()
  expect(await world.leftOf(addresses)).toEqual([0n, 0n, 0n, 0n])
  expect(await world.alerts()).toEqual([])
  expect(await world.differences()).toEqual([])
})

test('a balance that a batch did not move is found, and is swept again without an operator', async () => {
  const world = await open(ethereum)
  const addresses = await world.holding(4)
  const [blocked] = addresses as [string]
  await world.deployed()
  await runAll(world.sweepJob())
  await call(world.node.rpc, 'UsdtLike', await usdtOf(world), 'addBlackList', [blocked], { from: deployerAccount })
  await world.catchUp()
  for (let i = 0; i < 3; i += 1) await runAll(world.sendJob())
  await world.mine(4)
  expect(await world.states()).toEqual({ 'delegate final': 3, 'delegate failed': 1 })
  await call(world.node.rpc, 'UsdtLike', await usdtOf(world), 'removeBlackList', [blocked], { from: deployerAccount })
  await world.settle()
  expect(await world.leftOf(addresses), 'not before its time').toEqual([units(200n), 0n, 0n, 0n])
  world.later(HOUR + 1_000)
  await world.settle()
  expect(await world.leftOf(addresses)).toEqual([0n, 0n, 0n, 0n])
  expect(
    (await world.sent()).filter(({ unsigned }) => unsigned.startsWith('0x04')),
    'it has delegated already',
  ).toHaveLength(1)
  expect(await world.differences()).toEqual([])
})

test.each(['auto', 'off'] as const)(
  'a fee that the issuer takes of sweeps is posted as a cost: delegation %s',
  async (setCode) => {
    const world = await open(ethereum, { policy: { setCode } })
    const addresses = await world.holding(2)
    const setFee = (basisPoints: bigint) =>
      call(world.node.rpc, 'UsdtLike', contract, 'setParams', [basisPoints, 49n], { from: deployerAccount })
    const contract = await usdtOf(world)
    await setFee(10n)
    await world.settle()
    await setFee(0n)
    expect(await world.leftOf(addresses)).toEqual([0n, 0n])
    expect([await world.differences(), await world.alerts()]).toEqual([[], ['issuer-fee']])
  },
)

test('a sweep that the signer refuses is free again after a while, and its nonce blocks no other payment', async () => {
  const world = await open(ethereum, { signersMaxFee: 1n })
  const addresses = await world.holding(4)
  await world.deployed()
  await world.settle()
  expect(await world.states()).toEqual({ 'delegate replaced': 4 })
  expect((await world.sent()).map(({ purpose, state }) => `${purpose} ${state}`).toSorted()).toEqual([
    'sweep abandoned',
  ])
  world.later(HOUR + 1_000)
  await world.settle()
  // A failed sweep goes alone.
  expect((await world.states())['delegate replaced'] ?? 0).toBeGreaterThan(4)
  expect(await world.leftOf(addresses)).toEqual([units(200n), units(200n), units(200n), units(200n)])
})

test("a batch that can't pay a risen gas price does not block the payments after it, and is planned again", async () => {
  const world = await open(ethereum, { maxBatchFee: 3n * 10n ** 15n })
  const addresses = await world.holding(4)
  await world.deployed()
  await world.pay('ETH', HOT, '20')
  await world.mine(4)
  await runAll(world.sweepJob())
  const to = await world.chain.newAddress()
  const id = await world.request('ETH', to, 10n ** 17n)
  await world.plan()
  for (let i = 0; i < 2; i += 1) await runAll(world.sendJob())
  const stuck = (await world.sent()).filter(({ purpose }) => purpose !== 'payout')
  expect(stuck.length).toBeGreaterThan(0)
  // Dear enough that no batch, and no transfer of a token, stays below its cap.
  const dear = async (): Promise<void> =>
    void (await world.node.rpc('anvil_setNextBlockBaseFeePerGas', `0x${(150n * GWEI).toString(16)}`))
  for (let round = 0; round < 6; round += 1) {
    await dear()
    await world.mine(1)
    world.later(61_000)
    for (let i = 0; i < 3; i += 1) await runAll(world.sendJob())
  }
  await world.mine(4)
  expect(await world.withdrawal(id)).toBe('settled')
  expect(await world.onChain(to, 'ETH')).toBe(10n ** 17n)
  const given = (await world.sent()).filter(({ purpose }) => purpose !== 'payout')
  expect(given[0], 'its nonce was used up by nothing').toMatchObject({
    state: 'final',
    nonce: stuck[0]!.nonce,
    fee: 21_000n * (given[0]!.fee! / 21_000n),
  })
  expect(given[0]!.unsigned.startsWith('0x04')).toBe(false)
  expect(await world.leftOf(addresses), 'nothing moved').not.toContain(0n)
  for (let i = 0; i < 60; i += 1) await world.mine(1)
  for (let i = 0; i < 4; i += 1) {
    world.later(2 * HOUR)
    await world.settle()
  }
  expect(await world.leftOf(addresses)).toEqual([0n, 0n, 0n, 0n])
  expect(await world.differences()).toEqual([])
  const { rows } = await sql<{
    nonce: number
  }>`select nonce from outgoing where senders[1] = ${HOT} and state <> 'abandoned' order by nonce`.execute(world.db)
  expect(rows.map(({ nonce }) => nonce - rows[0]!.nonce)).toEqual(rows.map((_, i) => i))
})

test('balances that are not worth a sweep yet, even the oldest, do not delay others that are', async () => {
  const world = await open(ethereum, { policy: { batch: 1 } })
  const rate = await world.adapter.feeRate()
  if (rate.kind !== 'gas') throw new Error('no price of gas')
  // Worth 24,000 gas twenty times over: more than the least there is, less than any way out costs.
  const poor = (expectedPrice(rate) * 24_000n * 20n * 2_000n) / 10n ** 12n
  const poorOnes = await world.holding(4, `${poor / 1_000_000n}.${String(poor % 1_000_000n).padStart(6, '0')}`)
  const [rich] = await world.holding(1)
  await world.settle()
  expect(await world.leftOf([rich!, ...poorOnes])).toEqual([0n, poor, poor, poor, poor])
})

test('E9 dust waits until it is worth its gas, and a closed gas window until it has waited too long', async () => {
  const world = await open(ethereum, { policy: { maxGasPrice: 1n, maxAgeMs: 5 * HOUR } })
  const addresses = await world.holding(4)
  const { address: dusty } = await world.address()
  await world.pay('USDT', dusty, '0.000001')
  await world.mine(4)
  await world.settle()
  expect(await world.rows()).toEqual([])
  world.later(6 * HOUR)
  await world.settle()
  expect(await world.leftOf([...addresses, dusty])).toEqual([0n, 0n, 0n, 0n, 1n])
  expect(await world.differences()).toEqual([])
})
