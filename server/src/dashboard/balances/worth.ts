import type { Catalogue } from '../../market/assets/index.ts'
import { mulDiv } from '../../platform/money/index.ts'

/** Prices are in 1e-18 USD for one whole unit. */
const USD = { ticker: 'USD', price: 10n ** 18n }
export const CENTS = 2

/** A currency in which balances can be valued now. */
export interface Currency {
  ticker: string
  price: bigint
}

/** USD, and the national currencies of the installation that have a fresh price. */
export const currenciesOf = (catalogue: Catalogue, prices: ReadonlyMap<string, bigint>): readonly Currency[] => [
  USD,
  ...catalogue.fiat.flatMap(({ ticker }) => {
    const price = prices.get(ticker)
    return price === undefined || price === 0n || ticker === USD.ticker ? [] : [{ ticker, price }]
  }),
]

/**
 * The value of an amount in hundredths of a currency, rounded down, so that it never exceeds the balance.
 * @param price of the asset, 1e-18 USD for one whole unit
 */
export const worthOf = (
  { units, scale }: { units: bigint; scale: number },
  price: bigint,
  currency: Currency,
): bigint => mulDiv(units * price, 10n ** BigInt(CENTS), 10n ** BigInt(scale) * currency.price, 'down')
