/**
 * `npm run simulate -- [--seed N] [--seeds K] [--processes P] [--ops M] [--rest-every R] [--networks A,B]
 * [--emphasis SUBJECT] [--single-step] [--no-shrink] [--steps 1-3,7] [--record] [--verbose] [--times]`
 *
 * Runs the simulation with the seeds N to N + K - 1, at least M operations each. A run that violates an invariant
 * prints the command that repeats it; in single-step mode it is made shorter first, except with `--no-shrink`. With
 * `--networks` it has these chains only. `--times` prints how long each kind of step took, and the faults by kind.
 * `--emphasis` makes the actions of a subject more frequent: answers, blocks, cards, claims, cold, exchange, greedy,
 * links, members, orders, payers, payouts, policies, requests, signer, webhooks or workers.
 * `--processes` runs so many seeds at once, each in a process of its own.
 * `--record` counts each run that passes in docs/operating/reliability.md, and begins where the count ends.
 * `--postgres URL` uses a server that `startDatabases` has started.
 * `--times` also prints the processor time of each program, how long each part of a rest took, and which work made
 * rests take further rounds.
 */
import { parseArgs } from 'node:util'
import { isNetwork, type Network } from '@bursar/chainkit'
import { endComponentsOnSignal } from '../../sandbox/process/child.ts'
import { startDatabases, type Databases } from './databases.ts'
import { runSeeds, type Ended } from './processes.ts'
import { nextSeed, record } from './record.ts'
import { simulate, SUBJECTS, type RunOptions, type RunResult, type Subject } from './run.ts'
import { rangesOf, shrink, stepsOf } from './shrink.ts'
import { summaryOf, writeSummary, type Summary } from './summary.ts'

endComponentsOnSignal()
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    ops: { type: 'string', default: '2000' },
    'rest-every': { type: 'string' },
    networks: { type: 'string' },
    emphasis: { type: 'string' },
    postgres: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
    steps: { type: 'string' },
    'single-step': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    times: { type: 'boolean', default: false },
  },
})

/** A failing run is made shorter by at most so many runs. */
const MOST_SHRINKING_RUNS = 60

/** Everything but the given steps, up to the last of them. */
const onlySteps = (steps: readonly number[]): Pick<RunOptions, 'skip' | 'lastStep' | 'restEvery'> => {
  const [wanted, lastStep] = [new Set(steps), Math.max(...steps)]
  const skip = new Set(Array.from({ length: lastStep }, (_, at) => at + 1).filter((step) => !wanted.has(step)))
  return { skip, lastStep, restEvery: Number.POSITIVE_INFINITY }
}

const networksOf = (text: string): Network[] =>
  text.split(',').map((name) => {
    if (!isNetwork(name)) throw new RangeError(`there is no network ${name}`)
    return name
  })

const isSubject = (name: string): name is Subject => Object.hasOwn(SUBJECTS, name)

const subjectOf = (name: string): Subject => {
  if (!isSubject(name)) throw new RangeError(`there is no subject ${name}`)
  return name
}

const runOnce = (databases: Databases, options: Omit<RunOptions, 'databaseUrl' | 'dir'>): Promise<RunResult> => {
  const emphasis = values.emphasis === undefined ? {} : { emphasis: subjectOf(values.emphasis) }
  return databases.use((place) => simulate({ ...options, ...emphasis, ...place }))
}

const runSeed = async (databases: Databases, seed: string): Promise<RunResult> => {
  const began = performance.now()
  const steps = values.steps === undefined ? undefined : stepsOf(values.steps)
  const result = await runOnce(databases, {
    seed,
    ops: steps === undefined ? Number(values.ops) : Number.POSITIVE_INFINITY,
    singleStep: values['single-step'],
    ...(values['rest-every'] !== undefined && { restEvery: Number(values['rest-every']) }),
    ...(values.networks !== undefined && { networks: networksOf(values.networks) }),
    ...(steps && onlySteps(steps)),
    ...(values.verbose && { print: (line: string) => console.log(line) }),
  })
  const seconds = (performance.now() - began) / 1_000
  console.log(`${writeSummary(seed, summaryOf(result), seconds)}, trace ${result.hash.slice(0, 16)}`)
  if (values.times) printTimes(result)
  return result
}

