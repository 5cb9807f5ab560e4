/** The two EVM chains of the sandbox and their contents. */
import type { TokenSpec } from './tokens/index.ts'

export interface EvmSpec {
  readonly name: 'ethereum' | 'bsc'
  readonly blockchain: string
  readonly chainId: number
  readonly baseFee?: bigint
  readonly coin: string
  readonly tokens: readonly TokenSpec[]
}

/**
 * Private chain ids; decimals as on the real chains. On Ethereum USDT's transfers return nothing and USDC takes
 * signatures, on BSC both are plain.
 */
export const ethereum: EvmSpec = {
  name: 'ethereum',
  blockchain: 'ETHEREUM',
  chainId: 31_337,
  coin: 'ETH',
  tokens: [
    { contract: 'UsdtLike', name: 'Sandbox Tether USD', symbol: 'USDT', decimals: 6 },
    { contract: 'UsdcLike', name: 'Sandbox USD Coin', symbol: 'USDC', decimals: 6 },
  ],
}
export const bsc: EvmSpec = {
  name: 'bsc',
  blockchain: 'BINANCE_SMART_CHAIN',
  chainId: 31_356,
  baseFee: 0n,
  coin: 'BNB',
  tokens: [
    { contract: 'TestToken', name: 'Sandbox Tether USD', symbol: 'USDT', decimals: 18 },
    { contract: 'TestToken', name: 'Sandbox USD Coin', symbol: 'USDC', decimals: 18 },
  ],
}
