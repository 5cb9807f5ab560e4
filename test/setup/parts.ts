/**
 * Two parts of the slow files. Those of the first compute without a pause; the others wait for blocks, timers and
 * processes for a quarter of their time. `.ci/run` runs both parts at once, and the first with a low priority
 * (`tools/test.ts`), so that it computes while the other part waits.
 */

/** Paths from the root. None may depend on how fast the machine is: another part takes the processors first. */
export const COMPUTING = [
  'test/simulation/simulation.slow.test.ts',
  'test/interleavings/interleavings.slow.test.ts',
  'test/fuzz/fuzz.slow.test.ts',
  'test/simulation/chains/conformance.slow.test.ts',
  'server/src/app/composition/growth.slow.test.ts',
  'server/src/app/composition/lists.slow.test.ts',
  'server/src/app/composition/member-lists.slow.test.ts',
] as const

/** The variable that selects a part, and its values. Without it a run has both. */
export const PART = 'BURSAR_TEST_PART'
export type Part = 'computing' | 'waiting'

/**
 * Returns the globs of a part's slow files.
 * @throws if the variable has another value
 */
export const slowFilesOf = (part: string | undefined): { include: string[]; exclude: string[] } => {
  if (part === 'computing') return { include: [...COMPUTING], exclude: [] }
  if (part === 'waiting') return { include: ['**/*.slow.test.ts'], exclude: [...COMPUTING] }
  if (part === undefined) return { include: ['**/*.slow.test.ts'], exclude: [] }
  throw new Error(`${PART} is ${part}: it can be computing or waiting`)
}
