import type { SweepPolicy } from '../policy.ts'
import { leastWorth } from '../policy.ts'

/** Units of an asset and the price of a whole unit in 1e-18 USD; undefined when there is no price. */
export interface Valued {
  units: bigint
  scale: number
  usd: bigint | undefined
}

const inUsd = ({ units, scale, usd }: Valued): bigint | undefined =>
  usd === undefined ? undefined : (units * usd) / 10n ** BigInt(scale)

/**
 * Whether a holding is worth the cost of its sweep, by how long it has waited. Without prices, only a holding in the
 * coin that pays the cost can be judged.
 */
export const isWorthIt = (
  held: Valued & { ticker: string; since: Date },
  cost: Valued & { ticker: string },
  policy: SweepPolicy,
  now: number,
): boolean => {
  const least = leastWorth(policy, held.since, now)
  if (held.ticker === cost.ticker) return held.units * 1_000n >= cost.units * least
  const [value, price] = [inUsd(held), inUsd(cost)]
  return value !== undefined && price !== undefined && value * 1_000n >= price * least
}

/** Digits of a price and of the asset with most decimals, together. */
const DIGITS = 36n
const ONE_USD = 10n ** 18n

/**
 * Returns amounts of equal worth for each asset, as small as one unit of the most valuable. Any amount may be worth its
 * sweep where staked energy makes it cheap; the chain's figures decide that later. Holdings are ordered by these
 * amounts, so that dust of an asset with many decimals does not come before valuable holdings of another. An asset
 * without a price counts as a dollar.
 */
export const evenFloors = (
  assets: readonly { ticker: string; scale: number; usd: bigint | undefined }[],
): Map<string, { young: bigint; overdue: bigint }> => {
  const worth = assets.map(({ ticker, scale, usd }) => ({
    ticker,
    unit: ((usd ?? ONE_USD) || 1n) * 10n ** (DIGITS - BigInt(scale)),
  }))
  const dearest = worth.reduce((most, { unit }) => (unit > most ? unit : most), 0n)
  return new Map(
    worth.map(({ ticker, unit }) => {
      const units = (dearest + unit - 1n) / unit
      return [ticker, { young: units, overdue: units }]
    }),
  )
}
