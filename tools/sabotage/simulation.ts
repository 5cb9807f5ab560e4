/** Runs the simulation while a fault is in: whether it finds the fault without the finder. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Network } from '@bursar/chainkit'
import { readSummary } from '../../test/simulation/summary.ts'

export interface Tried {
  /** `found`: a run reports a violation. `crashed` and `hung`: it reports none, as it ended or did not end */
  outcome: 'found' | 'missed' | 'crashed' | 'hung'
  /** operations of all runs */
  operations: number
  /** found: the command that repeats it */
  command: string
  /** found: the first violation. crashed: the end of its output */
  what: string
}

export interface Run {
  seed: number
  /** one thing at a time, which can be repeated exactly */
  singleStep: boolean
}

export interface Options {
  /** least number of operations of a run */
  ops: number
  /** operations between two comparisons with the model */
  restEvery: number
  /** chains that the runs have: the fewer, the sooner a run ends */
  networks: readonly Network[]
  /** a subject whose actions are drawn more often */
  emphasis: string | undefined
  /** URL of a server that all runs use */
  postgres: string
}

/** An unloaded machine needs half a minute for a run. */
const MOST_MS = 900_000
const PROBLEM = /^- (.*)$/m

/** Runs the simulation in the copy of the work tree until a run reports a violation. */
export const trySimulation = async (
  copy: string,
  runs: readonly Run[],
  { ops, restEvery, networks, emphasis, postgres }: Options,
): Promise<Tried> => {
  let operations = 0
  for (const { seed, singleStep } of runs) {
    const options = ['--seed', String(seed), '--ops', String(ops), '--rest-every', String(restEvery)]
    const which = [
      ...options,
      '--networks',
      networks.join(','),
      ...(emphasis === undefined ? [] : ['--emphasis', emphasis]),
    ]
    const args = singleStep ? [...which, '--single-step'] : which
    const command = `npm run simulate -- ${args.join(' ')}`
    const output = await simulate(copy, [...args, '--no-shrink', '--postgres', postgres])
    if (output === undefined) return { outcome: 'hung', operations, command, what: '' }
    const summary = readSummary(output)
    if (summary === undefined) return { outcome: 'crashed', operations, command, what: output.trim().slice(-1_000) }
    operations += summary.operations
    if (summary.problems > 0) return { outcome: 'found', operations, command, what: PROBLEM.exec(output)?.[1] ?? '' }
  }
  return { outcome: 'missed', operations, command: '', what: '' }
}

/** @returns its output; undefined: it was ended because it took too long */
const simulate = (copy: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(copy, 'test/simulation/main.ts'), ...args], {
      cwd: copy,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Sources are the same but for one file.
      env: { ...process.env, NODE_COMPILE_CACHE: join(copy, '.compiled') },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
    let isLate = false
    const end = (): void => {
      isLate = true
      // PostgreSQL and the nodes are of its process group.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    }
    const timer = setTimeout(end, MOST_MS)
    process.once('exit', end)
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      process.off('exit', end)
      resolve(isLate ? undefined : output)
    })
  })
