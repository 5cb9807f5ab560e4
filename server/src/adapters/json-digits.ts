/**
 * A reviver with access to a number's source text. A float can't distinguish 100.00 from 100, and loses digits of
 * prices.
 */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const keepSource: Reviver = (_key, value, { source }) => (typeof value === 'number' ? source : value)

/**
 * Parses JSON; its numbers become strings with the original digits (proposal-json-parse-with-source). Throws a
 * SyntaxError.
 */
export const parseJsonDigits = (text: string): unknown =>
  JSON.parse(text, keepSource as (key: string, value: unknown) => unknown)
