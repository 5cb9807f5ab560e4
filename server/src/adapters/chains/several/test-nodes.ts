/** Several simulated nodes of one chain, each with faults of its own, behind the adapter under test. */
import type { AccountChainAdapter, CoinChainAdapter } from '../port.ts'
import { createSimulatedAdapter, type SimulatedNode } from '../simulated/adapter.ts'
import { Faults } from '../simulated/faults.ts'
import { createSimulatedChain, type SimulatedChain } from '../simulated/index.ts'
import { joinNodes, type SeveralNodes } from './index.ts'

interface TestNode {
  name: string
  faults: Faults
  adapter: AccountChainAdapter
  /** methods that were called, in order */
  asked: string[]
  /** holds back all answers; null lets them pass */
  held: Promise<void> | null
}

export interface TestNodes extends SimulatedChain {
  nodes: TestNode[]
  joined: SeveralNodes & AccountChainAdapter & CoinChainAdapter
  clock: { ms: number }
}

export const FINAL_DEPTH = 4

/** @param count of nodes, of which `quorum` must agree */
export const openNodes = (count: number, quorum: number, network: 'BITCOIN' | 'ETHEREUM' = 'ETHEREUM'): TestNodes => {
  const simulated = createSimulatedChain({ network, seed: 'several', chainId: 31_337n, finalDepth: FINAL_DEPTH })
  const clock = { ms: 1_000_000 }
  const settings: Omit<SimulatedNode, 'faults'> = {
    network,
    kind: network === 'BITCOIN' ? 'coins' : 'accounts',
    identity: simulated.identity,
    chainId: 31_337n,
    finalDepth: FINAL_DEPTH,
    tokens: new Map(),
    chain: simulated.chain,
    feeRate: { kind: 'gas', legacy: true, maxFeePerGas: 5n, maxPriorityFeePerGas: 5n },
    floor: 1n,
  }
  const nodes = Array.from({ length: count }, (_, at) => {
    const faults = new Faults()
    const node = { name: `node-${at + 1}:80`, faults, asked: [], held: null } as unknown as TestNode
    node.adapter = observed(node, createSimulatedAdapter({ ...settings, faults }))
    return node
  })
  const joined = joinNodes({
    network,
    nodes: nodes.map(({ name, adapter }) => ({ name, adapter: { ...adapter, close: async () => {} } })),
    quorum,
    identity: simulated.identity,
    now: () => clock.ms,
  })
  simulated.chain.mine(12)
  return { ...simulated, nodes, joined: joined as TestNodes['joined'], clock }
}

const observed = (node: TestNode, adapter: AccountChainAdapter): AccountChainAdapter => {
  const methods = Object.entries(adapter).map(([name, method]: [string, unknown]) => {
    if (typeof method !== 'function') return [name, method]
    const call = async (...given: unknown[]): Promise<unknown> => {
      node.asked.push(name)
      await node.held
      return (method as (...args: unknown[]) => unknown)(...given)
    }
    return [name, call]
  })
  return Object.fromEntries(methods) as AccountChainAdapter
}
