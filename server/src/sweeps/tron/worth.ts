import type { SweepPolicy } from '../policy.ts'
import { leastWorth } from '../policy.ts'

/** Units of an asset and what one whole unit is worth in 1e-18 USD; without a price nothing can be said of it. */
export interface Valued {
  units: bigint
  scale: number
  usd: bigint | undefined
}

const inUsd = ({ units, scale, usd }: Valued): bigint | undefined => (usd === undefined ? undefined : (units * usd) / 10n ** BigInt(scale))

/**
 * True when what is held is worth enough of what its sweep costs, by how long it has waited. Without prices only what is
 * paid in the coin it holds can be judged.
 */
export const isWorthIt = (held: Valued & { ticker: string; since: Date }, cost: Valued & { ticker: string }, policy: SweepPolicy, now: number): boolean => {
  const least = leastWorth(policy, held.since, now)
  if (held.ticker === cost.ticker) return held.units * 1_000n >= cost.units * least
  const [value, price] = [inUsd(held), inUsd(cost)]
  return value !== undefined && price !== undefined && value * 1_000n >= price * least
}
