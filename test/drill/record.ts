/** The count of drills: a row for each recorded run, in docs/operating/reliability.md. */
import { dayAndCommit, readRows, seedAfter, sumOf, writeRows } from '../setup/counted-table.ts'
import type { CutResult } from './counting.ts'

const TABLE = {
  header:
    '| day | commit | seeds | cuts | lost withdrawals | signed of these | lost addresses | suspended deposits | paid twice | second owners | lost deposits |',
  total: /^Cuts so far: .*$/m,
}

/** The seed after the newest that is recorded. */
export const nextSeed = (): number => seedAfter(TABLE)

/** Adds a row and the totals. @param at real time */
export const record = (results: readonly CutResult[], at: Date): void => {
  const sum = (of: (result: CutResult) => number): number => results.reduce((total, one) => total + of(one), 0)
  const row = [
    ...dayAndCommit(at),
    `${results[0]!.seed}-${results.at(-1)!.seed}`,
    results.length,
    sum((one) => one.lostWithdrawals),
    sum((one) => one.lostPayments),
    sum((one) => one.lostAddresses),
    sum((one) => one.suspended),
    sum((one) => one.paidTwice),
    sum((one) => one.secondOwners),
    sum((one) => one.lostDeposits),
  ]
  const rows = [...readRows(TABLE), row]
  const [cuts, twice, owners, deposits] = [3, 8, 9, 10].map((column) => sumOf(rows, column))
  writeRows(
    TABLE,
    rows,
    `Cuts so far: ${cuts}; paid twice ${twice}, addresses with a second owner ${owners}, lost deposits ${deposits}.`,
  )
}
