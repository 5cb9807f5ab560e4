import { defineConfig, type TestUserConfig } from 'vitest/config'
import { isLong } from './test/setup/cases.ts'
import { fastFolder } from './test/setup/fast-folder.ts'
import { COMPILE_CACHE } from './server/src/platform/process/compile-cache.ts'
import { LongestFirst } from './test/setup/order.ts'
import { PART, slowFilesOf } from './test/setup/parts.ts'

/** The name of a file says where it runs; test/README.md says which name a test should have. */
const system = '**/*.system.test.ts'
const slow = '**/*.slow.test.ts'
const part = process.env[PART]
const slowFiles = slowFilesOf(part)
/** The folder of all temporary folders of tests and of their processes. */
const folder = process.env['TMPDIR'] ?? fastFolder()
if (folder !== undefined) process.env['TMPDIR'] = folder
/** Each file has a process of its own, and starts others from sources: they compile what they share once. */
process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE

const setupFiles = ['test/setup/cleaning.ts']
const never = ['**/node_modules/**', '**/dist/**', '**/.bursar/**']

/**
 * Files at a time. Every file has folders, ports and a database of its own, so that any two can run beside each other;
 * while one waits for a block the other computes. With five, browsers wait too long for two processors. Files that
 * compute run one at a time, beside the others.
 */
const maxWorkers = part === 'computing' ? 1 : 4

/**
 * A busy machine is slow, and that is no finding: a polled condition has a minute, not vitest's second, and a test
 * five.
 */
const expect = { poll: { timeout: 60_000 } }

/** Those of `npm run test:long` take as long as they take, and those with a low priority wait for the others. */
const most = isLong ? 4 * 3_600_000 : part === 'computing' ? 1_800_000 : 300_000

const project = (name: 'unit' | 'system' | 'slow', files: Pick<TestUserConfig, 'include' | 'exclude' | 'isolate'>) => ({
  test: { name, setupFiles, maxWorkers, testTimeout: most, hookTimeout: most, expect, ...files },
})

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/setup/postgres.global.ts', 'test/setup/sandbox.global.ts', 'test/setup/packages.global.ts'],
    projects: [
      // One process runs many files, and loads each module once: a quarter of the time went into loading them.
      project('unit', { include: ['**/*.test.ts'], exclude: [...never, system, slow], isolate: false }),
      project('system', { include: [system], exclude: never }),
      project('slow', { ...slowFiles, exclude: [...never, ...slowFiles.exclude] }),
    ],
  },
})
