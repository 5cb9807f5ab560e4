/** Parsing of java-tron's JSON, which omits every field with its default value. */
import { addressOfHex } from '@bursar/chainkit/tron'
import { exactOf, bytesOf, Malformed, textOf } from '../shape.ts'

export type Fields = Record<string, unknown>

const HASH = /^[0-9a-f]{64}$/i
const DIGITS = /^\d{1,39}$/

/** Parses a non-negative integer: sun, energy, bandwidth. Absent means 0. */
export const amountOf = (value: unknown, what: string): bigint => {
  if (value === undefined) return 0n
  const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof digits !== 'string' || !DIGITS.test(digits)) throw new Malformed(`${what} is no whole number`)
  return BigInt(digits)
}

/** Like `amountOf`, as a safe integer: heights and times. */
export const countOf = (value: unknown, what: string): number => exactOf(amountOf(value, what), what)

/** Parses a hash in lower case, the form for comparison and storage. */
export const hashOf = (value: unknown, what: string): string => {
  const text = textOf(value, what)
  if (!HASH.test(text)) throw new Malformed(`${what} is no hash`)
  return text.toLowerCase()
}

/** Parses an address in base58, the form for comparison and storage. */
export const addressOf = (value: unknown, what: string): string => {
  const text = textOf(value, what)
  try {
    return addressOfHex(text)
  } catch {
    throw new Malformed(`${what} is no address`)
  }
}

/** Whether an answer is an empty object, by which java-tron means "not found". */
export const isNothing = (answer: Fields): boolean => Object.keys(answer).length === 0

/** Reads a message, which is hex of UTF-8 in most answers and plain text in those of `broadcasthex`. */
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

/** 0 for an absent or unknown value. */
export const contractResultOf = (name: unknown): number => Math.max(0, CONTRACT_RESULTS.indexOf(name))
