/** Tables of counts in docs/operating/reliability.md: a row for each recorded run, and a line with the totals. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/operating/reliability.md')

export interface CountedTable {
  /** the first line of the table, which no other table has */
  header: string
  /** the line of the totals */
  total: RegExp
}

type Cells = readonly (string | number)[]

/** The first two cells of a row. @param at real time of the run */
export const dayAndCommit = (at: Date): [day: string, commit: string] => [
  at.toISOString().slice(0, 10),
  execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8', cwd: ROOT }).trim(),
]

const placeOf = (lines: readonly string[], { header }: CountedTable): { from: number; to: number } => {
  const from = lines.indexOf(header) + 2
  if (from < 2) throw new Error(`docs/operating/reliability.md has no table ${header}`)
  const end = lines.findIndex((line, at) => at >= from && !line.startsWith('|'))
  return { from, to: end < 0 ? lines.length : end }
}

/** The cells of each row, oldest first. */
export const readRows = (table: CountedTable): string[][] => {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const { from, to } = placeOf(lines, table)
  return lines.slice(from, to).map((line) => line.slice(2, -2).split(' | '))
}

/** Replaces all rows and the line of the totals. */
export const writeRows = (table: CountedTable, rows: readonly Cells[], total: string): void => {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const { from, to } = placeOf(lines, table)
  lines.splice(from, to - from, ...rows.map((cells) => `| ${cells.join(' | ')} |`))
  writeFileSync(PAGE, lines.join('\n').replace(table.total, total))
}

/** The sum of a column, with separators of thousands. */
export const sumOf = (rows: readonly Cells[], column: number): string =>
  rows.reduce((sum, cells) => sum + Number(cells[column]), 0).toLocaleString('en')

/** The seed after the newest in the third column (`first-last`): a count that goes on repeats none. */
export const seedAfter = (table: CountedTable): number =>
  Math.max(0, ...readRows(table).map((cells) => Number(cells[2]!.split('-')[1]))) + 1
