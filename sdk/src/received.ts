import { WebhookError } from './errors.ts'
import type { Notification } from './generated.ts'
import type { RawBody } from './signature.ts'

/** A request that a webhook endpoint received. */
export interface ReceivedWebhook {
  /** As the framework provides them; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The raw body: parsing and serialising it again would change it. */
  readonly rawBody: RawBody
}

/** Recognises headers by their shape, because a framework may have a class of its own. */
const isHeaders = (headers: ReceivedWebhook['headers']): headers is Headers => typeof headers['get'] === 'function'

/** Returns the value of a header, or undefined when it is absent or appears more than once. */
export const headerOf = ({ headers }: ReceivedWebhook, name: string): string | undefined => {
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const named = Object.entries(headers).filter(([key]) => key.toLowerCase() === name)
  const values = named.flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] : undefined
}

/**
 * Throws when the timestamp is malformed, too old or too far ahead.
 * @param timestamp Unix seconds
 * @param now ms since the epoch
 */
export const checkFreshness = (timestamp: string, { now, toleranceMs }: { now: number; toleranceMs: number }): void => {
  if (!/^\d{10}$/.test(timestamp)) throw new WebhookError(-1, 'The timestamp is malformed')
  const ageMs = Math.floor(now / 1_000) * 1_000 - Number(timestamp) * 1_000
  if (ageMs < -toleranceMs) throw new WebhookError(-3, 'The notification is from the future: check this clock')
  if (ageMs > toleranceMs) throw new WebhookError(-2, 'The notification is too old')
}

/**
 * Returns the keys or secrets to try. Throws when there is none, or when one is empty, because anyone could sign with
 * it.
 */
export const listOfKeys = (name: string, keys: string | readonly string[]): readonly string[] => {
  const list = typeof keys === 'string' ? [keys] : keys
  const usable = list.every((key) => typeof key === 'string' && key !== '')
  if (list.length === 0 || !usable) throw new TypeError(`${name} is missing`)
  return list
}

/** Parses the body of a notification whose signature has been verified. */
export const notificationOf = ({ rawBody }: ReceivedWebhook): Notification => {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { fatal: true }).decode(rawBody)
  return JSON.parse(text) as Notification
}
