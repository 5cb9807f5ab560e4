import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { defineConfig, type TestUserConfig } from 'vitest/config'
import { isLong } from './test/setup/cases.ts'
import { fastFolder } from './test/setup/fast-folder.ts'

/** The name of a file says where it runs; test/README.md says which name a test should have. */
const system = '**/*.system.test.ts'
const slow = '**/*.slow.test.ts'
/** The folder of all temporary folders of tests and of their processes. */
const folder = process.env['TMPDIR'] ?? fastFolder()
if (folder !== undefined) process.env['TMPDIR'] = folder

const setupFiles = ['test/setup/cleaning.ts']
const never = ['**/node_modules/**', '**/dist/**', '**/.bursar/**']

/**
 * Files at a time. Every file has folders, ports and a database of its own, so that any two can run beside each other;
 * while one waits for a block the other computes.
 */
const maxWorkers = 4

/**
 * A busy machine is slow, and that is no finding: a polled condition has a minute, not vitest's second, and a test
 * five.
 */
const expect = { poll: { timeout: 60_000 } }

/** Whether a file takes turns with others (`test/system/shared-sandbox.ts`). */
const takesTurns = ({ moduleId }: TestSpecification): boolean =>
  /\/test\/(system|crash)\//.test(moduleId) && readFileSync(moduleId, 'utf8').includes('useSharedSandbox()')

/**
 * The longest files first, so that no processor waits for one of them in the end. Files that take turns are spread
 * among them, because one that waits for its turn takes the place of another.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId, project }: TestSpecification): number => {
      if (/\/test\/(system|crash)\//.test(moduleId)) return 3
      if (project.name === 'slow') return 2
      return project.name === 'system' ? 1 : 0
    }
    const sorted = (await super.sort(files)).toSorted((a, b) => weight(b) - weight(a))
    const turns = sorted.filter(takesTurns)
    const others = sorted.filter((file) => !turns.includes(file))
    const apart = Math.max(1, Math.floor(others.filter((file) => weight(file) === 3).length / turns.length))
    const spread = others.flatMap((file, at) =>
      at % apart === 0 ? [...turns.slice(at / apart, at / apart + 1), file] : [file],
    )
    return [...spread, ...turns.slice(Math.ceil(others.length / apart))]
  }
}

/** Those of `npm run test:long` take as long as they take. */
const most = isLong ? 4 * 3_600_000 : 300_000

const project = (name: 'unit' | 'system' | 'slow', files: Pick<TestUserConfig, 'include' | 'exclude' | 'isolate'>) => ({
  test: { name, setupFiles, maxWorkers, testTimeout: most, hookTimeout: most, expect, ...files },
})

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    globalSetup: ['test/setup/postgres.global.ts', 'test/setup/sandbox.global.ts'],
    projects: [
      // One process runs many files, and loads each module once: a quarter of the time went into loading them.
      project('unit', { include: ['**/*.test.ts'], exclude: [...never, system, slow], isolate: false }),
      project('system', { include: [system], exclude: never }),
      project('slow', { include: [slow], exclude: never }),
    ],
  },
})
