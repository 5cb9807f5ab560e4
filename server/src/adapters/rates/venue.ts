import { parseUnits } from '../../platform/money/index.ts'
import { isLimit, type Rests } from '../rests.ts'
import { getJson, SourceStatus } from './get.ts'
import type { Book, BookSource, Level, Market } from './port.ts'

/** What differs between exchanges whose order books are public. */
export interface Venue {
  name: string
  /** where it is, unless the operator names a mirror */
  origin: string
  /** markets it has, as `BASE/QUOTE` */
  markets: readonly string[]
  /** path and query of a market's book */
  pathOf(market: Market): string
  /** Both sides, and when they were so (ms), if it says. @throws Error when it is no such answer */
  read(answer: unknown): { bids: unknown; asks: unknown; observedAt?: number }
}

const SCALE = 18

interface SourceOptions {
  origin?: string
  now: () => number
  markets?: readonly string[]
  /** shared with all that asks the venue from this process */
  rests: Rests
}

/**
 * Order books of a venue. A book is as old as the venue says it is, or as the moment it was asked for. A venue that
 * says it is asked too often is left alone.
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
      } = venue.read(await limitsHeard(venue.name, rests, getJson(`${origin}${venue.pathOf(market)}`, venue.name)))
      return { ...market, bids: levels(bids, venue.name), asks: levels(asks, venue.name), observedAt }
    },
  }
}

const limitsHeard = async (name: string, rests: Rests, answer: Promise<unknown>): Promise<unknown> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof SourceStatus && isLimit(error.limited.status)) rests.heard(name, error.limited)
    throw error
  }
}

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

/** Digits beyond the eighteenth are dropped: venues write amounts finer than anything they trade. */
export const decimal = (text: unknown): bigint | undefined => {
  if (typeof text !== 'string') return undefined
  const parsed = parseUnits(text.replace(/(\.\d{18})\d+$/, '$1'), SCALE)
  return parsed.ok ? parsed.units : undefined
}

/** A member of an answer that has to be an object. */
export const member = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined
