/** The running count of the simulation: one row for each recorded run. */
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

/** Adds a row and the totals. @param at real time */
export const record = ({ seeds: [first, last], operations, faults, violations }: Counted, at: Date): void => {
  const rows = [...readRows(TABLE), [...dayAndCommit(at), `${first}-${last}`, operations, faults, violations]]
  const total = `So far: ${sumOf(rows, 3)} operations, ${sumOf(rows, 4)} faults, ${sumOf(rows, 5)} violations.`
  writeRows(TABLE, rows, total)
}
