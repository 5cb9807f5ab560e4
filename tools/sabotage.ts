/**
 * Puts known faults in, one at a time, and shows that a named test finds each: `npm run sabotage`.
 *
 *     npm run sabotage                all that have changed since they were last found
 *     npm run sabotage -- NAME…       these
 *     npm run sabotage -- --again     all
 *     npm run sabotage -- --some 10   ten that the last commit's hash chooses; leaves the page as it is
 *     npm run sabotage -- --simulation [NAME…]
 *                                     runs the simulation instead of the tests: those without a result, or these;
 *                                     --again: also those that were missed; --seed N --runs K --ops M: other runs,
 *                                     whose first seed is N or, for a fault of a dialect, one whose nodes speak it
 *     node tools/sabotage.ts --check  only whether each can still be applied, and its test exists
 *
 * Writes docs/operating/sabotage.md. Ends with 1 if a fault is missed or its test fails without it.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SABOTAGES } from '../test/sabotage/index.ts'
import { startDatabases } from '../test/simulation/databases.ts'
import { OUTSIDE_THE_SIMULATION } from '../test/sabotage/outside.ts'
import type { Sabotage } from '../test/sabotage/sabotage.ts'
import { chainsOf, subjectOf } from './sabotage/chains.ts'
import { findStale, finderOf, type Finder } from './sabotage/check.ts'
import { isKnownFound, keepResult, writePage, type Result } from './sabotage/page.ts'
import { seedOf } from './sabotage/seeds.ts'
import { makeScratch, type Ran, type Scratch } from './sabotage/scratch.ts'
import { keepSimulationResult, readSimulationResults } from './sabotage/simulation-results.ts'
import { trySimulation } from './sabotage/simulation.ts'

/** A finder that takes this long while a fault is in has found it by not ending. */
const MOST_MS = 120_000
/** Operations of the simulation between two comparisons with the model. */
const REST_EVERY = 400
/** All finders together, on a slow machine. */
const MOST_UNCHANGED_MS = 3_600_000

const { values, positionals } = parseArgs({
  options: {
    check: { type: 'boolean' },
    again: { type: 'boolean' },
    some: { type: 'string' },
    simulation: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    ops: { type: 'string', default: '2000' },
  },
  allowPositionals: true,
})
const root = join(import.meta.dirname, '..')
/** Empty on a machine without git. */
const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' })
const commit = status === 0 ? stdout.trim() : ''

const stale = findStale(root, SABOTAGES)
for (const line of stale) console.error(line)
process.exitCode = stale.length === 0 ? 0 : 1
if (values.check !== true && stale.length === 0)
  await (values.simulation === true ? simulate(chooseSimulated()) : run(choose()))

function choose(): readonly Sabotage[] {
  const unknown = positionals.filter((name) => !SABOTAGES.some((one) => one.name === name))
  if (unknown.length > 0) throw new RangeError(`there is no sabotage ${unknown.join(', ')}`)
  if (positionals.length > 0) return positionals.map((name) => SABOTAGES.find((one) => one.name === name)!)
  if (values.some !== undefined) {
    const rank = ({ name }: Sabotage): string => createHash('sha256').update(`${commit} ${name}`).digest('hex')
    // Real nodes and killed processes take longer than a subset may.
    const quick = SABOTAGES.filter((sabotage) => !/\.(system|slow)\.test\.ts$/.test(finderOf(sabotage).file))
    return quick.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, Number(values.some))
  }
  return values.again === true ? SABOTAGES : SABOTAGES.filter((sabotage) => !isKnownFound(root, sabotage))
}

/** Those in parts that the simulation has, without a result or, with `--again`, not found yet. */
function chooseSimulated(): readonly Sabotage[] {
  if (positionals.length > 0) return choose()
  const results = readSimulationResults(root, SABOTAGES)
  return SABOTAGES.filter(({ name }) => {
    if (OUTSIDE_THE_SIMULATION[name] !== undefined) return false
    return results[name] === undefined || (values.again === true && results[name].outcome !== 'found')
  })
}

