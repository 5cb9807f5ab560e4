/**
 * The venue's markets with their filters (row V-6 of docs/dialects.md), as in `GET /api/v3/exchangeInfo` (Binance,
 * spot, documentation of November 2026).
 */
import { textOf, unitsOf } from './amounts.ts'

export interface Symbol {
  readonly symbol: string
  readonly base: string
  readonly quote: string
  /** 1e-8 */
  readonly tick: bigint
  readonly step: bigint
  readonly leastNotional: bigint
  /** of one order */
  readonly most: bigint
  /** of the base with an order to buy; absent: any */
  readonly mostPosition?: bigint
}

const of = (
  base: string,
  quote: string,
  tick: string,
  step: string,
  least: string,
  { most = '9000000', mostPosition }: { most?: string; mostPosition?: string } = {},
): Symbol => ({
  symbol: base + quote,
  base,
  quote,
  tick: unitsOf(tick)!,
  step: unitsOf(step)!,
  leastNotional: unitsOf(least)!,
  most: unitsOf(most)!,
  ...(mostPosition === undefined ? {} : { mostPosition: unitsOf(mostPosition)! }),
})

export const SYMBOLS: readonly Symbol[] = [
  of('BTC', 'USDT', '0.01', '0.00001', '5'),
  of('ETH', 'USDT', '0.01', '0.0001', '5'),
  of('BNB', 'USDT', '0.01', '0.001', '5'),
  of('TRX', 'USDT', '0.0001', '0.1', '5', { mostPosition: '100000000' }),
  of('USDC', 'USDT', '0.0001', '1', '5'),
  of('USDT', 'KZT', '0.01', '0.1', '500'),
]

export const exchangeInfo = (now: number): object => ({
  timezone: 'UTC',
  serverTime: now,
  rateLimits: [],
  exchangeFilters: [],
  symbols: SYMBOLS.map(({ symbol, base, quote, tick, step, leastNotional, most, mostPosition }) => ({
    symbol,
    status: 'TRADING',
    baseAsset: base,
    baseAssetPrecision: 8,
    quoteAsset: quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    orderTypes: ['LIMIT', 'MARKET'],
    icebergAllowed: false,
    ocoAllowed: false,
    otoAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: false,
    cancelReplaceAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: [
      { filterType: 'PRICE_FILTER', minPrice: textOf(tick), maxPrice: '100000000.00000000', tickSize: textOf(tick) },
      { filterType: 'LOT_SIZE', minQty: textOf(step), maxQty: textOf(most), stepSize: textOf(step) },
      ...(mostPosition === undefined ? [] : [{ filterType: 'MAX_POSITION', maxPosition: textOf(mostPosition) }]),
      {
        filterType: 'NOTIONAL',
        minNotional: textOf(leastNotional),
        applyMinToMarket: true,
        maxNotional: '9000000.00000000',
        applyMaxToMarket: false,
        avgPriceMins: 5,
      },
    ],
    permissions: [],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
    allowedSelfTradePreventionModes: ['EXPIRE_MAKER'],
  })),
})
