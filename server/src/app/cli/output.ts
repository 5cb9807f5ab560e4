/** The output of a command: text for an operator, or with `--json` one JSON object for a program. */

/** A JSON value, or a time. Amounts are decimal strings, never bigints. */
type Value = string | number | boolean | null | undefined | Date | readonly Value[] | Fields
export interface Fields {
  readonly [name: string]: Value
}

interface ListOptions<Row> {
  /** the columns of the table, when it omits members of a row */
  columns?: readonly (keyof Row & string)[]
  /** headers of columns whose member name is not clear to an operator */
  heads?: Readonly<Partial<Record<keyof Row & string, string>>>
  /** printed when there are no rows */
  none?: string
}

/**
 * Collects the output of a command. Text is written immediately. With `--json` it is gathered, and `end` prints one
 * object whose members have the names given here. Absent values are null; times are ISO 8601 in UTC.
 */
export interface Output {
  /** Writes a sentence about an action or a finding. JSON: one of `messages`. */
  say(text: string): void
  /** Writes the members of one object, as `name: value` lines or as other lines. JSON: members of the object. */
  show(fields: Fields, lines?: readonly string[]): void
  /** Writes objects of one kind as a table. JSON: an array. */
  list<Row extends Fields>(name: string, rows: readonly Row[], options?: ListOptions<Row>): void
  /** Writes one object of a kind as `line` while the command is running. JSON: the next element of an array. */
  add(name: string, row: Fields, line: string): void
  /** Writes a text that is signed, piped or stored byte for byte. JSON: a member of the object. */
  text(name: string, text: string): void
  /** Writes an empty line between two parts. JSON: nothing. */
  gap(): void
  end(): void
}

type Write = (text: string) => void

const toStandardOutput: Write = (text) => {
  process.stdout.write(text)
}

export const createTextOutput = (write: Write = toStandardOutput): Output => {
  const line = (text: string): void => write(`${shownLines(text)}\n`)
  return {
    say: line,
    show: (fields, lines = fieldLines(fields)) => {
      for (const text of lines) line(text)
    },
    list: (_name, rows, { columns, heads, none = 'none' } = {}) => {
      if (rows.length === 0) return line(none)
      const members = columns ?? Object.keys(rows[0]!)
      const headOf: Readonly<Record<string, string | undefined>> = heads ?? {}
      const texts = members.map((member) => headOf[member] ?? words(member))
      const table = rows.map((row) => members.map((member) => cell(row[member])))
      for (const text of tableLines(texts, table)) line(text)
    },
    add: (_name, _row, text) => line(text),
    text: (_name, text) => write(text.endsWith('\n') ? text : `${text}\n`),
    gap: () => write('\n'),
    end: () => {},
  }
}

export const createJsonOutput = (write: Write = toStandardOutput): Output => {
  const object: Record<string, Value> = {}
  const messages: string[] = []
  const arrayOf = (name: string): Fields[] => (object[name] ??= []) as unknown as Fields[]
  return {
    say: (text) => void messages.push(text),
    show: (fields) => void Object.assign(object, fields),
    list: (name, rows) => void arrayOf(name).push(...rows),
    add: (name, row) => void arrayOf(name).push(row),
    text: (name, text) => void (object[name] = text),
    gap: () => {},
    end: () => {
      const whole = messages.length > 0 ? { ...object, messages } : object
      write(`${JSON.stringify(whole, (_name, value: unknown) => (value === undefined ? null : value), 2)}\n`)
    },
  }
}

/** `lastError` as prose: last error. */
const words = (name: string): string => name.replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const isScalar = (value: Value): boolean => typeof value !== 'object' || value === null || value instanceof Date

const scalarText = (value: Value): string => {
  if (value === null || value === undefined || value === '') return '-'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Makes a cell one line, for any text. */
const cell = (value: Value): string => {
  if (!Array.isArray(value)) return shownLine(scalarText(value))
  return value.length === 0 ? '-' : shownLine(value.map((one: Value) => scalarText(one)).join(', '))
}

/** Formats the `name: value` lines of an object, each after `indent`; nested objects are indented further. */
export const fieldLines = (fields: Fields, indent = ''): string[] =>
  Object.entries(fields).flatMap(([name, value]) => {
    const label = `${indent}${words(name)}:`
    if (isScalar(value) || isListOfScalars(value)) return [`${label} ${cell(value)}`]
    const inner = `${indent}  `
    if (!Array.isArray(value)) return [label, ...fieldLines(value as Fields, inner)]
    return [
      label,
      ...(value as readonly Value[]).flatMap((one) =>
        isScalar(one) || Array.isArray(one)
          ? [`${inner}- ${cell(one)}`]
          : fieldLines(one as Fields, `${inner}  `).map((text, at) =>
              at === 0 ? `${inner}- ${text.trimStart()}` : text,
            ),
      ),
    ]
  })

const isListOfScalars = (value: Value): boolean => Array.isArray(value) && value.every(isScalar)

/**
 * Characters that move the cursor of a terminal, colour it or change the text direction. They are shown as their codes,
 * because texts of merchants, payers and counterparties are printed too.
 */
// eslint-disable-next-line no-control-regex
const UNSHOWN = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g
const code = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const shownLine = (text: string): string => text.replaceAll(UNSHOWN, code)
const shownLines = (text: string): string => text.split('\n').map(shownLine).join('\n')

/** Formats rows under their headers in columns, one line each; columns of figures are aligned to the right. */
const tableLines = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)))
  const isFigure = heads.map((_, i) => rows.length > 0 && rows.every((row) => /^-?[\d.]+%?$|^-$/.test(row[i]!)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, i) => (isFigure[i] ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd()
  return [heads, ...rows].map(line)
}
