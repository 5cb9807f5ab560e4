/** The running count of docs/operating/reliability.md: one row for each recorded run. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Counted {
  /** the first and the last seed */
  seeds: readonly [number, number]
  operations: number
  faults: number
  violations: number
}

const FILE = join(import.meta.dirname, '../../docs/operating/reliability.md')
const HEADER = '| day | commit | seeds | operations | faults | violations |'
const ROW = /^\| \d{4}-\d\d-\d\d \| \w+ \| (\d+)-(\d+) \| (\d+) \| (\d+) \| (\d+) \|$/
const TOTAL = /^So far: .*$/m

/** The rows of the page, oldest first. */
const rowsOf = (text: string): Counted[] =>
  text.split('\n').flatMap((line) => {
    const match = ROW.exec(line)
    if (match === null) return []
    const [first, last, operations, faults, violations] = match.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ]
    return [{ seeds: [first, last], operations, faults, violations }]
  })

/** The seed after the newest that is recorded: a resumed count repeats none. */
export const nextSeed = (): number =>
  Math.max(0, ...rowsOf(readFileSync(FILE, 'utf8')).map(({ seeds: [, last] }) => last)) + 1

/** Adds a row and the totals. @param day of the run, real time */
export const record = ({ seeds: [first, last], operations, faults, violations }: Counted, day: Date): void => {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()
  const cells = [day.toISOString().slice(0, 10), commit, `${first}-${last}`, operations, faults, violations]
  const row = `| ${cells.join(' | ')} |`
  const lines = readFileSync(FILE, 'utf8').split('\n')
  const header = lines.indexOf(HEADER)
  const end = lines.findIndex((line, at) => at > header + 1 && !line.startsWith('|'))
  lines.splice(end, 0, row)
  const text = lines.join('\n')
  const all = rowsOf(text)
  const sum = (of: (one: Counted) => number): string =>
    all.reduce((total, one) => total + of(one), 0).toLocaleString('en')
  const counts = [
    `${sum((one) => one.operations)} operations`,
    `${sum((one) => one.faults)} faults`,
    `${sum((one) => one.violations)} violations`,
  ]
  const total = `So far: ${counts.join(', ')}.`
  writeFileSync(FILE, text.replace(TOTAL, total))
}
