import { parse } from 'csv-parse/sync'
import type { CardTicker, StatementLine } from '../../adapters/acquirers/port.ts'
import { parseUnits } from '../../platform/money/index.ts'

const FIELDS = ['kind', 'reference', 'acquirerReference', 'ticker', 'amount', 'fee', 'at'] as const
type Field = (typeof FIELDS)[number]

const KINDS: readonly string[] = ['payment', 'payout', 'refund', 'settlement', 'fee']
const TICKERS: readonly string[] = ['UAH', 'KZT']
const SCALE = 2

/**
 * Reads an operator's statement file: CSV with a header line of field names, or a JSON list of objects with the same
 * fields (docs/operating/acquirer-statements.md). Throws an Error that names the line. It never guesses a value.
 */
export const readStatementFile = (text: string): StatementLine[] => {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  const rows = trimmed.startsWith('[') ? readJson(trimmed) : readCsv(trimmed)
  const seen = new Set<string>()
  return rows.map(({ row, at }) => {
    try {
      const line = lineOf(row)
      const key = `${line.kind}/${line.acquirerReference}`
      if (seen.has(key)) throw new Error(`${key} is there twice`)
      seen.add(key)
      return line
    } catch (error) {
      throw new Error(`${at} of the statement: ${(error as Error).message}`, { cause: error })
    }
  })
}

type Row = Readonly<Partial<Record<Field, string>>>
interface Entry {
  row: Row
  /** its position in the file, as `line 3` or `entry 2` */
  at: string
}

const readJson = (text: string): Entry[] => {
  const list = JSON.parse(text) as unknown[]
  return list.map((item, i) => {
    const at = `entry ${i + 1}`
    const entries = Object.entries((item ?? {}) as Record<string, unknown>).filter(([, value]) => value !== null)
    const wrong = entries.find(([name, value]) => !FIELDS.includes(name as Field) || typeof value !== 'string')
    if (wrong)
      throw new Error(`${at} of the statement: ${wrong[0]} is no field, or no text; there are ${FIELDS.join(', ')}`)
    return { row: Object.fromEntries(entries) as Row, at }
  })
}

const readCsv = (text: string): Entry[] => {
  const [first, ...records] = recordsOf(text)
  const head = first?.cells ?? []
  const unknown = head.filter((name, i) => !FIELDS.includes(name as Field) || head.indexOf(name) !== i)
  const missing = FIELDS.filter((name) => name !== 'reference' && !head.includes(name))
  if (unknown.length > 0 || missing.length > 0)
    throw new Error(`the head line of the statement has to be ${FIELDS.join(',')}`)
  return records.map(({ cells, line }) => {
    const at = `line ${line}`
    if (cells.length !== head.length)
      throw new Error(`${at} of the statement has ${cells.length} fields, not ${head.length}`)
    return {
      row: Object.fromEntries(head.map((name, i) => [name, cells[i]!]).filter(([, value]) => value !== '')) as Row,
      at,
    }
  })
}

/**
 * Splits a text into records of RFC 4180, without empty ones. `line` is that of a record's end, because a quoted cell
 * may contain line ends.
 */
const recordsOf = (text: string): { cells: string[]; line: number }[] => {
  try {
    const records = parse(text, {
      info: true,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records.map(({ record, info }) => ({ cells: record, line: info.lines }))
  } catch (error) {
    throw new Error(`the statement cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

const lineOf = ({ kind, reference, acquirerReference, ticker, amount, fee, at }: Row): StatementLine => {
  if (kind === undefined || !KINDS.includes(kind)) throw new Error(`kind must be one of ${KINDS.join(', ')}`)
  if (acquirerReference === undefined) throw new Error('acquirerReference is missing')
  if (ticker === undefined || !TICKERS.includes(ticker)) throw new Error(`ticker must be one of ${TICKERS.join(', ')}`)
  const time = Date.parse(at ?? '')
  if (at === undefined || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(Z|[+-]\d{2}:?\d{2})$/.test(at) || Number.isNaN(time)) {
    throw new Error('at must be a time with its zone such as 2026-11-21T16:23:00Z')
  }
  const feeUnits = unitsOf(fee ?? '0', 'fee')
  if (feeUnits < 0n) throw new Error('fee must not be negative')
  return {
    kind: kind as StatementLine['kind'],
    reference,
    acquirerReference,
    ticker: ticker as CardTicker,
    units: unitsOf(amount ?? '', 'amount'),
    feeUnits,
    at: time,
  }
}

const unitsOf = (text: string, field: string): bigint => {
  const isOut = text.startsWith('-')
  const parsed = parseUnits(isOut ? text.slice(1) : text, SCALE)
  if (!parsed.ok)
    throw new Error(`${field} must be a decimal with at most two digits behind the dot such as 100.50 or -100.50`)
  return isOut ? -parsed.units : parsed.units
}
