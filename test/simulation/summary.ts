/** The line that a run of the simulation prints when it has ended, as other programs read it. */
import type { RunResult } from './run.ts'

export interface Summary {
  operations: number
  faults: number
  problems: number
}

const LINE = /^seed \S+: (\d+) operations, (\d+) faults, (\d+) problems/m

export const summaryOf = ({ ops, faults, problems }: Pick<RunResult, 'ops' | 'faults' | 'problems'>): Summary => ({
  operations: ops,
  faults: [...faults.values()].reduce((sum, count) => sum + count, 0),
  problems: problems.length,
})

/** @param seconds that it took */
export const writeSummary = (seed: string, { operations, faults, problems }: Summary, seconds: number): string =>
  `seed ${seed}: ${operations} operations, ${faults} faults, ${problems} problems, ${seconds.toFixed(1)} s`

/** @returns undefined: the run has not ended */
export const readSummary = (output: string): Summary | undefined => {
  const [, operations, faults, problems] = LINE.exec(output) ?? []
  if (problems === undefined) return undefined
  return { operations: Number(operations), faults: Number(faults), problems: Number(problems) }
}
