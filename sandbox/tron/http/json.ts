/**
 * Parses and prints JSON without loss: integers beyond 2^53 are read as bigint, and bigint is printed as a number or as
 * text.
 */

/** ES2025: the source text of a value, and raw JSON text. Node 24 has both; TypeScript's library does not yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const modern = JSON as unknown as { parse(text: string, reviver: Reviver): unknown; rawJSON(text: string): unknown }

/** Throws SyntaxError. */
export const parseJson = (text: string): unknown =>
  modern.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
      ? BigInt(source)
      : value,
  )

/** `int64AsText`: java-tron's int64_as_string, from 4.8.2. */
export const printJson = (value: unknown, int64AsText = false): string =>
  JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one !== 'bigint') return one
    return int64AsText ? String(one) : modern.rawJSON(String(one))
  })
