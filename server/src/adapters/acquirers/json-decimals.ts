import { parseJsonDigits } from '../json-digits.ts'

/**
 * An object whose numbers are strings, digit by digit as they came. Throws a SyntaxError when the text is no JSON
 * object.
 */
export const readJsonDecimals = (text: string): Record<string, unknown> => {
  const value: unknown = parseJsonDigits(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no JSON object')
  return value as Record<string, unknown>
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

/** A decimal string that `JSON.stringify` writes as a number, with these very digits. */
export const decimalNumber = (decimal: string): unknown => {
  if (!/^\d{1,15}(\.\d{1,2})?$/.test(decimal)) throw new RangeError('not a decimal amount')
  return rawJson(decimal)
}

/** A field as text: absent and null are empty, as signatures take them; anything but text and numbers is empty too. */
export const textOf = (record: Readonly<Record<string, unknown>>, name: string): string => {
  const value = Object.hasOwn(record, name) ? record[name] : undefined
  return typeof value === 'string' ? value : ''
}
