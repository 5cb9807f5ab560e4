/** The count of the fuzz: one row for each commit and day. */
import { dayAndCommit, readRows, seedAfter, sumOf, writeRows } from '../setup/counted-table.ts'

export interface Counted {
  seed: number
  requests: number
  accepted: number
}

const TABLE = {
  header: '| day | commit | seeds | requests | accepted | violations |',
  total: /^Requests so far: .*$/m,
}

/** The seed after the newest that is recorded. */
export const nextSeed = (): number => seedAfter(TABLE)

/** Adds a seed that violated nothing: to the newest row where day and commit are the same. @param at real time */
export const record = ({ seed, requests, accepted }: Counted, at: Date): void => {
  const rows = readRows(TABLE)
  const [day, commit] = dayAndCommit(at)
  const newest = rows.at(-1)
  const [first, last] = newest?.[2]?.split('-') ?? []
  const goesOn = newest?.[0] === day && newest[1] === commit && last === String(seed - 1)
  const before = goesOn ? rows.pop()! : ['', '', '', '0', '0']
  const seeds = `${goesOn ? first : seed}-${seed}`
  const all = [...rows, [day, commit, seeds, Number(before[3]) + requests, Number(before[4]) + accepted, 0]]
  writeRows(TABLE, all, `Requests so far: ${sumOf(all, 3)}, 0 violations.`)
}
