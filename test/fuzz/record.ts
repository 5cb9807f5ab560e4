/** The count of the fuzz in docs/operating/reliability.md: one row for each commit and day. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Counted {
  seed: number
  requests: number
  accepted: number
}

const FILE = join(import.meta.dirname, '../../docs/operating/reliability.md')
const HEADER = '| day | commit | seeds | requests | accepted | violations |'
const ROW = /^\| (\d{4}-\d\d-\d\d) \| (\w+) \| (\d+)-(\d+) \| (\d+) \| (\d+) \| 0 \|$/
const TOTAL = /^Requests so far: .*$/m

interface Row {
  day: string
  commit: string
  first: number
  last: number
  requests: number
  accepted: number
}

const rowOf = (line: string): Row | undefined => {
  const [, day, commit, ...numbers] = ROW.exec(line) ?? []
  if (day === undefined || commit === undefined) return undefined
  const [first, last, requests, accepted] = numbers.map(Number) as [number, number, number, number]
  return { day, commit, first, last, requests, accepted }
}

/** The rows of the table, and where they stand among the lines of the page. */
const tableOf = (lines: readonly string[]): { from: number; rows: Row[] } => {
  const from = lines.indexOf(HEADER) + 2
  if (from < 2) throw new Error('docs/operating/reliability.md has no table of the fuzz')
  const rows: Row[] = []
  for (let at = from; ; at += 1) {
    const row = rowOf(lines[at] ?? '')
    if (row === undefined) return { from, rows }
    rows.push(row)
  }
}

/** The seed behind those that are counted: a count that goes on repeats none. */
export const nextSeed = (): number =>
  Math.max(0, ...tableOf(readFileSync(FILE, 'utf8').split('\n')).rows.map(({ last }) => last)) + 1

/** Adds a seed that violated nothing: to the newest row where day and commit are the same. @param at real time */
export const record = ({ seed, requests, accepted }: Counted, at: Date): void => {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()
  const day = at.toISOString().slice(0, 10)
  const lines = readFileSync(FILE, 'utf8').split('\n')
  const { from, rows } = tableOf(lines)
  const all = [...rows]
  const newest = all.at(-1)
  if (newest !== undefined && newest.day === day && newest.commit === commit && newest.last === seed - 1)
    all[all.length - 1] = {
      ...newest,
      last: seed,
      requests: newest.requests + requests,
      accepted: newest.accepted + accepted,
    }
  else all.push({ day, commit, first: seed, last: seed, requests, accepted })
  const written = all.map(
    (row) => `| ${row.day} | ${row.commit} | ${row.first}-${row.last} | ${row.requests} | ${row.accepted} | 0 |`,
  )
  lines.splice(from, rows.length, ...written)
  const total = all.reduce((sum, row) => sum + row.requests, 0).toLocaleString('en')
  writeFileSync(FILE, lines.join('\n').replace(TOTAL, `Requests so far: ${total}, 0 violations.`))
}
