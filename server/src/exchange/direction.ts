import type { AssetRules, ExchangePolicy } from './policy.ts'
import { pairOf, type Pair } from './pair.ts'
import type { Terms } from './pricing.ts'

/** What is spent for what, and on which terms. */
export interface Direction extends Pair, Omit<Terms, 'spend' | 'target'> {
  spend: AssetRules
  target: AssetRules
  spreadBps: bigint
}

/** The direction between two assets; undefined when it is not offered. */
export const directionOf = (policy: ExchangePolicy, spendTicker: string, targetTicker: string): Direction | undefined => {
  const [spend, target] = [policy.assets.get(spendTicker), policy.assets.get(targetTicker)]
  if (!spend || !target || spend === target) return undefined
  const pair = pairOf(spendTicker, targetTicker)
  const own = policy.pairs.get(`${pair.first}/${pair.second}`)
  if (own?.closed) return undefined
  return { ...pair, spend, target, feeBps: own?.feeBps ?? policy.feeBps, spreadBps: own?.spreadBps ?? policy.spreadBps }
}

/** Every direction that is offered, whether there is a price now or not. */
export const directionsOf = (policy: ExchangePolicy): Direction[] => {
  const tickers = [...policy.assets.keys()]
  return tickers.flatMap((spend) => tickers.map((target) => directionOf(policy, spend, target)).filter((direction) => direction !== undefined))
}
