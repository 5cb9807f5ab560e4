/**
 * The venue's faults on demand (rows V-1, V-2, V-3, V-4 and V-5 of docs/dialects.md): `POST /venue/next` for the next
 * order, `POST /venue/fault` for all requests until it is ended.
 */
import { objectWith, oneOf, text, wholeNumber } from '../http/fields.ts'

/**
 * `bus`: -1006, `backend`: -1007, both "execution status unknown" (developers.binance.com, spot, errors, November
 * 2026), which gives no HTTP status for them: 400 here.
 */
const ANSWERS = ['cut', 'held', 'error', 'garbage', 'bus', 'backend', 'unavailable'] as const
const REJECTIONS = ['filter', 'balance', 'key', 'position', 'suspended', 'symbol', 'closed', 'liquidity'] as const
/**
 * How an order ends before it is filled: the rest of an IOC order, self-trade prevention, the price rule, or an unknown
 * status.
 */
const ENDS = ['rest', 'match', 'price-range', 'new-word'] as const
/**
 * `limited`: HTTP 429 with Retry-After, `limited-silently`: without; `banned`: HTTP 418; `firewall`: HTTP 403 with a
 * page. Source: developers.binance.com, spot, REST API, "IP Limits" and "General Information" (November 2026).
 */
const OUTAGES = ['down', 'slow', 'limited', 'limited-silently', 'banned', 'firewall'] as const

export interface NextOrder {
  /** percent of the order that trades at most; 0: none of it does */
  readonly fill: number
  /** it rests, and trades so much later, ms */
  readonly delayMs: number
  /** it arrives so much later, after the connection was cut, ms; refused then when its window has passed */
  readonly lateMs: number
  /** `unavailable`: not taken, HTTP 503; with all others it is taken */
  readonly answer?: (typeof ANSWERS)[number]
  readonly reject?: (typeof REJECTIONS)[number]
  readonly end: (typeof ENDS)[number]
}

const usualOrder: NextOrder = { fill: 100, delayMs: 0, lateMs: 0, end: 'rest' }
const LONGEST_MS = 600_000

export interface Faults {
  next(body: unknown): unknown
  outage(body: unknown): unknown
  /** Returns the fault of the next order of a market, and removes it. */
  take(symbol: string): NextOrder
  current(): (typeof OUTAGES)[number] | undefined
  /** Ends the outage, and removes the faults that wait for an order. */
  end(): void
}

export const createFaults = (): Faults => {
  const waiting: { symbol: string | undefined; left: number; order: NextOrder }[] = []
  let outage: (typeof OUTAGES)[number] | undefined
  return {
    next: (body) => {
      const fields = objectWith(body, ['fill', 'delayMs', 'lateMs', 'answer', 'reject', 'end', 'symbol', 'times'])
      const order: NextOrder = {
        fill: wholeNumber(fields, 'fill', 0, 100, 100),
        delayMs: wholeNumber(fields, 'delayMs', 0, LONGEST_MS, 0),
        lateMs: wholeNumber(fields, 'lateMs', 0, LONGEST_MS, 0),
        end: fields['end'] === undefined ? 'rest' : (oneOf(fields, 'end', ENDS) as (typeof ENDS)[number]),
        ...(fields['answer'] === undefined
          ? {}
          : { answer: oneOf(fields, 'answer', ANSWERS) as (typeof ANSWERS)[number] }),
        ...(fields['reject'] === undefined
          ? {}
          : { reject: oneOf(fields, 'reject', REJECTIONS) as (typeof REJECTIONS)[number] }),
      }
      waiting.push({
        symbol: fields['symbol'] === undefined ? undefined : text(fields, 'symbol'),
        left: wholeNumber(fields, 'times', 1, 1_000, 1),
        order,
      })
      return order
    },
    outage: (body) => {
      const fields = objectWith(body, ['kind'])
      outage = fields['kind'] === undefined ? undefined : (oneOf(fields, 'kind', OUTAGES) as (typeof OUTAGES)[number])
      return { kind: outage ?? null }
    },
    take: (symbol) => {
      const found = waiting.find((one) => one.left > 0 && (one.symbol === undefined || one.symbol === symbol))
      if (found === undefined) return usualOrder
      found.left -= 1
      return found.order
    },
    current: () => outage,
    end: () => {
      outage = undefined
      waiting.length = 0
    },
  }
}
