import type { CardTicker, StatementLine } from '../../adapters/acquirers/port.ts'
import { parseUnits } from '../../platform/money/index.ts'

const FIELDS = ['kind', 'reference', 'acquirerReference', 'ticker', 'amount', 'fee', 'at'] as const
type Field = (typeof FIELDS)[number]

const KINDS: readonly string[] = ['payment', 'payout', 'refund', 'settlement', 'fee']
const TICKERS: readonly string[] = ['UAH', 'KZT']
const SCALE = 2

/**
 * Reads a statement as an operator has it: CSV with a head line of the fields, or JSON as a list of objects with the
 * same fields (docs/operating/acquirer-statements.md). Throws an Error that names the line: nothing of a statement is
 * guessed.
 */
export const readStatementFile = (text: string): StatementLine[] => {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  const rows = trimmed.startsWith('[') ? readJson(trimmed) : readCsv(trimmed)
  const seen = new Set<string>()
  return rows.map((row, i) => {
    try {
      const line = lineOf(row)
      const key = `${line.kind}/${line.acquirerReference}`
      if (seen.has(key)) throw new Error(`${key} is there twice`)
      seen.add(key)
      return line
    } catch (error) {
      throw new Error(`entry ${i + 1} of the statement: ${(error as Error).message}`, { cause: error })
    }
  })
}

type Row = Readonly<Partial<Record<Field, string>>>

const readJson = (text: string): Row[] => {
  const list = JSON.parse(text) as unknown[]
  return list.map((item, i) => {
    const entries = Object.entries((item ?? {}) as Record<string, unknown>).filter(([, value]) => value !== null)
    const wrong = entries.find(([name, value]) => !FIELDS.includes(name as Field) || typeof value !== 'string')
    if (wrong)
      throw new Error(
        `entry ${i + 1} of the statement: ${wrong[0]} is no field, or no text; there are ${FIELDS.join(', ')}`,
      )
    return Object.fromEntries(entries) as Row
  })
}

const readCsv = (text: string): Row[] => {
  const [head = [], ...rows] = recordsOf(text)
  const unknown = head.filter((name) => !FIELDS.includes(name as Field))
  const missing = FIELDS.filter((name) => name !== 'reference' && !head.includes(name))
  if (unknown.length > 0 || missing.length > 0)
    throw new Error(`the head line of the statement has to be ${FIELDS.join(',')}`)
  return rows.map((cells, i) => {
    if (cells.length !== head.length)
      throw new Error(`entry ${i + 1} of the statement has ${cells.length} fields, not ${head.length}`)
    return Object.fromEntries(head.map((name, at) => [name, cells[at]!]).filter(([, value]) => value !== '')) as Row
  })
}

/** Records of RFC 4180: cells may be in quotes, with commas, line ends and doubled quotes in them. */
const recordsOf = (text: string): string[][] => {
  const records: string[][] = []
  let record: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at
    const found = cell.exec(text)
    if (!found) throw new Error(`the statement can't be read from character ${at + 1} on: a quote is not closed`)
    record.push(found[1]?.replaceAll('""', '"') ?? found[2]!.trim())
    if (found[3] === ',') {
      if (cell.lastIndex === text.length) record.push('')
      else continue
    }
    if (record.some((one) => one !== '')) records.push(record)
    record = []
  }
  return records
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
