/** The networks of each sandbox asset, with its decimals there. The first is the default. */
export const SANDBOX_ASSETS = {
  BTC: { BITCOIN: 8 },
  ETH: { ETHEREUM: 18 },
  BNB: { BINANCE_SMART_CHAIN: 18 },
  TRX: { TRON: 6 },
  USDT: { ETHEREUM: 6, BINANCE_SMART_CHAIN: 18, TRON: 6 },
  USDC: { ETHEREUM: 6, BINANCE_SMART_CHAIN: 18 },
} as const
