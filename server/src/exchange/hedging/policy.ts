import Type, { type Static } from 'typebox'
import { amount, count, ticker } from '../../platform/config/fields.ts'
import type { NoteProblem } from '../../platform/config/shape.ts'
import { unitsOf } from '../../platform/money/index.ts'

/** Settings of hedging. USDT in 1e-18. */
export interface HedgePolicy {
  /** a smaller exposure is not hedged */
  leastUsdt: bigint
  /** of one order, and of all orders in one hour */
  mostUsdt: bigint
  mostUsdtPerHour: bigint
  /** how much worse than the middle of our own sources an order may fill */
  slippageBps: bigint
  /** hedged assets; null: all for which the venue has a market */
  assets: ReadonlySet<string> | null
  /** the used share of a position's limit that raises an alert */
  warnPercent: bigint
  /** how long the venue may accept an order */
  validMs: number
}

const usdt = (description: string, standard: string) => Type.Optional(amount(description, { standard, unit: 'USDT' }))

const STANDARD = { leastUsdt: '20', mostUsdt: '10000', mostUsdtPerHour: '100000', slippageBps: 50, warnPercent: 80 }
const VALID_MS = 5_000

/** Members of `hedging` in `BURSAR_EXCHANGE_FILE`, besides the venue. */
export const HEDGE_MEMBERS = {
  leastUsdt: usdt("a smaller exposure is not hedged; the venue's own minimum applies, too", STANDARD.leastUsdt),
  mostUsdt: usdt('maximum of one order', STANDARD.mostUsdt),
  mostUsdtPerHour: usdt('maximum of all orders in an hour', STANDARD.mostUsdtPerHour),
  slippageBps: Type.Optional(
    count(
      'maximum deviation of the price of an order from the middle of your own sources: orders are limit orders that fill at once or are cancelled',
      { most: 1_000, standard: STANDARD.slippageBps, unit: 'hundredths of a percent' },
    ),
  ),
  warnPercent: Type.Optional(
    count("part of a position's limit at which an alert is raised", {
      most: 100,
      standard: STANDARD.warnPercent,
      unit: 'percent',
    }),
  ),
  assets: Type.Optional(
    Type.Array(ticker('an asset'), {
      description:
        'assets to hedge. An asset needs a market against USDT at the venue and a price from your own sources; the exposure of other assets stays within their limits',
      absent: 'all that the venue has',
    }),
  ),
}

export type HedgeSettings = { [Name in keyof typeof HEDGE_MEMBERS]?: Static<(typeof HEDGE_MEMBERS)[Name]> }

/** Notes a problem unless each limit is at most the next one. */
export const noteUnordered = (given: HedgeSettings, note: NoteProblem): void => {
  const { leastUsdt, mostUsdt, mostUsdtPerHour } = hedgePolicyOf(given)
  if (mostUsdt < leastUsdt) note('it is below leastUsdt', 'mostUsdt')
  if (mostUsdtPerHour < mostUsdt) note('it is below mostUsdt', 'mostUsdtPerHour')
}

/** Returns the file's settings over the defaults. */
export const hedgePolicyOf = (given: HedgeSettings): HedgePolicy => {
  const { leastUsdt, mostUsdt, mostUsdtPerHour, slippageBps, warnPercent } = { ...STANDARD, ...given }
  return {
    leastUsdt: unitsOf(leastUsdt, 18),
    mostUsdt: unitsOf(mostUsdt, 18),
    mostUsdtPerHour: unitsOf(mostUsdtPerHour, 18),
    slippageBps: BigInt(slippageBps),
    assets: given.assets === undefined ? null : new Set(given.assets),
    warnPercent: BigInt(warnPercent),
    validMs: VALID_MS,
  }
}
