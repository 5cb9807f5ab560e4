import { parseJsonDigits } from '../json-digits.ts'

/**
 * Parses a JSON object; its numbers become strings with the original digits. Throws a SyntaxError when the text is not
 * a JSON object.
 */
export const readJsonDecimals = (text: string): Record<string, unknown> => {
  const value: unknown = parseJsonDigits(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no JSON object')
  return value as Record<string, unknown>
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

/** Wraps a decimal string so that `JSON.stringify` writes it as a number with exactly these digits. */
export const decimalNumber = (decimal: string): unknown => {
  if (!/^\d{1,15}(\.\d{1,2})?$/.test(decimal)) throw new RangeError('not a decimal amount')
  return rawJson(decimal)
}

/**
 * Returns a field as text. Absent and null fields are empty, as in signatures; so is anything except text and numbers.
 */
export const textOf = (record: Readonly<Record<string, unknown>>, name: string): string => {
  const value = Object.hasOwn(record, name) ? record[name] : undefined
  return typeof value === 'string' ? value : ''
}
