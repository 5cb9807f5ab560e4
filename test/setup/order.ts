/** In which order the files of a run start: at its end, no processor waits for one long file. */
import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** It runs for minutes on both processors, and is too small a file to come first by its size. */
export const LONGEST = 'test/simulation/simulation.slow.test.ts'

export interface File {
  /** an absolute path */
  readonly moduleId: string
  readonly project: { readonly name: string }
}

const ofSandboxes = /\/test\/(system|crash)\//

/** Whether a file takes turns with others (`test/system/shared-sandbox.ts`). */
const takesTurns = ({ moduleId }: File): boolean =>
  ofSandboxes.test(moduleId) && readFileSync(moduleId, 'utf8').includes('useSharedSandbox()')

const weight = ({ moduleId, project }: File): number => {
  if (moduleId.endsWith(`/${LONGEST}`)) return 4
  if (ofSandboxes.test(moduleId)) return 3
  if (project.name === 'slow') return 2
  return project.name === 'system' ? 1 : 0
}

/**
 * Puts the longest files first. Files that take turns are spread among the slow ones, because one that waits for its
 * turn takes the place of another file; between two of them, others run for longer than one has its turn.
 * @returns all of `files`; those of one weight in the order that they had
 */
export const longestFirst = <T extends File>(files: readonly T[]): T[] => {
  const sorted = files.toSorted((a, b) => weight(b) - weight(a))
  const turns = sorted.filter(takesTurns)
  const others = sorted.filter((file) => !turns.includes(file))
  const between = Math.max(1, Math.floor(others.filter((file) => weight(file) >= 2).length / turns.length))
  const spread = others.flatMap((file, at) =>
    at % between === 0 ? [file, ...turns.slice(at / between, at / between + 1)] : [file],
  )
  return [...spread, ...turns.slice(Math.ceil(others.length / between))]
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files))
  }
}
