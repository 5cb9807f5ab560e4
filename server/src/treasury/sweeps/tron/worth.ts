import type { SweepPolicy } from '../policy.ts'
import { leastWorth } from '../policy.ts'

/** Units of an asset and what one whole unit is worth in 1e-18 USD; without a price nothing can be said of it. */
export interface Valued {
  units: bigint
  scale: number
  usd: bigint | undefined
}

const inUsd = ({ units, scale, usd }: Valued): bigint | undefined =>
  usd === undefined ? undefined : (units * usd) / 10n ** BigInt(scale)

/**
 * True when what is held is worth enough of what its sweep costs, by how long it has waited. Without prices only what
 * is paid in the coin it holds can be judged.
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

/** Digits of a price and of the most divided unit together. */
const DIGITS = 36n
const ONE_USD = 10n ** 18n

/**
 * Ledger units of each asset that are worth the same, and as little as one unit of the dearest is: any amount may be
 * worth its sweep where staked energy makes that cheap, and what the chain says it costs decides. Holdings are ordered
 * by them, so that dust of an asset with many digits does not stand before what another one's are worth. What has no
 * price counts as a dollar.
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
