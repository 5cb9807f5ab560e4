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

/** A ticker that has no price now although sources gave one, and why. */
export interface RefusedPrice {
  ticker: string
  kind: 'disagreement' | 'jump'
  reason: string
}

/** What a source said of a ticker. @property agreed several sources agree on it already, as on what order books say */
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
  /** sources that did not answer: any of them may have said something else */
  silent: number
  rulesOf(ticker: string): Pick<AgreementRules, 'apartBps' | 'jumpBpsPerMinute'>
  /** the price of before, while it is fresh */
  lastOf(ticker: string): { usd: bigint; at: number } | undefined
}

interface Believable {
  source: string
  agreed: boolean
  usd: bigint
  observedAt: number
}

/**
 * One price a ticker out of what all sources said, or none. What several sources agreed on before is taken as it is.
 * Else sources have to agree as order books do: those near the median count, two are needed where there are two, and it
 * may not have jumped. Of two that contradict each other neither is taken. Quotes that are zero, not decimals, too old
 * or from the future are left out.
 */
export const choosePrices = (
  given: readonly GivenQuote[],
  rules: ChoiceRules,
): { chosen: ChosenPrice[]; refused: RefusedPrice[] } => {
  const byTicker = Map.groupBy(given, ({ quote }) => quote.ticker)
  const judged = [...byTicker].flatMap(([ticker, quotes]): (ChosenPrice | RefusedPrice)[] => {
    const good = quotes.flatMap((one) => believable(one, rules))
    // One whose word can't be believed might have contradicted the others, as one that gave none.
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

/** For people. */
const inWords = (e18: bigint): string => `${Number(e18) / 1e18}`
