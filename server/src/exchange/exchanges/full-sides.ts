import type { Db } from '../../platform/db/index.ts'
import { boundsPassedBy } from './inventory.ts'
import type { ExchangePolicy } from './policy.ts'

/**
 * Assets that no more is bought or sold of, because not even the least amount would stay within the limits of the
 * position.
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
