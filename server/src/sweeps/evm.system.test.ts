/** Sweeps on two real EVM chains: what waits at deposit addresses reaches the hot wallet, and the books agree with the chain. */
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ensureTokens } from '../../../sandbox/tokens/index.ts'
import { bsc, ethereum, type EvmSpec } from '../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../test/setup/database.ts'
import { migrated } from '../../../test/setup/migrated.ts'
import { useAnvil } from '../../../test/setup/nodes.ts'
import { createEvmAdapter } from '../adapters/chains/evm/index.ts'
import { HOT, openEvmSweeps, type EvmSweeps, type SweepOptions } from './test-evm.ts'

const database = useDatabase({ template: migrated })
const GWEI = 10n ** 9n
const nodes = { ethereum: useAnvil(), bsc: useAnvil({ chainId: bsc.chainId, baseFee: 0n }) }

const open = async (spec: EvmSpec, more: Partial<SweepOptions> & { traces?: 'auto' | 'off' } = {}): Promise<EvmSweeps> => {
  const node = await nodes[spec.name]()
  const contracts = await ensureTokens(node.rpc, spec.tokens)
  const network = spec.blockchain as SweepOptions['network']
  const tokenOf = (ticker: string): { contract: string; decimals: number } => ({ contract: contracts.get(ticker)!, decimals: spec.tokens[0]!.decimals })
  const world = await openEvmSweeps(database.url, {
    network, chainId: spec.chainId, node, tokens: { USDT: tokenOf('USDT'), USDC: tokenOf('USDC') },
    adapterOf: (url, tokens) =>
      createEvmAdapter({
        network, url, tokens, traces: more.traces ?? 'auto', finality: 2, legacyGas: spec.name === 'bsc',
        gasPriceFloor: GWEI / 10n, gasPriceCap: 500n * GWEI, random: () => 0,
      }),
    ...more,
  })
  onTestFinished(() => world.close())
  return world
}

const statesOf = async (world: EvmSweeps): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { way, state } of await world.rows()) counts[`${way} ${state}`] = (counts[`${way} ${state}`] ?? 0) + 1
  return counts
}

describe.each([ethereum, bsc])('on $blockchain', (spec) => {
  test('deposits of three assets leave 12 addresses in one transaction, and again without authorisations', async () => {
    const world = await open(spec)
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

    const states = await statesOf(world)
    expect(Object.keys(states).every((state) => state.endsWith(' final')), JSON.stringify(states)).toBe(true)
    expect(states['delegate final']).toBeGreaterThanOrEqual(15)
    const sweeps = (await world.outgoing()).filter(({ unsigned }) => unsigned.startsWith('0x04'))
    expect(sweeps).toHaveLength(1)
    for (const { address } of owners) {
      expect(await world.onChain(address, 'USDT')).toBe(0n)
      expect(await world.onChain(address, 'USDC')).toBe(0n)
    }
    const after = await Promise.all(['USDT', 'USDC', coin].map((ticker) => world.onChain(HOT, ticker)))
    expect(after[0]! - before[0]!).toBeGreaterThan(0n)
    expect(after[1]! - before[1]!).toBe(250n * 6n * 10n ** BigInt(spec.tokens[0]!.decimals))
    expect(await world.drift()).toEqual([])
    const costs = await Promise.all(merchants.map((id) => world.balance(id, coin, 'network-costs')))
    expect(costs.every((cost) => cost < 0n)).toBe(true)
    const paid = (await world.outgoing()).reduce((sum, { fee }) => sum + (fee ?? 0n), 0n)
    expect(-costs.reduce((sum, cost) => sum + cost, await world.houseCosts())).toBe(paid)

    for (const { address } of owners.slice(0, 6)) await world.pay('USDT', address, '300')
    await world.mine(4)
    await world.settle()
    const second = (await world.outgoing()).filter(({ purpose }) => purpose === 'sweep').at(-1)!
    expect(second.unsigned.startsWith('0x04')).toBe(false)
    for (const { address } of owners) expect(await world.onChain(address, 'USDT')).toBe(0n)
    expect(await world.drift()).toEqual([])
    expect(await world.alerts()).toEqual([])
  }, 120_000)
})
