import { readExchangePolicy, requirePositionLimits, type AssetRules, type ExchangePolicy } from './policy.ts'
import { pairOf, type Pair } from './pair.ts'
import type { Terms } from './pricing.ts'

/** A pair of assets in one direction, and its terms. */
export interface Direction extends Pair, Omit<Terms, 'spend' | 'target'> {
  spend: AssetRules
  target: AssetRules
  spreadBps: bigint
}

/** Returns the direction between two assets; undefined when it is not offered. */
export const directionOf = (
  policy: ExchangePolicy,
  spendTicker: string,
  targetTicker: string,
): Direction | undefined => {
  const [spend, target] = [policy.assets.get(spendTicker), policy.assets.get(targetTicker)]
  if (!spend || !target || spend === target) return undefined
  const pair = pairOf(spendTicker, targetTicker)
  const own = policy.pairs.get(`${pair.first}/${pair.second}`)
  if (own?.closed) return undefined
  return { ...pair, spend, target, feeBps: own?.feeBps ?? policy.feeBps, spreadBps: own?.spreadBps ?? policy.spreadBps }
}

/**
 * Reads the exchange policy, and requires a limit of the platform's position for every asset of a pair. Throws an error
 * that lists the missing assets.
 */
export const readLimitedPolicy = (...given: Parameters<typeof readExchangePolicy>): ExchangePolicy => {
  const policy = readExchangePolicy(...given)
  requirePositionLimits(policy, new Set(directionsOf(policy).map(({ spend }) => spend.ticker)))
  return policy
}

/** Returns every direction that is offered, whether there is a price now or not. */
export const directionsOf = (policy: ExchangePolicy): Direction[] => {
  const tickers = [...policy.assets.keys()]
  return tickers.flatMap((spend) =>
    tickers.map((target) => directionOf(policy, spend, target)).filter((direction) => direction !== undefined),
  )
}
