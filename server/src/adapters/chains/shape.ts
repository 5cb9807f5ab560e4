/** Validation of data from nodes. Each function throws `Malformed` for invalid data. */

/** The answer violates the protocol. */
export class Malformed extends Error {
  override name = 'Malformed'
}

export const objectOf = (value: unknown, what: string): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Malformed(`${what} is no object`)
  return value as Record<string, unknown>
}

export const listOf = (value: unknown, what: string): unknown[] => {
  if (!Array.isArray(value)) throw new Malformed(`${what} is no list`)
  return value
}

export const textOf = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw new Malformed(`${what} is no text`)
  return value
}

/** Reads a non-negative safe integer. */
export const wholeOf = (value: unknown, what: string): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Malformed(`${what} is no whole number`)
  return value
}

/** Reads a safe integer, which may be negative. */
export const integerOf = (value: unknown, what: string): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Malformed(`${what} is no integer`)
  return value
}

/** Converts to a safe integer: heights, nonces, times. */
export const exactOf = (count: bigint, what: string): number => {
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new Malformed(`${what} is too large`)
  return Number(count)
}

const HEX = /^(?:[0-9a-f]{2})*$/i

/** Reads bytes from hex without 0x. */
export const bytesOf = (value: unknown, what: string): Uint8Array => {
  const text = textOf(value, what)
  if (!HEX.test(text)) throw new Malformed(`${what} is no hex`)
  return Buffer.from(text, 'hex')
}
