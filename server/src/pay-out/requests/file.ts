/** Files of payouts: CSV with a line of names of columns, and a payout in each further line. */
import { parse } from 'csv-parse/sync'
import type { PayoutLine } from './content.ts'
import { typedAmount, type TypedPayout } from './judging.ts'

/** The columns of a file, in any order; `reference` may be absent. */
export const FILE_COLUMNS = ['asset', 'network', 'address', 'amount', 'reference'] as const
/** Payouts of a file. */
const MOST_FILE_ROWS = 1_000
const LONGEST_LINE = 4_000

/**
 * - empty: it has no payout
 * - columns: a column is missing, unknown, or there twice
 * - many: it has too many payouts
 * - cells: a line has more cells than the line of names, such as an amount with a comma that is not in quotes
 * - broken: it is no CSV in UTF-8
 */
export type FileTrouble = 'empty' | 'columns' | 'many' | 'cells' | 'broken'

/** The payouts of a file as typed, or why it is none. */
export const readPayoutFile = (text: string): { payouts: TypedPayout[] } | { trouble: FileTrouble } => {
  const records = recordsOf(text)
  if (!records) return { trouble: 'broken' }
  const [head, ...rows] = records
  if (head === undefined || rows.length === 0) return { trouble: 'empty' }
  if (rows.length > MOST_FILE_ROWS) return { trouble: 'many' }
  const names = head.map((name) => name.toLowerCase())
  const at = FILE_COLUMNS.map((column) => names.indexOf(column))
  const isComplete = at.slice(0, -1).every((index) => index >= 0)
  const isKnown = names.every((name, index) => FILE_COLUMNS.some((column, i) => column === name && at[i] === index))
  if (!isComplete || !isKnown) return { trouble: 'columns' }
  if (rows.some((row) => row.length > head.length)) return { trouble: 'cells' }
  return {
    payouts: rows.map((row) => {
      const [ticker, blockchain, to, amount, meta] = at.map((index) => row[index] ?? '')
      return {
        ticker: ticker!.toUpperCase(),
        blockchain: blockchain!.toUpperCase(),
        to: to!,
        amount: typedAmount(amount!),
        meta: meta!,
      }
    }),
  }
}

/** Undefined if the text is no CSV. Spreadsheets separate by semicolons where the comma is the decimal sign. */
const recordsOf = (text: string): string[][] | undefined => {
  const [first = ''] = text.split('\n', 1)
  try {
    return parse(text, {
      bom: true,
      delimiter: first.includes(';') ? ';' : ',',
      skip_empty_lines: true,
      trim: true,
      relax_column_count: true,
      max_record_size: LONGEST_LINE,
      to: MOST_FILE_ROWS + 2,
    })
  } catch {
    return undefined
  }
}

/**
 * For each payout, the number of the earlier one that pays the same amount to the same address, however both were
 * typed; undefined: none.
 */
export const duplicatesIn = (
  payouts: readonly Pick<PayoutLine, 'ticker' | 'blockchain' | 'to' | 'units'>[],
): (number | undefined)[] => {
  const seen = new Map<string, number>()
  return payouts.map(({ ticker, blockchain, to, units }, index) => {
    const key = JSON.stringify([ticker, blockchain, to, `${units}`])
    const before = seen.get(key)
    if (before === undefined) seen.set(key, index + 1)
    return before
  })
}