/** Those that took longest first. */
const printTimes = ({ times, faults, processor, restless, ops }: RunResult): void => {
  for (const [name, ms] of processor)
    console.log(
      `${(ms / 1_000).toFixed(1).padStart(8)} s of processor, ${(ms / ops).toFixed(1)} ms an operation: ${name}`,
    )
  for (const [name, { runs, ms }] of [...times].toSorted(([, one], [, other]) => other.ms - one.ms))
    console.log(`${(ms / 1_000).toFixed(1).padStart(8)} s ${String(runs).padStart(6)} runs  ${name}`)
  for (const [name, rounds] of [...restless].toSorted(([, one], [, other]) => other - one))
    console.log(`${String(rounds).padStart(6)} rounds of rests because of ${name}`)
  for (const [name, count] of [...faults].toSorted(([, one], [, other]) => other - one))
    console.log(`${String(count).padStart(6)} ${name}`)
}

const report = async (databases: Databases, seed: string, result: RunResult): Promise<void> => {
  console.log(result.trace.join('\n'))
  for (const problem of result.problems) console.log(`- ${problem}`)
  const again = `Run it again: npm run simulate -- --seed ${seed}`
  if (values['no-shrink']) return
  if (!values['single-step']) {
    console.log(`${again} --ops ${result.ops}. With --single-step it is made shorter, if it fails so, too.`)
    return
  }
  const all = Array.from({ length: result.steps }, (_, at) => at + 1)
  const fails = async (steps: readonly number[]): Promise<boolean> =>
    (await runOnce(databases, { seed, ops: Number.POSITIVE_INFINITY, singleStep: true, ...onlySteps(steps) })).problems
      .length > 0
  const { steps, runs } = await shrink(all, fails, MOST_SHRINKING_RUNS)
  console.log(`${again} --single-step --steps ${rangesOf(steps)}`)
  console.log(`That is ${steps.length} of ${all.length} steps; it was made shorter by ${runs} runs.`)
}

/** One seed after the other, up to the first that fails. @param passed is called with each that does not */
const runHere = async (
  databases: Databases,
  seeds: readonly number[],
  passed: (ended: Ended) => void,
): Promise<Ended[]> => {
  const ended: Ended[] = []
  for (const seed of seeds) {
    const result = await runSeed(databases, String(seed))
    const one = { seed, summary: summaryOf(result) }
    ended.push(one)
    if (result.problems.length === 0) {
      passed(one)
      continue
    }
    await report(databases, String(seed), result)
    break
  }
  return ended
}

/** The options of this process, for one that runs a single seed. */
const argsOf = (databases: Databases): string[] => {
  const own = new Set(['seed', 'seeds', 'processes', 'record', 'postgres'])
  const given = Object.entries(values).flatMap(([name, value]) => {
    if (own.has(name) || value === false) return []
    return typeof value === 'string' ? [`--${name}`, value] : [`--${name}`]
  })
  return ['--postgres', databases.url, ...given]
}

const run = async (): Promise<number> => {
  const first = values.seed === undefined ? (values.record ? nextSeed() : 1) : Number(values.seed)
  const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => first + at)
  const processes = Number(values.processes)
  const day = new Date()
  const databases = await startDatabases(values.postgres)
  try {
    const ended =
      processes > 1
        ? await runSeeds({ seeds, processes, args: argsOf(databases), print: (output) => console.log(output) })
        : await runHere(databases, seeds, (one) => values.record && countRuns([one], day))
    const failed = ended.find(({ summary }) => summary === undefined || summary.problems > 0)
    // Seeds that ran at once are counted together, because one that failed may have begun before others that passed.
    const counted = failed === undefined ? ended : ended.filter(({ seed }) => seed < failed.seed)
    if (values.record && processes > 1 && counted.length > 0) countRuns(counted, day)
    return failed === undefined ? 0 : 1
  } finally {
    await databases.stop()
  }
}

/** @param runs of seeds that follow each other, in their order, without a violation */
const countRuns = (runs: readonly Ended[], day: Date): void => {
  const sumOf = (name: keyof Summary): number => runs.reduce((sum, { summary }) => sum + summary![name], 0)
  const seeds = [runs[0]!.seed, runs.at(-1)!.seed] as const
  record({ seeds, operations: sumOf('operations'), faults: sumOf('faults'), violations: 0 }, day)
}

process.exitCode = await run()
