import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { defineConfig } from 'vitest/config'

const slow = ['sandbox/**/*.test.ts', 'test/{system,simulation}/**/*.test.ts', '**/*.system.test.ts']
/** The whole system as every change is tried on: money in, money out, chains that change under it. */
const always = ['money-in', 'money-out', 'chains-change']
/**
 * Killed processes, browsers, how the platform moves its own coins, and what takes a minute a file: `.ci/run` runs it,
 * and so does `npm test -- --project long`. The rest is `npm test`.
 */
const long = [
  'test/{crash,browser}/**/*.test.ts',
  '**/{crash,processes}.system.test.ts',
  'sandbox/{main,postgres/launcher,bank/page/page}.test.ts',
  'server/src/{treasury/{sweeps,cold,consolidation},pay-out/from-deposit-addresses}/**/*.system.test.ts',
  `test/system/!(${always.join('|')}).system.test.ts`,
]
const setupFiles = ['test/setup/cleaning.ts']
const never = ['**/node_modules/**', '**/dist/**', '**/.bursar/**']

/**
 * Files at a time. Every file has folders, ports and a database of its own, so that any two can run beside each other;
 * while one waits for a block the other computes.
 */
const maxWorkers = 4

/**
 * A busy machine is slow, and that is no finding: what is polled for has a minute, not vitest's second, and a test
 * five.
 */
const expect = { poll: { timeout: 60_000 } }

/** The longest files first, so that no processor waits for one of them in the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId, project }: TestSpecification): number => {
      if (/\/test\/(system|crash)\//.test(moduleId)) return 3
      if (project.name === 'long') return 2
      return project.name === 'system' ? 1 : 0
    }
    return (await super.sort(files)).toSorted((a, b) => weight(b) - weight(a))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    globalSetup: ['test/setup/postgres.global.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['**/*.test.ts'],
          exclude: [...never, ...slow, ...long],
          maxWorkers,
          // One process runs many files, and loads each module once: a quarter of the time went into loading them.
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect,
        },
      },
      {
        // Real nodes and whole processes.
        test: {
          name: 'system',
          setupFiles,
          include: slow,
          exclude: [...never, ...long],
          maxWorkers,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect,
        },
      },
      {
        test: {
          name: 'long',
          setupFiles,
          include: long,
          exclude: never,
          maxWorkers,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect,
        },
      },
    ],
  },
})
