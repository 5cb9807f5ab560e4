import { defineConfig } from 'vitest/config'

const slow = ['sandbox/**/*.test.ts', 'test/{system,simulation}/**/*.test.ts', '**/*.system.test.ts']
/** The whole system as every change is tried on: money in, money out, chains that change under it. */
const always = ['money-in', 'money-out', 'chains-change']
/**
 * Killed processes, browsers, how the house moves its own coins, and what takes a minute a file: `.ci/run` runs it, and whoever
 * asks for it (`npm test -- --project long`). The rest fits into the quarter of an hour that `npm test` may take.
 */
const long = [
  'test/{crash,browser}/**/*.test.ts', '**/{crash,processes}.system.test.ts', 'sandbox/{main,postgres/launcher,bank/page/page}.test.ts',
  'server/src/{sweeps,direct,cold,consolidation}/**/*.system.test.ts',
  `test/system/!(${always.join('|')}).system.test.ts`,
]
const setupFiles = ['test/setup/cleaning.ts']
const never = ['**/node_modules/**', '**/dist/**', '**/.bursar/**']

export default defineConfig({
  test: {
    globalSetup: ['test/setup/postgres.global.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['**/*.test.ts'],
          exclude: [...never, ...slow, ...long],
          maxWorkers: 2,
          // A busy machine is slow, and that is no finding.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Real nodes, whole processes, fixed resources: one file at a time, after the unit tests.
        test: {
          name: 'system',
          setupFiles,
          include: slow,
          exclude: [...never, ...long],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'long',
          setupFiles,
          include: long,
          exclude: never,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
