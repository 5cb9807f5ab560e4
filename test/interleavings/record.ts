/** Counts of interleavings: of a run that goes on later, and of all runs, in docs/operating/reliability.md. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dayAndCommit, readRows, sumOf, writeRows } from '../setup/counted-table.ts'
import type { PairCounts } from './pair.ts'

const ROOT = join(import.meta.dirname, '../..')
const TABLE = {
  header: '| day | commit | seed | pairs | all orders tried | schedules | waits | deadlocks | violations |',
  total: /^Schedules so far: .*$/m,
}

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

/** Adds a row and the totals. @param at real time */
export const record = (lines: readonly Line[], seed: string, at: Date): void => {
  const sum = (of: (line: Line) => number): number => lines.reduce((total, line) => total + of(line), 0)
  const row = [
    ...dayAndCommit(at),
    seed,
    lines.length,
    sum(({ complete }) => Number(complete)),
    sum(({ schedules }) => schedules),
    sum(({ waits }) => waits),
    sum(({ deadlocks }) => deadlocks),
    0,
  ]
  const rows = [...readRows(TABLE), row]
  writeRows(TABLE, rows, `Schedules so far: ${sumOf(rows, 5)}, violations: ${sumOf(rows, 8)}.`)
}
