/**
 * Lets everything come to rest: no faults, all roles up, blocks until all is final, jobs and watchers until nothing is
 * left.
 */
import { answerDisputes, endLostRefunds } from './acquirers/console.ts'
import { postTo } from './actions/acquirers.ts'
import { liftOwnStops } from './actions/operators.ts'
import { runJob } from './actions/program.ts'
import { returnOne } from './actions/returns.ts'
import { decideSome } from './actions/screening.ts'
import { signerPolicy } from './installation/files.ts'
import type { Random } from '../../sandbox/random.ts'
import { ROLES, type Simulation } from './simulation.ts'
import { timed, type Times } from './times.ts'

/** Enough blocks for every depth of finality. */
const BLOCKS = 8
/** Between two rounds, ms: longer than any retry delay that is not of hours. */
const PAUSE_MS = 120_000
/** After a round without work: longer than the retry delay of screening. */
const LONG_PAUSE_MS = 1_320_000
/** Rounds in succession without work that end the settling. A long pause comes before the last. */
const QUIET_ROUNDS = 2
const ROUNDS = 40
/** The round after which operators decide about screened money, of which some is still waiting for a provider then. */
const DECIDING_ROUND = 2
const DECISIONS = 3

/** What the settlings of a run have cost. */
interface Settlings {
  times: Times
  /** how many rounds each job, watcher or counterparty has made necessary */
  restless: Map<string, number>
}

/** @returns the reasons why the simulation does not rest, in one line each: roles that cannot start, endless work */
export const settle = async (simulation: Simulation, { times, restless }: Settlings): Promise<string[]> => {
  const { chains, clock, faults, roles, receivers, prices, random, trace } = simulation
  faults.end()
  clock.setRight()
  receivers.front.silent = false
  simulation.venue.mend()
  for (const chain of chains) {
    chain.front.mend()
    await chain.pause?.(false)
  }
  const unable: string[] = []
  for (const role of ROLES)
    if (!roles.has(role))
      await simulation
        .startRole(role)
        .catch((error: unknown) => unable.push(`the ${role} cannot start: ${(error as Error).message}`))
  if (unable.length > 0) return unable
  await liftOwnStops(simulation)
  simulation.signer.setPolicy(signerPolicy(chains))
  let quiet = 0
  let worked: string[] = []
  for (let round = 0; round < ROUNDS && quiet < QUIET_ROUNDS; round += 1) {
    clock.advance(quiet > 0 || round % 4 === 3 ? LONG_PAUSE_MS : PAUSE_MS)
    prices.move(random.of('settling', trace.length, round))
    for (const chain of chains)
      await timed(times, `rest: blocks of ${chain.network}`, () => chain.mine(round < 3 ? BLOCKS : 2))
    // After a round without work no refund is under way that its acquirer does not show.
    worked = await oneRound(simulation, times)
    if (worked.length === 0 && (await askConsoles(simulation))) worked = ['an operator']
    for (const name of worked) restless.set(name, (restless.get(name) ?? 0) + 1)
    quiet = worked.length > 0 ? 0 : quiet + 1
    if (round === DECIDING_ROUND && (await decide(simulation, random.of('deciding', trace.length)))) quiet = 0
  }
  return quiet < QUIET_ROUNDS ? [`no rest after ${ROUNDS} rounds, because of ${worked.join(', ')}`] : []
}

/** @returns whether there was anything to decide */
const decide = async (simulation: Simulation, random: Random): Promise<boolean> => {
  const lines = await decideSome(simulation, random, DECISIONS)
  if (simulation.books.decided.some(({ event }) => event === 'reject'))
    lines.push(await returnOne(simulation, random.of('return')))
  for (const line of lines) simulation.trace.add(`at rest: ${line}`)
  return lines.length > 0
}

/**
 * Jobs whose run is not a sign of work left: some poll open payments for days, or eight card payouts that never end;
 * one passes over the accounts in parts, also when it finds nothing.
 */
const GO_ON = /^(ask .+ for (card payouts|payments)|count days)$/

/** An operator reads the acquirers' consoles. @returns whether that changed anything */
const askConsoles = async (simulation: Simulation): Promise<boolean> => {
  const [disputes, refunds] = [await answerDisputes(simulation), await endLostRefunds(simulation)]
  return disputes + refunds > 0
}

/** @returns the names of all that found work */
const oneRound = async (simulation: Simulation, times: Times): Promise<string[]> => {
  const { roles, acquirers, chains, venue } = simulation
  const worked = new Set<string>()
  if ((await venue.goOn()) > 0) worked.add('the venue')
  for (const account of acquirers.accounts) {
    if (account.goOn() > 0 || account.callbacks.waiting > 0) worked.add(account.name)
    await account.callbacks.attemptAll(postTo(simulation))
  }
  for (const chain of chains) {
    const { network } = chain
    const watcher = roles.get('watcher')!.watchers.get(network)!
    for (let steps = 0; steps < 50; steps += 1) {
      if ((await timed(times, `rest: watcher of ${network}`, () => watcher.step())) !== 0) break
      worked.add(`the watcher of ${network}`)
    }
    // A watcher whose node refuses a block is idle until it takes another way, which needs time.
    if (watcher.progress().height < (await chain.head()).height) worked.add(`the watcher of ${network}`)
  }
  for (const role of ['api', 'worker'] as const)
    for (const job of roles.get(role)!.jobs)
      for (let runs = 0; runs < 20; runs += 1) {
        const result = await timed(times, `rest: ${job.name}`, () => runJob(job))
        if (result !== 'more') break
        if (!GO_ON.test(job.name)) worked.add(job.name)
      }
  return [...worked]
}
