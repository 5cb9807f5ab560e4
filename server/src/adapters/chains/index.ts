/** Adapters for chain nodes behind one port. Guarantees that an implausible answer of a node becomes an error. */
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { createBitcoinAdapter } from './bitcoin/index.ts'
import { createEvmAdapter } from './evm/index.ts'
import type { AccountChainAdapter, ChainAdapter, TronChainAdapter } from './port.ts'
import { bitcoinSettingsOf, evmSettingsOf, tronSettingsOf, type ChainSettings } from './settings.ts'
import { createTronAdapter } from './tron/index.ts'

export { ChainUnavailable, NoDecimals } from './port.ts'
export { NETWORKS_SHAPE, readChainSettings } from './settings.ts'
export type { ChainSettings } from './settings.ts'

/** An adapter with its connections, which close after a long idle time or by `close`. */
export type OpenAdapter = (ChainAdapter | AccountChainAdapter | TronChainAdapter) & { close(): Promise<void> }

/**
 * Creates an adapter for each configured network.
 * @param tokens token contracts to read, by network: in any case, on TRON base58
 */
export const createAdapters = (
  settings: ChainSettings,
  tokens: ReadonlyMap<Network, readonly string[]>,
): Map<Network, OpenAdapter> => {
  const random = Math.random
  const adapters = new Map<Network, OpenAdapter>()
  if (settings.BITCOIN)
    adapters.set('BITCOIN', createBitcoinAdapter({ ...bitcoinSettingsOf(settings.BITCOIN), random }))
  for (const network of ['ETHEREUM', 'BINANCE_SMART_CHAIN'] as const) {
    const given = settings[network]
    if (!given) continue
    adapters.set(
      network,
      createEvmAdapter({ ...evmSettingsOf(network, given), tokens: tokens.get(network) ?? [], random }),
    )
  }
  if (settings.TRON)
    adapters.set(
      'TRON',
      createTronAdapter({ ...tronSettingsOf(settings.TRON), tokens: tokens.get('TRON') ?? [], random }),
    )
  return adapters
}

/** The value that `ChainAdapter.identity` must return for a configured network. */
export const identityOf = (settings: ChainSettings, network: Network): string => {
  if (isEvmNetwork(network)) return String(settings[network]?.chainId)
  return (network === 'TRON' ? settings.TRON : settings.BITCOIN)?.genesis ?? ''
}
