/** Reading java-tron's JSON, which leaves out every field that has its default value. */
import { addressOfHex } from '@bursar/chainkit/tron'
import { exactOf, bytesOf, Malformed, textOf } from '../shape.ts'

export type Fields = Record<string, unknown>

const HASH = /^[0-9a-f]{64}$/i
const DIGITS = /^\d{1,39}$/

/** A whole number that is not negative: sun, energy, bandwidth. Absent is 0. */
export const amountOf = (value: unknown, what: string): bigint => {
  if (value === undefined) return 0n
  const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof digits !== 'string' || !DIGITS.test(digits)) throw new Malformed(`${what} is no whole number`)
  return BigInt(digits)
}

/** The same, where a double holds it exactly: heights and times. */
export const countOf = (value: unknown, what: string): number => exactOf(amountOf(value, what), what)

/** In lower case, in which hashes are compared and stored. */
export const hashOf = (value: unknown, what: string): string => {
  const text = textOf(value, what)
  if (!HASH.test(text)) throw new Malformed(`${what} is no hash`)
  return text.toLowerCase()
}

/** In base58, in which addresses are compared and stored. */
export const addressOf = (value: unknown, what: string): string => {
  const text = textOf(value, what)
  try {
    return addressOfHex(text)
  } catch {
    throw new Malformed(`${what} is no address`)
  }
}

/** How java-tron says that there is no such thing. */
export const isNothing = (answer: Fields): boolean => Object.keys(answer).length === 0

/** Messages are hex of UTF-8 in most answers, and plain in those of `broadcasthex`. */
export const messageOf = (value: unknown): string => {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return text
  const decoded = Buffer.from(bytesOf(text, 'the message')).toString('utf8')
  return /^[\t\n\r\u0020-\u007e]*$/.test(decoded) ? decoded : text
}

/** `contractResult` of Tron.proto, by its numbers. */
const CONTRACT_RESULTS: readonly unknown[] = [
  'DEFAULT',
  'SUCCESS',
  'REVERT',
  'BAD_JUMP_DESTINATION',
  'OUT_OF_MEMORY',
  'PRECOMPILED_CONTRACT',
  'STACK_TOO_SMALL',
  'STACK_TOO_LARGE',
  'ILLEGAL_OPERATION',
  'STACK_OVERFLOW',
  'OUT_OF_ENERGY',
  'OUT_OF_TIME',
  'JVM_STACK_OVER_FLOW',
  'UNKNOWN',
  'TRANSFER_FAILED',
  'INVALID_CODE',
]

/** 0 for what is absent or unknown. */
export const contractResultOf = (name: unknown): number => Math.max(0, CONTRACT_RESULTS.indexOf(name))
