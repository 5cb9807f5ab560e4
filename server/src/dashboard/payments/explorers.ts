import type { Network } from '@bursar/chainkit'

/** A site that shows the transactions of a network. */
interface Explorer {
  site: string
  /** the URL before the hash */
  before: string
}

const MAIN: Readonly<Record<Network, Explorer>> = {
  BITCOIN: { site: 'mempool.space', before: 'https://mempool.space/tx/' },
  ETHEREUM: { site: 'etherscan.io', before: 'https://etherscan.io/tx/' },
  BINANCE_SMART_CHAIN: { site: 'bscscan.com', before: 'https://bscscan.com/tx/' },
  TRON: { site: 'tronscan.org', before: 'https://tronscan.org/#/transaction/' },
}
const MAIN_CHAIN_IDS: Readonly<Partial<Record<Network, bigint>>> = { ETHEREUM: 1n, BINANCE_SMART_CHAIN: 56n }

/** The explorer of each main network; a test network has none, because its transactions are on no public site. */
export type Explorers = ReadonlyMap<Network, Explorer>

/**
 * @param bitcoinChain of the wallet. Addresses of TRON are the same on its test networks, so TRON is the main network
 *   where Bitcoin is
 * @param chainIds of the EVM networks
 */
export const explorersOf = (bitcoinChain: string, chainIds: ReadonlyMap<Network, bigint>): Explorers => {
  const isMain = (network: Network): boolean => {
    const id = MAIN_CHAIN_IDS[network]
    return id === undefined ? bitcoinChain === 'mainnet' : chainIds.get(network) === id
  }
  return new Map((Object.entries(MAIN) as [Network, Explorer][]).filter(([network]) => isMain(network)))
}

/** A hash as a URL may have it. */
const HASH = /^(0x)?[0-9a-f]{64}$/

/** The link to a transaction; undefined if no site shows it. */
export const linkOf = (
  explorers: Explorers,
  network: Network,
  hash: string,
): { site: string; url: string } | undefined => {
  const explorer = explorers.get(network)
  return explorer && HASH.test(hash) ? { site: explorer.site, url: explorer.before + hash } : undefined
}
