/** The running count of the simulation: one row for the recorded runs of a day and a commit that follow each other. */
import { dayAndCommit, readRows, seedAfter, sumOf, writeRows } from '../setup/counted-table.ts'

export interface Counted {
  /** the first and the last seed */
  seeds: readonly [number, number]
  operations: number
  faults: number
  violations: number
}

const TABLE = { header: '| day | commit | seeds | operations | faults | violations |', total: /^So far: .*$/m }

/** The seed after the newest that is recorded. */
export const nextSeed = (): number => seedAfter(TABLE)

type Row = [day: string, commit: string, seeds: string, operations: number, faults: number, violations: number]

/** The rows with one more, which joins the last one if its seeds follow on the same day at the same commit. */
export const addRow = (rows: readonly string[][], [day, commit, seeds, ...counts]: Row): (string | number)[][] => {
  const [lastDay, lastCommit, lastSeeds = '', ...lastCounts] = rows.at(-1) ?? []
  const [first, last] = seeds.split('-')
  const [begun, before] = lastSeeds.split('-')
  if (lastDay !== day || lastCommit !== commit || Number(before) + 1 !== Number(first))
    return [...rows, [day, commit, seeds, ...counts]]
  const joined = counts.map((count, at) => count + Number(lastCounts[at]))
  return [...rows.slice(0, -1), [day, commit, `${begun}-${last}`, ...joined]]
}

/** Adds runs and the totals. @param at real time */
export const record = ({ seeds: [first, last], operations, faults, violations }: Counted, at: Date): void => {
  const rows = addRow(readRows(TABLE), [...dayAndCommit(at), `${first}-${last}`, operations, faults, violations])
  const total = `So far: ${sumOf(rows, 3)} operations, ${sumOf(rows, 4)} faults, ${sumOf(rows, 5)} violations.`
  writeRows(TABLE, rows, total)
}
