import type { Quote } from '../../adapters/rates/port.ts'
import { unitsOf } from '../../platform/money/index.ts'
import { isWithin, median, mostMoved, percent, type AgreementRules } from './agreement.ts'

const SCALE = 18

export interface ChosenPrice {
  ticker: string
  usd: bigint
  /** the sources it is the median of, joined by `+` */
  source: string
  observedAt: Date
}

/** A ticker whose quotes were rejected, and the reason. */
export interface RefusedPrice {
  ticker: string
  kind: 'disagreement' | 'jump'
  reason: string
}

/**
 * A quote of one source for a ticker.
 * @property agreed it already combines several sources that agree, as a price from order books does
 */
export interface GivenQuote {
  source: string
  agreed: boolean
  quote: Quote
}

export interface ChoiceRules {
  /** real time, ms */
  now: number
  /** ms; an older quote is left out */
  oldestMs: number
  /** number of sources that did not answer; each might have contradicted the others */
  silent: number
  rulesOf(ticker: string): Pick<AgreementRules, 'apartBps' | 'jumpBpsPerMinute'>
  /** the previous price, if it is still fresh */
  lastOf(ticker: string): { usd: bigint; at: number } | undefined
}

interface Believable {
  source: string
  agreed: boolean
  usd: bigint
  observedAt: number
}

/**
 * Chooses one price for each ticker from the quotes of all sources, or none. An `agreed` quote is used as it is.
 * Otherwise the quotes near the median count: two are needed if there are two sources, and the price must not have
 * jumped. Of two quotes that contradict each other neither is used. Quotes that are zero, not decimals, too old or from
 * the future are ignored.
 */
export const choosePrices = (
  given: readonly GivenQuote[],
  rules: ChoiceRules,
): { chosen: ChosenPrice[]; refused: RefusedPrice[] } => {
  const byTicker = Map.groupBy(given, ({ quote }) => quote.ticker)
  const judged = [...byTicker].flatMap(([ticker, quotes]): (ChosenPrice | RefusedPrice)[] => {
    const good = quotes.flatMap((one) => believable(one, rules))
    // A source without a usable quote counts as silent: it might have contradicted the others.
    return good.length === 0
      ? []
      : [judge(ticker, good, { ...rules, silent: rules.silent + quotes.length - good.length })]
  })
  return {
    chosen: judged.filter((one): one is ChosenPrice => !('kind' in one)),
    refused: judged.filter((one): one is RefusedPrice => 'kind' in one),
  }
}

const believable = ({ source, agreed, quote }: GivenQuote, { now, oldestMs }: ChoiceRules): Believable[] => {
  const usd = priceOf(quote.usd)
  const isRecent = quote.observedAt >= now - oldestMs && quote.observedAt <= now + 5_000
  return usd === undefined || !isRecent ? [] : [{ source, agreed, usd, observedAt: quote.observedAt }]
}

const judge = (
  ticker: string,
  good: readonly Believable[],
  { now, silent, rulesOf, lastOf }: ChoiceRules,
): ChosenPrice | RefusedPrice => {
  const best = good.find(({ agreed }) => agreed)
  if (best) return priceOut(ticker, [best])
  const { apartBps, jumpBpsPerMinute } = rulesOf(ticker)
  const all = median(good.map(({ usd }) => usd))!
  const near = good.filter(({ usd }) => isWithin(usd, all, apartBps))
  const needed = Math.min(2, good.length + silent)
  if (near.length < needed) {
    const said = good.map(({ source, usd }) => `${source}: ${inWords(usd)}`).join(', ')
    return {
      ticker,
      kind: 'disagreement',
      reason: `${near.length} of ${needed} sources that are needed agree within ${percent(apartBps)} (${said}${silent === 0 ? '' : `; ${silent} gave nothing`})`,
    }
  }
  const price = priceOut(ticker, near)
  const last = lastOf(ticker)
  if (last !== undefined && !isWithin(price.usd, last.usd, mostMoved(jumpBpsPerMinute, now - last.at))) {
    return {
      ticker,
      kind: 'jump',
      reason: `it jumped from ${inWords(last.usd)} to ${inWords(price.usd)} (${price.source})`,
    }
  }
  return price
}

const priceOut = (ticker: string, of: readonly Believable[]): ChosenPrice => ({
  ticker,
  usd: median(of.map(({ usd }) => usd))!,
  source: of.map(({ source }) => source).join('+'),
  observedAt: new Date(Math.min(...of.map(({ observedAt }) => observedAt))),
})

const priceOf = (text: string): bigint | undefined => {
  try {
    const usd = unitsOf(text, SCALE)
    return usd > 0n ? usd : undefined
  } catch {
    return undefined
  }
}

/** A price as text for people. */
const inWords = (e18: bigint): string => `${Number(e18) / 1e18}`
