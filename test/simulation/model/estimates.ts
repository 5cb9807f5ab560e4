/** Estimates of exchanges: no rounding favours the merchant (docs/contract.md, 5.22). */
import { parseUnits } from '../../../server/src/platform/money/index.ts'

/** As far as the model reads one. */
export interface Estimate {
  /** of one whole first asset of the pair in the second */
  price: { value: string; pair: readonly string[] }
  exchange: { amount: string; ticker: string; fee: string }
  target: { amount: string; ticker: string }
  spend: { amount: string; ticker: string }
}

const SCALE = 18
/** Of the exchanged amount, unless the settings say otherwise (server/src/exchange/exchanges/policy.ts). */
const FEE_BPS = 50n

const scaled = (decimal: string): bigint => {
  const parsed = parseUnits(decimal, SCALE)
  if (!parsed.ok) throw new Error(`an estimate says ${decimal}`)
  return parsed.units
}

/** @returns its fault, in words */
export const judgeEstimate = ({ price, exchange, target, spend }: Estimate): string[] => {
  const [rate, given, got] = [scaled(price.value), scaled(exchange.amount), scaled(target.amount)]
  const one = 10n ** BigInt(SCALE)
  const isTooMuch = exchange.ticker === price.pair[0] ? got * one > given * rate : got * rate > given * one
  const what = `${spend.amount} ${spend.ticker} for ${target.amount} ${target.ticker} at ${price.value}`
  const problems = isTooMuch ? [`an estimate gives more than its price: ${what}`] : []
  if (given + scaled(exchange.fee) !== scaled(spend.amount)) problems.push(`the parts of an estimate differ: ${what}`)
  if (scaled(exchange.fee) * 10_000n < given * FEE_BPS)
    problems.push(`an estimate charges too little: ${exchange.fee} of ${what}`)
  return problems
}
