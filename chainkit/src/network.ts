/** The supported networks, by their names in the API (`contract.md` section 11). */
export const NETWORKS = ['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'] as const

export type Network = (typeof NETWORKS)[number]

/** Networks that share Ethereum's addresses and transaction formats; one wallet serves them all. */
export type EvmNetwork = 'ETHEREUM' | 'BINANCE_SMART_CHAIN'

/** Ticker of each network's native coin, in which fees are paid. */
export const NATIVE_TICKER: Readonly<Record<Network, string>> = {
  BITCOIN: 'BTC',
  ETHEREUM: 'ETH',
  BINANCE_SMART_CHAIN: 'BNB',
  TRON: 'TRX',
}

/** Decimals of each network's native coin. */
export const NATIVE_DECIMALS: Readonly<Record<Network, number>> = {
  BITCOIN: 8,
  ETHEREUM: 18,
  BINANCE_SMART_CHAIN: 18,
  TRON: 6,
}

export function isNetwork(text: string): text is Network {
  return (NETWORKS as readonly string[]).includes(text)
}

export function isEvmNetwork(network: Network): network is EvmNetwork {
  return network === 'ETHEREUM' || network === 'BINANCE_SMART_CHAIN'
}
