/**
 * A JSON number as it was written: read as a float, 100.00 and 100 are the same, and a price has lost digits already.
 */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const keepSource: Reviver = (_key, value, { source }) => (typeof value === 'number' ? source : value)

/**
 * JSON whose numbers are strings, digit by digit as they came (proposal-json-parse-with-source). Throws a SyntaxError.
 */
export const parseJsonDigits = (text: string): unknown =>
  JSON.parse(text, keepSource as (key: string, value: unknown) => unknown)