async function simulate(chosen: readonly Sabotage[]): Promise<void> {
  const databases = await startDatabases()
  await inScratch(async (scratch) => {
    for (const sabotage of chosen) {
      const started = performance.now()
      const networks = chainsOf(sabotage)
      const first = seedOf(sabotage, networks, Number(values.seed))
      const runs = Array.from({ length: Number(values.runs) }, (_, at) => ({ seed: first + at, singleStep: at === 0 }))
      const options = { ops: Number(values.ops), restEvery: REST_EVERY, networks, emphasis: subjectOf(sabotage) }
      const tried = await scratch.withFault(sabotage, () =>
        trySimulation(scratch.copy, runs, { ...options, postgres: databases.url }),
      )
      const seconds = Math.round((performance.now() - started) / 1000)
      console.log(`${tried.outcome.padEnd(7)} ${String(seconds).padStart(6)} s  ${sabotage.name}: ${tried.what}`)
      const day = new Date().toISOString().slice(0, 10)
      const { name, replace } = sabotage
      keepSimulationResult(root, SABOTAGES, name, { ...tried, seconds, day, commit, replace })
    }
  }, databases.stop)
  writePage(root, SABOTAGES, new Map())
}

async function run(chosen: readonly Sabotage[]): Promise<void> {
  const isRecorded = values.some === undefined
  if (chosen.length > 0) await inScratch((scratch) => runIn(scratch, chosen, isRecorded))
  if (isRecorded) writePage(root, SABOTAGES, new Map())
}

/** @param close is called at the end, also when a signal ends the process */
async function inScratch(
  work: (scratch: Scratch) => Promise<void>,
  close: () => Promise<void> = async () => {},
): Promise<void> {
  const scratch = makeScratch(root)
  const end = async (): Promise<void> => {
    scratch.remove()
    await close()
  }
  const endNow = (): void => void end().finally(() => process.exit(130))
  process.once('SIGINT', endNow).once('SIGTERM', endNow)
  try {
    await work(scratch)
  } finally {
    await end()
  }
}

async function runIn(scratch: Scratch, chosen: readonly Sabotage[], isRecorded: boolean): Promise<void> {
  const failing = failingFinders(chosen, await scratch.run(chosen.map(finderOf), MOST_UNCHANGED_MS))
  for (const { name, finder } of failing) console.error(`${name}: does not pass without the fault: ${finder}`)
  if (failing.length > 0) process.exitCode = 1
  for (const sabotage of chosen.filter((one) => !failing.includes(one))) {
    const started = performance.now()
    const ran = await scratch.runWith(sabotage, [finderOf(sabotage)], MOST_MS)
    const outcome = outcomeOf(ran, finderOf(sabotage))
    const seconds = (performance.now() - started) / 1000
    console.log(`${outcome.padEnd(7)} ${seconds.toFixed(1).padStart(6)} s  ${sabotage.name}`)
    if (ran.kind === 'broken') console.error(ran.output)
    if (outcome === 'missed' || outcome === 'broken') process.exitCode = 1
    const day = new Date().toISOString().slice(0, 10)
    if (isRecorded) keepResult(root, SABOTAGES, sabotage, { outcome, seconds, day, commit })
  }
}

/** The chosen ones whose finder has not passed, or has not run. */
function failingFinders(chosen: readonly Sabotage[], ran: Ran): Sabotage[] {
  if (ran.kind !== 'ran') throw new Error(`the finders gave no result: ${ran.kind === 'broken' ? ran.output : 'hung'}`)
  return chosen.filter((sabotage) => {
    const statuses = statusesOf(ran, finderOf(sabotage))
    return !statuses.includes('passed') || statuses.includes('failed')
  })
}

function outcomeOf(ran: Ran, finder: Finder): Result['outcome'] {
  if (ran.kind !== 'ran') return ran.kind
  const statuses = statusesOf(ran, finder)
  if (statuses.includes('failed')) return 'found'
  return statuses.includes('passed') ? 'missed' : 'broken'
}

function statusesOf({ tests }: Extract<Ran, { kind: 'ran' }>, { file, title }: Finder): string[] {
  return tests.filter((test) => test.file === file && test.fullName.includes(title)).map(({ status }) => status)
}
