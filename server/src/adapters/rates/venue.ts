import { parseUnits } from '../../platform/money/index.ts'
import { isLimit, type Rests } from '../rests.ts'
import { getJson, SourceStatus } from './get.ts'
import type { Book, BookSource, Level, Market } from './port.ts'

/** Properties of a venue with public order books. */
export interface Venue {
  name: string
  /** default URL, which the operator can replace by a mirror */
  origin: string
  /** its markets, as `BASE/QUOTE` */
  markets: readonly string[]
  /** path and query of a market's book */
  pathOf(market: Market): string
  /**
   * Reads both sides, and their time (ms) if the answer has one.
   * @throws Error for any other answer
   */
  read(answer: unknown): { bids: unknown; asks: unknown; observedAt?: number }
}

const SCALE = 18

interface SourceOptions {
  origin?: string
  now: () => number
  markets?: readonly string[]
  /** shared by all callers of the venue in this process */
  rests: Rests
}

/**
 * Creates a source of a venue's order books. A book's time is that reported by the venue, or else that of the request.
 * After a rate limit error the venue is not queried until the pause is over.
 */
export const createVenueSource = (
  venue: Venue,
  { origin = venue.origin, now, markets = venue.markets, rests }: SourceOptions,
): BookSource => {
  const served = new Set(markets)
  return {
    name: venue.name,
    serves: ({ base, quote }) => served.has(`${base}/${quote}`),
    book: async (market): Promise<Book> => {
      const asked = now()
      const rest = rests.until(venue.name)
      if (rest !== undefined)
        throw new Error(
          `${venue.name} said that it is asked too often, and is left alone until ${new Date(rest).toISOString()}`,
        )
      const {
        bids,
        asks,
        observedAt = asked,
      } = venue.read(await noteRateLimit(venue.name, rests, getJson(`${origin}${venue.pathOf(market)}`, venue.name)))
      if (!isTime(observedAt)) throw new Error(`${venue.name} answered an order book of no time`)
      return { ...market, bids: levels(bids, venue.name), asks: levels(asks, venue.name), observedAt }
    },
  }
}

const noteRateLimit = async (name: string, rests: Rests, answer: Promise<unknown>): Promise<unknown> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof SourceStatus && isLimit(error.limited.status)) rests.heard(name, error.limited)
    throw error
  }
}

/** Whether a time in ms is one: a source may answer anything in its place. */
export const isTime = (ms: number): boolean => ms >= 0 && !Number.isNaN(new Date(ms).getTime())

/** The start of the text that a source sends. */
export const wordsOf = (said: unknown): string =>
  (typeof said === 'string' ? said : JSON.stringify(said ?? '')).slice(0, 100)

/** Reads a number from its digits; NaN for anything else. */
export const numberOf = (digits: unknown): number => (typeof digits === 'string' ? Number(digits) : Number.NaN)

/** `[[price, amount, ...], ...]` as text. */
const levels = (side: unknown, name: string): Level[] => {
  if (!Array.isArray(side)) throw new Error(`${name} answered no order book`)
  return side.map((level): Level => {
    const [price, amount] = Array.isArray(level) ? [decimal(level[0]), decimal(level[1])] : []
    if (price === undefined || amount === undefined)
      throw new Error(`${name} answered an order book with a level that is none`)
    return { price, amount }
  })
}

/**
 * Parses a decimal in 1e-18. Further digits are dropped, because venues write amounts more precisely than they trade
 * them.
 */
export const decimal = (text: unknown): bigint | undefined => {
  if (typeof text !== 'string') return undefined
  const parsed = parseUnits(text.replace(/(\.\d{18})\d+$/, '$1'), SCALE)
  return parsed.ok ? parsed.units : undefined
}

/** Returns a member of an answer; undefined when the answer is not an object. */
export const member = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined
