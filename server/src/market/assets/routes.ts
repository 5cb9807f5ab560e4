import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import type { Route } from '../../platform/api/route.ts'
import type { Catalogue } from './catalogue.ts'

const USD_SCALE = 18
/** Digits that a price of a fiat currency is shown with. */
const FIAT_PRICE_DECIMALS = 6

/**
 * The asset lists (`contract.md` 5.8, 5.9). A crypto price is USD for one unit; a fiat price is units of the currency
 * for one USD, as the documented samples read. Both are in the order of their tickers. Without a fresh rate `price` is
 * left out.
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

/** Clients look tickers up by binary search. */
const byTicker = <Asset extends { ticker: string }>(assets: readonly Asset[]): Asset[] =>
  assets.toSorted((a, b) => (a.ticker < b.ticker ? -1 : 1))

const priceOf = (usd: bigint | undefined) =>
  usd === undefined ? {} : { price: { value: formatUnits(usd, USD_SCALE), ticker: 'USD' } }

/** Rounded to the nearest millionth, halves to even: a price to show, not to settle by. */
const perUsd = (usd: bigint) => {
  const value = mulDiv(10n ** BigInt(USD_SCALE + FIAT_PRICE_DECIMALS), 1n, usd, 'half-even')
  return { value: formatUnits(value, FIAT_PRICE_DECIMALS), ticker: 'USD' }
}
