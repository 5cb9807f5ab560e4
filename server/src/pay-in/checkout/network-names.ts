import type { Network } from '@bursar/chainkit'

const COINS: Readonly<Record<Network, string>> = {
  BITCOIN: 'Bitcoin',
  ETHEREUM: 'Ethereum',
  BINANCE_SMART_CHAIN: 'BNB Smart Chain',
  TRON: 'Tron',
}
const TOKENS: Readonly<Record<Network, string>> = {
  ...COINS,
  ETHEREUM: 'Ethereum (ERC-20)',
  BINANCE_SMART_CHAIN: 'BNB Smart Chain (BEP-20)',
  TRON: 'Tron (TRC-20)',
}

/** The name of a network in wallets and exchanges, for its native coin or for a token on it. */
export const networkName = (network: Network, isToken: boolean): string => (isToken ? TOKENS : COINS)[network]
