import { mulDiv } from '../../platform/money/index.ts'
import { E18 } from './ladder.ts'
import { PIVOT } from './usdt-market.ts'
import { marketOf } from './markets.ts'

/**
 * The value of an amount in USDT, 1e-18, at the middle of the asset's market, rounded down. The middle of an asset that
 * is priced in USDT is USDT for one unit; that of a currency is the currency for one USDT.
 * @param middle 1e-18; not read for USDT itself
 */
export const worthAt = (ticker: string, { units, scale }: { units: bigint; scale: number }, middle: bigint): bigint => {
  const one = 10n ** BigInt(scale)
  if (ticker === PIVOT) return mulDiv(units, E18, one, 'down')
  return marketOf(ticker).base === ticker
    ? mulDiv(units, middle, one, 'down')
    : mulDiv(units * E18, E18, one * middle, 'down')
}
