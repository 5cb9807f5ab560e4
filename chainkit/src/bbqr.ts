import { base32nopad } from '@scure/base'
import { refuse } from './refusal.ts'
import type { Refused } from './refusal.ts'

/** Type of the encoded bytes: a PSBT, JSON, a Bitcoin transaction, or UTF-8 text. */
export type BbqrType = 'P' | 'J' | 'T' | 'U'

/**
 * `B$`, the encoding (base32), the type, and two base-36 digits each for the number of parts and the index of this
 * part.
 */
const HEADER = /^B\$2([PJTU])([0-9A-Z]{2})([0-9A-Z]{2})([A-Z2-7]*)$/
const HEADER_CHARS = 8
const MOST_PARTS = 36 ** 2 - 1
const CHARS_PER_GROUP = 8
const BYTES_PER_GROUP = 5

/**
 * Splits bytes into one or more texts, each for a QR code in alphanumeric mode (BBQr 1.0, Coinkite: base32 without
 * compression).
 * @param mostChars maximum length of one text
 */
export function splitBbqr(bytes: Uint8Array, type: BbqrType, mostChars: number): string[] {
  const groups = Math.floor((mostChars - HEADER_CHARS) / CHARS_PER_GROUP)
  if (groups < 1) throw new RangeError('No part holds anything')
  // Parts of one size, so that no QR code is larger than the others.
  const fewest = Math.max(1, Math.ceil(bytes.length / (groups * BYTES_PER_GROUP)))
  const size = Math.ceil(bytes.length / fewest / BYTES_PER_GROUP) * BYTES_PER_GROUP
  const count = size === 0 ? 1 : Math.ceil(bytes.length / size)
  if (count > MOST_PARTS) throw new RangeError(`${bytes.length} bytes are more than ${MOST_PARTS} parts hold`)
  return Array.from({ length: count }, (_, part) => {
    const body = base32nopad.encode(bytes.slice(part * size, (part + 1) * size))
    return `B$2${type}${inBase36(count)}${inBase36(part)}${body}`
  })
}

/** Joins parts, in any order and with duplicates allowed, into the original bytes. Never throws. */
export function joinBbqr(texts: readonly string[]): { type: BbqrType; bytes: Uint8Array } | Refused<'not-parsable'> {
  const parts = new Map<number, string>()
  let first: { type: BbqrType; count: number } | undefined
  for (const text of texts) {
    const [, type, count, part, body] = HEADER.exec(text.trim()) ?? []
    if (!type || !count || !part || body === undefined) return refuse('not-parsable', 'This is no BBQr part in base32')
    const one = { type: type as BbqrType, count: Number.parseInt(count, 36) }
    first ??= one
    const at = Number.parseInt(part, 36)
    if (one.type !== first.type || one.count !== first.count || at >= one.count || (parts.get(at) ?? body) !== body) {
      return refuse('not-parsable', 'These parts are not of one message')
    }
    parts.set(at, body)
  }
  const missing = Array.from({ length: first?.count ?? 1 }, (_, at) => at).filter((at) => !parts.has(at))
  if (!first || missing.length > 0) return refuse('not-parsable', `Part ${(missing[0] ?? 0) + 1} is missing`)
  try {
    const pieces = [...parts].toSorted(([a], [b]) => a - b).map(([, body]) => base32nopad.decode(body))
    return { type: first.type, bytes: Uint8Array.from(pieces.flatMap((piece) => [...piece])) }
  } catch {
    return refuse('not-parsable', 'A part is not base32')
  }
}

const inBase36 = (number: number): string => number.toString(36).toUpperCase().padStart(2, '0')
