/** Networks and tokens that setup knows, so that a person does not type hashes and addresses of contracts. */
import type { Network } from '@bursar/chainkit'
import type { Answers } from './answers.ts'

export type KnownChain = 'mainnet' | 'testnet'

/** The identity of each network. The test networks are Bitcoin's testnet4, Sepolia, BSC's Chapel and TRON's Nile. */
export const IDENTITIES: Readonly<
  Record<KnownChain, Readonly<Record<Network, { genesis: string } | { chainId: number }>>>
> = {
  mainnet: {
    BITCOIN: { genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f' },
    ETHEREUM: { chainId: 1 },
    BINANCE_SMART_CHAIN: { chainId: 56 },
    TRON: { genesis: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc' },
  },
  testnet: {
    BITCOIN: { genesis: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043' },
    ETHEREUM: { chainId: 11_155_111 },
    BINANCE_SMART_CHAIN: { chainId: 97 },
    TRON: { genesis: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc' },
  },
}

type OnNetwork = { contract?: string; decimals: number; minDeposit: string; minWithdrawal: string }
interface Known {
  ticker: string
  name: string
  on: Partial<Record<Network, OnNetwork>>
}

const coin = (decimals: number, minDeposit: string, minWithdrawal: string): OnNetwork => ({
  decimals,
  minDeposit,
  minWithdrawal,
})
const token = (contract: string, decimals: number): OnNetwork => ({
  contract,
  decimals,
  minDeposit: '1',
  minWithdrawal: '10',
})

/** The coins of the networks. */
const COINS: readonly Known[] = [
  { ticker: 'BTC', name: 'Bitcoin', on: { BITCOIN: coin(8, '0.0001', '0.0005') } },
  { ticker: 'ETH', name: 'Ether', on: { ETHEREUM: coin(18, '0.001', '0.005') } },
  { ticker: 'BNB', name: 'BNB', on: { BINANCE_SMART_CHAIN: coin(18, '0.001', '0.005') } },
  { ticker: 'TRX', name: 'TRON', on: { TRON: coin(6, '1', '10') } },
]

/** Tokens of the main networks. Those of test networks have no generally used contracts. */
const TOKENS: readonly Known[] = [
  {
    ticker: 'USDT',
    name: 'Tether USD',
    on: {
      ETHEREUM: token('0xdAC17F958D2ee523a2206206994597C13D831ec7', 6),
      BINANCE_SMART_CHAIN: token('0x55d398326f99059fF775485246999027B3197955', 18),
      TRON: token('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 6),
    },
  },
  {
    ticker: 'USDC',
    name: 'USD Coin',
    on: {
      ETHEREUM: token('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6),
      BINANCE_SMART_CHAIN: token('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
    },
  },
]

/** Returns the known assets of the networks that are served. */
export const knownAssets = (chain: KnownChain, served: readonly Network[]): Answers['assets']['crypto'] =>
  [...COINS, ...(chain === 'mainnet' ? TOKENS : [])].flatMap(({ ticker, name, on }) => {
    const networks = Object.fromEntries(served.flatMap((network) => (on[network] ? [[network, on[network]]] : [])))
    return Object.keys(networks).length === 0 ? [] : [{ ticker, name, networks }]
  })
