/** Some seeds of the simulation, in processes of their own: it replaces time and randomness of its process. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { COMPILE_CACHE } from '../../server/src/platform/process/compile-cache.ts'

const PROGRAM = join(import.meta.dirname, 'main.ts')

/** @returns the lines of its runs */
const simulate = async (...args: string[]): Promise<string[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--single-step', ...args], {
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  return stdout.split('\n').filter((line) => line.startsWith('seed '))
}

/** On a slow machine a run takes longer than the five minutes of other tests. */
const MOST_MS = 30 * 60_000

test(
  'violates nothing',
  async () => {
    const lines = await simulate('--seed', '1', '--seeds', '3', '--processes', '2', '--ops', '1000')
    expect(lines).toEqual(Array.from({ length: 3 }, () => expect.stringContaining(' 0 problems')))
  },
  MOST_MS,
)

test(
  'gives the same trace for the same seed',
  async () => {
    // Several card payouts at once, and workers that stand still at their n-th statement.
    const options = ['--seed', '20', '--ops', '300', '--emphasis', 'cards', '--networks', 'ETHEREUM']
    const traceOf = async (): Promise<string | undefined> => (await simulate(...options))[0]?.split('trace ')[1]
    const [first, second] = [await traceOf(), await traceOf()]
    expect(first).toMatch(/^[0-9a-f]{16}$/)
    expect(second).toBe(first)
  },
  MOST_MS,
)
