/**
 * Formats array parameters of the ledger's statements for PostgreSQL. The driver would escape every element as text,
 * which is slow: a batch has thousands of elements, and most are of types that need no escaping.
 */
export type Scalar = string | number | bigint | boolean | null

/** Types whose text has no quotes, commas, braces, backslashes or blanks, and is never the word NULL. */
const PLAIN = new Set(['bigint', 'boolean', 'integer', 'numeric', 'smallint', 'timestamptz', 'uuid'])

/** @param type PostgreSQL's name of the elements' type; a timestamptz has to be written as ISO 8601 */
export const arrayLiteral = (type: string, elements: readonly Scalar[]): string => {
  const isPlain = PLAIN.has(type)
  let text = ''
  for (const element of elements) {
    const shown = element === null ? 'NULL' : isPlain ? `${element}` : quoted(`${element}`)
    text = text === '' ? shown : `${text},${shown}`
  }
  return `{${text}}`
}

const quoted = (text: string): string => `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`
