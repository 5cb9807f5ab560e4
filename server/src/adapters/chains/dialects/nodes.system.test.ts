/** How the sandbox's own nodes speak: nothing of it is new. */
import type { Network } from '@bursar/chainkit'
import { describe, expect, test } from 'vitest'
import { describeWithBitcoind, EVM_NODES, useAnvil, useBitcoind, useTronNode } from '../../../../../test/setup/nodes.ts'
import { openBitcoinWorld, REGTEST_GENESIS, urlOf } from '../../../../../test/world/bitcoin-node.ts'
import { openEvmWorld } from '../../../../../test/world/evm-node.ts'
import type { ChainSettings } from '../settings.ts'
import { compareNode, compareRefusals } from './index.ts'

const strange = async (settings: ChainSettings, network: Network) =>
  (await compareNode(settings, network)).filter(({ result }) => result === 'new')

describe('anvil', () => {
  const anvil = useAnvil()
  test('gives no new answer', async () => {
    const { node, ...world } = await openEvmWorld(await anvil(), {
      network: 'ETHEREUM',
      chainId: 31_337,
      legacyGas: false,
      finality: 'finalized',
    })
    await world.contracts.payInside([{ to: await world.newAddress(), units: 5n }])
    await world.mine(1)
    expect(await strange({ ETHEREUM: { url: node.url, chainId: 31_337 } }, 'ETHEREUM')).toEqual([])
  })
})

describe.each(EVM_NODES)('transactions that every chain refuses: %s', (_name, use) => {
  const started = use()
  test('is refused in words that are known, and leaves nothing at the node', async () => {
    const { node, ...world } = await openEvmWorld(await started(), {
      network: 'ETHEREUM',
      chainId: 31_337,
      legacyGas: false,
      finality: 'finalized',
    })
    const { height } = await world.adapter.head()
    const said = await compareRefusals({ ETHEREUM: { url: node.url, chainId: 31_337 } }, 'ETHEREUM')
    expect(said.filter(({ result }) => result === 'new')).toEqual([])
    expect(said.filter(({ result }) => result === 'agrees').length).toBeGreaterThanOrEqual(4)
    await world.mine(1)
    expect((await world.adapter.blockAt(height + 1))!.transactions.filter(({ keys }) => keys.length > 0)).toEqual([])
  })
})

describeWithBitcoind('bitcoind', () => {
  const bitcoind = useBitcoind()
  test('gives no new answer', async () => {
    const { node, ...world } = await openBitcoinWorld(await bitcoind())
    await world.pay(await world.newAddress(), 50_000n)
    await world.mine(1)
    expect(await strange({ BITCOIN: { url: urlOf(node), genesis: REGTEST_GENESIS } }, 'BITCOIN')).toEqual([])
  })
})

describe("the sandbox's TRON", () => {
  const tron = useTronNode(4)
  test('gives no new answer', async () => {
    expect(await strange({ TRON: { url: (await tron()).url, genesis: '0'.repeat(64) } }, 'TRON')).toEqual([])
  })
})
