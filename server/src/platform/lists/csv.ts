/** CSV by RFC 4180, in which no cell is a formula. */

/** The first characters that make a spreadsheet run a cell (OWASP, "CSV Injection"). */
const RUNS = /^[=+\-@\t\r\n＝＋－＠]/
/** A number is no formula, and must stay one. */
const NUMBER = /^-?\d+(\.\d+)?$/
const TO_QUOTE = /[",\r\n\t;]|^\s|\s$/

/**
 * Places inside a cell where a spreadsheet may begin another one: Excel separates by semicolons where the comma is the
 * decimal sign, and finds separators before it reads quotes.
 */
const INNER = /([;\t\r\n][\s"]{0,8})(?=[=+\-@＝＋－＠])/g

const cellOf = (text: string): string => {
  const marked = text.replaceAll(INNER, "$1'")
  const harmless = RUNS.test(text) && !NUMBER.test(text) ? `'${marked}` : marked
  return TO_QUOTE.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** @returns the line with its end */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`

/** Columns of times. */
const TIME = /(^|\.)(time|[a-z]+At)$/

/**
 * The text of an item's value. Times are ISO 8601 in UTC; lists are joined by spaces; what is absent is empty.
 * @param column a path into the item, such as `amount.value`
 */
export const csvText = (item: object, column: string): string => {
  const value = column.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], item)
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' && TIME.test(column)) return new Date(value).toISOString()
  return Array.isArray(value) ? value.join(' ') : String(value as string | number | boolean)
}
