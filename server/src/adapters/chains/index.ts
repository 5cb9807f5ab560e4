/** Adapters for chain nodes behind one port. Guarantees that an implausible answer of a node becomes an error. */
import { isEvmNetwork, NETWORKS, type Network } from '@bursar/chainkit'
import { createBitcoinAdapter } from './bitcoin/index.ts'
import { createEvmAdapter } from './evm/index.ts'
import type { AccountChainAdapter, ChainAdapter, TronChainAdapter } from './port.ts'
import {
  bitcoinSettingsOf,
  evmSettingsOf,
  nodeNameOf,
  nodesOf,
  quorumOf,
  tronSettingsOf,
  type ChainSettings,
} from './settings.ts'
import { joinNodes, type NodeStatus } from './several/index.ts'
import { createTronAdapter } from './tron/index.ts'

export { ChainUnavailable, NoDecimals } from './port.ts'
export { NETWORKS_SHAPE, readChainSettings } from './settings.ts'
export { nodeNameOf, nodesOf, quorumOf } from './settings.ts'
export type { ChainSettings } from './settings.ts'
export type { NodeStatus } from './several/index.ts'

/** An adapter with its connections, which close after a long idle time or by `close`. */
export type OpenAdapter = (ChainAdapter | AccountChainAdapter | TronChainAdapter) & {
  close(): Promise<void>
  /** how each node is doing, if the network has several */
  statuses?(): NodeStatus[]
}

/**
 * Creates an adapter for each configured network.
 * @param tokens token contracts to read, by network: in any case, on TRON base58
 */
export const createAdapters = (
  settings: ChainSettings,
  tokens: ReadonlyMap<Network, readonly string[]>,
): Map<Network, OpenAdapter> =>
  new Map(
    NETWORKS.filter((network) => settings[network] !== undefined).map((network) => {
      const nodes = nodesOf(settings, network).map((one) => {
        return { name: nodeNameOf(one, network), adapter: createAdapter(one, network, tokens.get(network) ?? []) }
      })
      if (nodes.length === 1) return [network, nodes[0]!.adapter]
      const [quorum, identity] = [quorumOf(settings, network), identityOf(settings, network)]
      return [network, joinNodes({ network, nodes, quorum, identity })]
    }),
  )

/** Creates the adapter of the only node of a network in these settings. */
const createAdapter = (settings: ChainSettings, network: Network, tokens: readonly string[]): OpenAdapter => {
  const random = Math.random
  if (network === 'BITCOIN') return createBitcoinAdapter({ ...bitcoinSettingsOf(settings.BITCOIN!), random })
  if (network === 'TRON') return createTronAdapter({ ...tronSettingsOf(settings.TRON!), tokens, random })
  return createEvmAdapter({ ...evmSettingsOf(network, settings[network]!), tokens, random })
}

/** The value that `ChainAdapter.identity` must return for a configured network. */
export const identityOf = (settings: ChainSettings, network: Network): string => {
  if (isEvmNetwork(network)) return String(settings[network]?.chainId)
  return (network === 'TRON' ? settings.TRON : settings.BITCOIN)?.genesis ?? ''
}
