/** Counts of interleavings: of a run that goes on later, and of all runs, in docs/operating/reliability.md. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PairCounts } from './pair.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/operating/reliability.md')
const HEADER = '| day | commit | seed | pairs | all orders tried | schedules | waits | deadlocks | violations |'
const ROW = /^\| \d{4}-\d\d-\d\d \| \w+ \| \S+ \| \d+ \| \d+ \| (\d+) \| \d+ \| \d+ \| (\d+) \|$/
const TOTAL = /^Schedules so far: .*$/m

type Line = PairCounts & { pair: string }

export interface Progress {
  has(pair: string): boolean
  add(pair: string, counts: PairCounts): void
  /** Everything so far; the next run begins anew. */
  take(): Line[]
}

/** @param name of the run: the same options go on */
export const openProgress = (name: string): Progress => {
  const file = join(ROOT, '.bursar/interleavings', `${name}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  const lines: Line[] = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line)
    : []
  return {
    has: (pair) => lines.some((line) => line.pair === pair),
    add: (pair, counts) => {
      const line = { pair, ...counts }
      lines.push(line)
      appendFileSync(file, `${JSON.stringify(line)}\n`)
    },
    take: () => {
      rmSync(file, { force: true })
      return lines
    },
  }
}

/** Adds a row and the total. @param day of the run, real time */
export const record = (lines: readonly Line[], seed: string, day: Date): void => {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8', cwd: ROOT }).trim()
  const sum = (of: (line: Line) => number): number => lines.reduce((total, line) => total + of(line), 0)
  const cells = [
    day.toISOString().slice(0, 10),
    commit,
    seed,
    lines.length,
    sum(({ complete }) => Number(complete)),
    sum(({ schedules }) => schedules),
    sum(({ waits }) => waits),
    sum(({ deadlocks }) => deadlocks),
    0,
  ]
  const text = readFileSync(PAGE, 'utf8').split('\n')
  const header = text.indexOf(HEADER)
  const end = text.findIndex((line, at) => at > header + 1 && !line.startsWith('|'))
  text.splice(end, 0, `| ${cells.join(' | ')} |`)
  const rows = text.flatMap((line) => ROW.exec(line)?.slice(1).map(Number) ?? [])
  const [schedules, violations] = [0, 1].map((part) =>
    rows.filter((_, at) => at % 2 === part).reduce((total, count) => total + count, 0),
  ) as [number, number]
  const total = `Schedules so far: ${schedules.toLocaleString('en')}, violations: ${violations}.`
  writeFileSync(PAGE, text.join('\n').replace(TOTAL, total))
}
