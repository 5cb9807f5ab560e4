/**
 * Seeds in processes of their own, several at once: a run replaces time and randomness of its process, and a node in
 * its memory is gone with it.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { COMPILE_CACHE } from '../../server/src/platform/process/compile-cache.ts'
import { readSummary, type Summary } from './summary.ts'

const PROGRAM = join(import.meta.dirname, 'main.ts')

/** A seed whose process has ended. */
export interface Ended {
  seed: number
  /** undefined: its process crashed */
  summary: Summary | undefined
}

interface SeedsOptions {
  seeds: readonly number[]
  /** at once */
  processes: number
  /** of each process, beside its seed */
  args: readonly string[]
  /** Called with the output of a process, when it has ended. */
  print(output: string): void
}

/**
 * Runs the seeds in their order. No further seed begins once one has failed; those that run are finished.
 * @returns those that have ended, in the order of the seeds
 */
export const runSeeds = async ({ seeds, processes, args, print }: SeedsOptions): Promise<Ended[]> => {
  const waiting = [...seeds]
  const ended: Ended[] = []
  const work = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const output = await runOne(['--seed', String(seed), ...args])
      print(output)
      const summary = readSummary(output)
      ended.push({ seed, summary })
      if (summary === undefined || summary.problems > 0) waiting.length = 0
    }
  }
  await Promise.all(Array.from({ length: processes }, work))
  return ended.toSorted((one, other) => one.seed - other.seed)
}

const runOne = (args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
    const end = (): void => void child.kill('SIGTERM')
    process.once('exit', end)
    child.once('error', reject)
    child.once('close', () => {
      process.off('exit', end)
      resolve(output.trimEnd())
    })
  })
