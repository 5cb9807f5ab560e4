import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import type { Route } from '../../platform/api/route.ts'
import type { Catalogue } from './catalogue.ts'

const USD_SCALE = 18
/** Decimals of the price of a fiat currency. */
const FIAT_PRICE_DECIMALS = 6

/**
 * The asset lists (`contract.md` 5.8, 5.9), in the order of tickers. A crypto price is USD for one unit; a fiat price
 * is units of the currency for one USD, as in the documented samples. `price` is absent without a fresh rate.
 */
export const assetRoutes = (deps: {
  catalogue: Catalogue
  prices: () => Promise<ReadonlyMap<string, bigint>>
}): Route[] => [
  {
    operation: 'listCryptoAssets',
    handle: async () => {
      const prices = await deps.prices()
      const body = byTicker(deps.catalogue.crypto).map(({ ticker, name, networks }) => ({
        name,
        ticker,
        blockchains: [...networks.keys()],
        ...priceOf(prices.get(ticker)),
        decimals: Math.min(...[...networks.values()].map((on) => on.decimals)),
        blockchainDecimals: Object.fromEntries([...networks.values()].map((on) => [on.network, on.decimals])),
      }))
      return { status: 200, body }
    },
  },
  {
    operation: 'listFiatAssets',
    handle: async () => {
      const prices = await deps.prices()
      const body = byTicker(deps.catalogue.fiat).map(({ ticker, name, scale }) => {
        const usd = prices.get(ticker)
        return { name, ticker, ...(usd === undefined ? {} : { price: perUsd(usd) }), decimals: scale }
      })
      return { status: 200, body }
    },
  },
]

/** Sorted by ticker, because clients search the list by bisection. */
const byTicker = <Asset extends { ticker: string }>(assets: readonly Asset[]): Asset[] =>
  assets.toSorted((a, b) => (a.ticker < b.ticker ? -1 : 1))

const priceOf = (usd: bigint | undefined) =>
  usd === undefined ? {} : { price: { value: formatUnits(usd, USD_SCALE), ticker: 'USD' } }

/** Units of the currency for one USD, rounded half to even to six decimals: for display, not for settlement. */
const perUsd = (usd: bigint) => {
  const value = mulDiv(10n ** BigInt(USD_SCALE + FIAT_PRICE_DECIMALS), 1n, usd, 'half-even')
  return { value: formatUnits(value, FIAT_PRICE_DECIMALS), ticker: 'USD' }
}
