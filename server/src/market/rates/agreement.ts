import type { Book, OfficialRate } from '../../adapters/rates/port.ts'
import { mulDiv } from '../../platform/money/index.ts'
import type { OrderBook } from './usdt-market.ts'
import { E18, isSound, middleOf } from './ladder.ts'

/** Rules for accepting the order books of one market. */
export interface AgreementRules {
  /** minimum number of books that must agree */
  quorum: number
  /** ms; an older book is ignored */
  oldestMs: number
  /** maximum distance of a book's middle from the median of all, in basis points */
  apartBps: bigint
  /** maximum change of the median since the last accepted one, in basis points for each minute or part of one */
  jumpBpsPerMinute: bigint
  /** maximum distance of the median from the official rate, in basis points; null: not compared */
  bandBps: bigint | null
  /** the same when only one book agrees, because one is easier to manipulate; null: as `bandBps` */
  aloneBandBps: bigint | null
}

/** The last accepted median, in 1e-18 of the quote for one base, and its time (ms). */
export interface LastMiddle {
  middle: bigint
  at: number
}

export type Agreement =
  | { kind: 'open'; middle: bigint; books: OrderBook[]; dropped: Dropped[] }
  | { kind: 'closed'; reason: string; dropped: Dropped[] }

/** A source whose book was dropped, and the reason. */
export interface Dropped {
  source: string
  reason: string
}

const BPS = 10_000n

/**
 * Decides the price of one market from the books of its sources. Drops books that are unsound, stale or too far from
 * the median. Requires a quorum of the others, no jump since the last accepted median, and a median inside the official
 * band. If any check fails, the market is closed.
 * @param now real time, ms
 * @param official the official price of one base in the quote, 1e-18; undefined when there is no fresh one
 */
export const agree = (
  seen: readonly { source: string; book: Book }[],
  {
    rules,
    now,
    last,
    official,
  }: { rules: AgreementRules; now: number; last: LastMiddle | undefined; official: bigint | undefined },
): Agreement => {
  const dropped: Dropped[] = []
  const drop = (source: string, reason: string): false => {
    dropped.push({ source, reason })
    return false
  }
  const sound = seen.filter(({ source, book }) => {
    if (!isSound(book) || middleOf(book) === undefined) return drop(source, 'not an order book')
    if (book.observedAt < now - rules.oldestMs) return drop(source, `older than ${rules.oldestMs / 1000} s`)
    return book.observedAt <= now + 5_000 || drop(source, 'from the future')
  })
  const all = median(sound.map(({ book }) => middleOf(book)!))
  const agreeing = sound.filter(
    ({ source, book }) =>
      isWithin(middleOf(book)!, all!, rules.apartBps) ||
      drop(source, `more than ${percent(rules.apartBps)} from the median`),
  )
  if (agreeing.length < rules.quorum)
    return { kind: 'closed', reason: `${agreeing.length} of ${rules.quorum} sources that are needed agree`, dropped }
  const middle = median(agreeing.map(({ book }) => middleOf(book)!))!
  const bandBps = agreeing.length === 1 ? (rules.aloneBandBps ?? rules.bandBps) : rules.bandBps
  const reason = whyNot(middle, { rules: { ...rules, bandBps }, now, last, official })
  if (reason !== undefined) return { kind: 'closed', reason, dropped }
  return { kind: 'open', middle, books: agreeing.map(({ source, book }) => ({ ...book, source })), dropped }
}

const whyNot = (
  middle: bigint,
  {
    rules,
    now,
    last,
    official,
  }: { rules: AgreementRules; now: number; last: LastMiddle | undefined; official: bigint | undefined },
): string | undefined => {
  if (last !== undefined) {
    if (!isWithin(middle, last.middle, mostMoved(rules.jumpBpsPerMinute, now - last.at)))
      return `it jumped from ${inWords(last.middle)} to ${inWords(middle)}`
  }
  if (rules.bandBps === null) return undefined
  if (official === undefined) return 'no official rate to compare with'
  return isWithin(middle, official, rules.bandBps)
    ? undefined
    : `${inWords(middle)} is more than ${percent(rules.bandBps)} from the official ${inWords(official)}`
}

const HALF_DAY_MS = 12 * 3_600_000

/**
 * The day for which an official rate is valid, `YYYY-MM-DD`. `observedAt` is that day's midnight at the bank, which is
 * east of Greenwich, so that its UTC date is the day before.
 */
export const officialDay = ({ observedAt }: Pick<OfficialRate, 'observedAt'>): string =>
  new Date(observedAt + HALF_DAY_MS).toISOString().slice(0, 10)

/** The official price of one USDT, assumed to be one USD, in the currency. */
export const officialPrice = (
  rates: readonly OfficialRate[],
  ticker: string,
  freshSince: number,
): bigint | undefined => {
  const fresh = rates.filter((rate) => rate.ticker === ticker && rate.observedAt >= freshSince)
  return median(fresh.map(({ perUsd }) => perUsd))
}

/** The median; of an even number of values the mean of the two middle ones, rounded half to even. */
export const median = (values: readonly bigint[]): bigint | undefined => {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const half = Math.floor(sorted.length / 2)
  if (sorted.length === 0) return undefined
  return sorted.length % 2 === 1 ? sorted[half] : mulDiv(sorted[half - 1]! + sorted[half]!, 1n, 2n, 'half-even')
}

/** The maximum change of a price in a time, in basis points; a begun minute counts in full. */
export const mostMoved = (bpsPerMinute: bigint, ms: number): bigint =>
  bpsPerMinute * BigInt(Math.floor(Math.max(0, ms) / 60_000) + 1)

export const isWithin = (value: bigint, of: bigint, bps: bigint): boolean =>
  (value > of ? value - of : of - value) * BPS <= of * bps

export const percent = (bps: bigint): string => `${Number(bps) / 100} %`

/** A price as text for people, with six decimals. */
const inWords = (e18: bigint): string => {
  const text = mulDiv(e18, 10n ** 6n, E18, 'half-even')
    .toString()
    .padStart(7, '0')
  return `${text.slice(0, -6)}.${text.slice(-6)}`
}
