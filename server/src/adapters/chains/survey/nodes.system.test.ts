/** The survey of the sandbox's own nodes: nothing of them is unfit. */
import { describe, expect, test } from 'vitest'
import { describeWithBitcoind, useAnvil, useBitcoind, useTronNode } from '../../../../../test/setup/nodes.ts'
import { openBitcoinWorld, REGTEST_GENESIS, urlOf } from '../../../../../test/world/bitcoin-node.ts'
import { openEvmWorld } from '../../../../../test/world/evm-node.ts'
import type { ChainSettings } from '../settings.ts'
import type { Network } from '@bursar/chainkit'
import { surveyNode } from './index.ts'

const survey = async (settings: ChainSettings, network: Network) => {
  const findings = await surveyNode(settings, network, { tokens: [], now: Date.now() })
  return new Map(findings.map(({ about, verdict, text }) => [about, `${verdict}: ${text}`]))
}

describe('anvil', () => {
  const anvil = useAnvil()
  test('traces by prestateTracer, and is fit', async () => {
    const { node, ...world } = await openEvmWorld(await anvil(), {
      network: 'ETHEREUM',
      chainId: 31_337,
      legacyGas: false,
      finality: 'finalized',
    })
    await world.pay(await world.newAddress(), 5n)
    await world.mine(1)
    const findings = await survey({ ETHEREUM: { url: node.url, chainId: 31_337 } }, 'ETHEREUM')
    expect([...findings].filter(([, text]) => text.startsWith('unfit'))).toEqual([])
    expect(findings.get('tracers')).toMatch(/answers/)
    expect(findings.get('balances at a block')).toBe('good: by its hash')
    expect(findings.get('code overrides')).toBe('good: are taken in eth_call')
  })
})

describeWithBitcoind('bitcoind', () => {
  const bitcoind = useBitcoind()
  test('has its index, and is fit', async () => {
    const { node, ...world } = await openBitcoinWorld(await bitcoind())
    await world.pay(await world.newAddress(), 50_000n)
    await world.mine(1)
    const findings = await survey({ BITCOIN: { url: urlOf(node), genesis: REGTEST_GENESIS } }, 'BITCOIN')
    expect([...findings].filter(([, text]) => text.startsWith('unfit'))).toEqual([])
    expect(findings.get('txindex')).toMatch(/^good: complete to block \d+/)
    expect(findings.get('undo data')).toMatch(/^good/)
    expect(findings.get('methods')).toBe('good: all that are used')
  })
})

describe("the sandbox's TRON", () => {
  const tron = useTronNode(4)
  test('is fit', async () => {
    const { url } = await tron()
    const findings = await survey({ TRON: { url, genesis: '0'.repeat(64) } }, 'TRON')
    expect([...findings].filter(([, text]) => text.startsWith('unfit'))).toEqual([])
    expect(findings.get('client')).toMatch(/^good: java-tron/)
  })
})
