/** Builds order books from prices in USD: those that venues would show at the script's prices. */

interface Shape {
  /** between the best bid and the best ask, in hundredths of a percent of the price */
  readonly spreadBps: number
  readonly levels: number
  /** the value of the base of one level, USD */
  readonly levelUsd: number
}

const usualShape: Shape = { spreadBps: 8, levels: 20, levelUsd: 20_000 }

export interface Sides {
  readonly bids: [string, string][]
  readonly asks: [string, string][]
}

/** @param usd prices of one whole unit, by ticker. Throws a RangeError for a ticker without one. */
export function bookOf(base: string, quote: string, usd: Readonly<Record<string, string>>, shape = usualShape): Sides {
  const of = (ticker: string): number => {
    const price = ticker === 'USD' ? '1' : usd[ticker]
    if (price === undefined) throw new RangeError(`no price of ${ticker}`)
    return Number(price)
  }
  const middle = of(base) / of(quote)
  const amount = (shape.levelUsd / of(base)).toFixed(8)
  const level = (i: number, way: 1 | -1): [string, string] => [
    (middle * (1 + (way * shape.spreadBps * (0.5 + i)) / 10_000)).toPrecision(9),
    amount,
  ]
  const side = (way: 1 | -1): [string, string][] => Array.from({ length: shape.levels }, (_, i) => plain(level(i, way)))
  return { bids: side(-1), asks: side(1) }
}

/** Without an exponent, as venues write. */
const plain = ([price, amount]: [string, string]): [string, string] => [
  /e/.test(price) ? Number(price).toFixed(12) : price,
  amount,
]
