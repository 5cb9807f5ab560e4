import { defineConfig } from 'vitest/config'

const slow = ['sandbox/**/*.test.ts', 'test/{system,crash,simulation,browser}/**/*.test.ts', '**/*.system.test.ts']
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
          exclude: [...never, ...slow],
          maxWorkers: 2,
          testTimeout: 15_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Real nodes, whole processes, fixed resources: one file at a time, after the unit tests.
        test: {
          name: 'system',
          setupFiles,
          include: slow,
          exclude: never,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
