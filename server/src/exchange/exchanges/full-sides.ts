import type { Db } from '../../platform/db/index.ts'
import { boundsPassedBy } from './inventory.ts'
import type { ExchangePolicy } from './policy.ts'

/**
 * Returns the assets that can't be bought, or can't be sold, because even the minimum amount would pass the limits of
 * the position.
 */
export const fullSides = async (
  db: Db,
  { assets }: ExchangePolicy,
): Promise<{ bought: ReadonlySet<string>; sold: ReadonlySet<string> }> => {
  const moves = (sign: bigint) =>
    [...assets.values()].map((rules) => ({ asset: rules.ticker, units: sign * rules.min, bounds: rules }))
  const [bought, sold] = await Promise.all([boundsPassedBy(db, moves(1n)), boundsPassedBy(db, moves(-1n))])
  const tickers = (passed: readonly { asset: string }[]): ReadonlySet<string> =>
    new Set(passed.map(({ asset }) => asset))
  return { bought: tickers(bought), sold: tickers(sold) }
}
