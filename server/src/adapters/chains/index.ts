import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { createBitcoinAdapter } from './bitcoin/index.ts'
import { createEvmAdapter } from './evm/index.ts'
import type { AccountChainAdapter, ChainAdapter } from './port.ts'
import { chainOfGenesis, withDefaults, type ChainSettings } from './settings.ts'

/** Chain nodes behind one port. Promises that what can't be believed is an error and never an answer. */
export { createBitcoinAdapter } from './bitcoin/index.ts'
export { createEvmAdapter } from './evm/index.ts'
export { ChainUnavailable } from './port.ts'
export { readChainSettings } from './settings.ts'
export type { BitcoinChainSettings, ChainSettings, EvmChainSettings } from './settings.ts'

/** An adapter for each configured network. @param tokens contracts to look at, by network */
export const createAdapters = (
  settings: ChainSettings,
  tokens: ReadonlyMap<Network, readonly string[]>,
): Map<Network, ChainAdapter | AccountChainAdapter> => {
  const adapters = new Map<Network, ChainAdapter | AccountChainAdapter>()
  if (settings.BITCOIN) {
    const { url, genesis, finalDepth = 6, feeFloorMilliSatPerVb: floor = '1000', feeCapMilliSatPerVb: cap = '300000' } = settings.BITCOIN
    const fees = { floor: BigInt(floor), cap: BigInt(cap) }
    adapters.set('BITCOIN', createBitcoinAdapter({ url, chain: chainOfGenesis(genesis), finalDepth, fees, random: Math.random }))
  }
  for (const network of ['ETHEREUM', 'BINANCE_SMART_CHAIN'] as const) {
    const given = settings[network]
    if (given) adapters.set(network, createEvmAdapter({ ...withDefaults(network, given), tokens: tokens.get(network) ?? [], random: Math.random }))
  }
  return adapters
}

/** What `ChainAdapter.identity` must say of a configured network. */
export const identityOf = (settings: ChainSettings, network: Network): string => {
  if (isEvmNetwork(network)) return String(settings[network]?.chainId)
  return settings.BITCOIN?.genesis ?? ''
}
