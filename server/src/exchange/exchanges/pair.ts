import type { Selling } from './pricing.ts'

/** `contract.md` 19 #5: a pair names the earlier of these first; other tickers follow, in alphabetical order. */
const RANK = ['BTC', 'ETH', 'BNB', 'TRX', 'USDT', 'USDC', 'UAH', 'KZT']

export interface Pair {
  first: string
  second: string
}

/** Returns the pair of two tickers in its fixed order, and which of them is spent. */
export const pairOf = (spend: string, target: string): Pair & { selling: Selling } =>
  comesFirst(spend, target)
    ? { first: spend, second: target, selling: 'first' }
    : { first: target, second: spend, selling: 'second' }

const comesFirst = (a: string, b: string): boolean => {
  const [at, bt] = [RANK.indexOf(a), RANK.indexOf(b)]
  if (at === -1 || bt === -1) return at === bt ? a < b : at !== -1
  return at < bt
}
