/**
 * Thrown by the strict readers of external JSON below. Unknown keys are errors, and every message names the faulty
 * place.
 */
export class ShapeError extends Error {
  override name = 'ShapeError'
}

export type Fields = Record<string, unknown>

const UNITS = /^(0|[1-9][0-9]{0,77})$/

export function readObject(
  value: unknown,
  at: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ShapeError(`${at} must be an object`)
  }
  const missing = required.filter((key) => !Object.hasOwn(value, key))
  if (missing.length > 0) throw new ShapeError(`${at} lacks ${missing.join(', ')}`)
  const unknown = Object.keys(value).filter((key) => !required.includes(key) && !optional.includes(key))
  if (unknown.length > 0) throw new ShapeError(`${at} has unknown fields: ${unknown.join(', ')}`)
  return value as Fields
}

/** Reads an object whose keys are data, as entries. */
export function readMap(value: unknown, at: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ShapeError(`${at} must be an object`)
  }
  return Object.entries(value)
}

export function readList(value: unknown, at: string, most: number): unknown[] {
  if (!Array.isArray(value)) throw new ShapeError(`${at} must be a list`)
  if (value.length > most) throw new ShapeError(`${at} has more than ${most} entries`)
  return value
}

export function readText(value: unknown, at: string, pattern: RegExp, what: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new ShapeError(`${at} must be ${what}`)
  return value
}

export function readChoice<Choice extends string>(value: unknown, at: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === value)
  if (choice === undefined) throw new ShapeError(`${at} must be one of ${choices.join(', ')}`)
  return choice
}

export function readBoolean(value: unknown, at: string): boolean {
  if (typeof value !== 'boolean') throw new ShapeError(`${at} must be true or false`)
  return value
}

export function readInteger(value: unknown, at: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new ShapeError(`${at} must be a whole number from ${least} to ${most}`)
  }
  return value
}

/** Reads chain units, a string of decimal digits. */
export function readUnits(value: unknown, at: string): bigint {
  return BigInt(readText(value, at, UNITS, 'a string of decimal digits without leading zeros'))
}
