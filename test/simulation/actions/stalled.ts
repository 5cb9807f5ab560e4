/** A worker that stands still in the middle of a job, while a second one with connections of its own does its work. */
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { createStop } from '../../../server/src/ledger/stops/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import type { Stall } from '../faults.ts'
import type { RunningRole } from '../installation/roles.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { place } from './merchants.ts'
import { liftOwnStops } from './operators.ts'
import { runJob } from './program.ts'
import { calm, carry, drawPayment, isComplete, mine, statusOf } from './sent.ts'

/** Exchanges of a job with the database or the signer, of which it stands still at one. */
const PLACES = { 'database of the worker': 16, signer: 2 } as const
/** Longer than a worker's claim on a transaction lasts, ms. */
export const CLAIM_MS = 30_000
const LOOK_EVERY_MS = 5

/** Waits until the work has ended, or is held up by a lock of PostgreSQL or in a queue of the process. */
const untilHeldUp = async ({ db }: Simulation, work: Promise<unknown>, mostLooks: number): Promise<void> => {
  let isOver = false
  const ended = work.then(() => (isOver = true))
  for (let [seen, looks] = [0, 0]; !isOver && seen < 2 && looks < mostLooks; looks += 1) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))])
    const { rows } = await sql<{
      waiting: boolean
    }>`select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waiting`.execute(
      db,
    )
    seen = rows[0]!.waiting ? seen + 1 : 0
  }
}

/**
 * Runs a job until it stands still or ends, then other work, then lets it go on.
 * @param mostLooks after so many looks the other work waits in a queue of the process, where no lock shows it
 * @returns whether it stood still
 */
export const during = async (
  simulation: Simulation,
  stall: Stall,
  running: Promise<unknown>,
  meanwhile: () => Promise<unknown>,
  mostLooks = Number.POSITIVE_INFINITY,
): Promise<boolean> => {
  const stands = await Promise.race([stall.reached.then(() => true), running.then(() => false)])
  // Other parts of the job may go on: they come to their ends first.
  if (stands) await simulation.faults.gate?.rest()
  const work = stands ? meanwhile() : Promise.resolve()
  await untilHeldUp(simulation, work, mostLooks)
  stall.release()
  await Promise.all([running, work])
  return stands
}

/** Runs a job of a worker after a moment. */
export const runNamed = async (
  { clock, roles }: Simulation,
  name: string,
  worker: Pick<RunningRole, 'jobs'> | undefined = roles.get('worker'),
): Promise<void> => {
  clock.advance(1_000)
  for (const job of worker?.jobs ?? []) if (job.name === name) await runJob(job)
}

/** The transactions of the program of a network that are in a state, by their ids. */
export const outgoingIn = async ({ db }: Simulation, network: Network, state: string): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ id: string }>`select id from outgoing where network = ${network} and state = ${state}
    order by id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Planning asks for the screening of a payment, and plans it once it is judged. */
const askToScreen = async (simulation: Simulation, { network }: SimulatedChain): Promise<void> => {
  await runNamed(simulation, `payouts ${network}`)
  await runNamed(simulation, 'screen')
}

/** Rounds in which a payment is planned at the latest, once it was placed. */
const PLANNING_ROUNDS = 5

/** Leads payments that were placed to their transactions. @returns ids of the transactions that wait to be signed */
export const plan = async (simulation: Simulation, chain: SimulatedChain): Promise<ReadonlySet<string>> => {
  const { network } = chain
  for (let round = 0; round < PLANNING_ROUNDS; round += 1) {
    await askToScreen(simulation, chain)
    await runNamed(simulation, `payouts ${network}`)
    const planned = await outgoingIn(simulation, network, 'planned')
    if (planned.size > 0) return planned
  }
  return new Set()
}

export const stop = (simulation: Simulation, asset: string): Promise<unknown> =>
  inTransaction(simulation.db, (tx) =>
    createStop(tx, { asset, merchantId: null, reason: 'simulation', actor: 'simulation' }, simulation.moment()),
  )

const stalled: Action = {
  name: 'a worker stands still while another works',
  weight: (simulation) => (isComplete(simulation) ? 4 : 0),
  run: async (simulation, random) => {
    const { books, clock, faults } = simulation
    const chain = random.pick(simulation.chains)
    const { network } = chain
    await calm(simulation, chain)
    const first = await drawPayment(simulation, random, chain)
    const wanted = [first]
    for (let at = random.int(3); at > 0; at -= 1)
      wanted.push(await drawPayment(simulation, random.of('more', at), chain, first.ticker))
    for (const one of wanted) {
      books.paidOut.push(one)
      await place(simulation, one)
    }
    const step = random.pick(['payouts', 'send', 'send'] as const)
    const { jobs } = simulation.roles.get('worker')!
    if (step === 'send') await plan(simulation, chain)
    else await askToScreen(simulation, chain)
    const second = await simulation.startSecondWorker()
    try {
      const stall = stallOf(simulation, random, step)
      const event = random.pick(['takes over', 'takes over', 'works at once', 'stop'] as const)
      const running = runJob(jobs.find(({ name }) => name === `${step} ${network}`)!)
      const stood = await during(simulation, stall, running, async () => {
        if (event === 'takes over') clock.advance(CLAIM_MS)
        if (event === 'stop') await stop(simulation, first.ticker)
        await carry(simulation, chain, second)
      })
      if (stood) faults.note('worker stands still')
      await mine(simulation, chain, 1)
      await carry(simulation, chain)
      await mine(simulation, chain, 1)
      return `${network} ${first.ticker} ${wanted.length}: ${step}, ${event}: ${stood ? 'stood still' : 'had ended'}`
    } finally {
      await second.stop()
    }
  },
}

/** Changes of the state of a transaction, of which the first one marks it as signed, after its bytes are stored. */
const MOVES = /^\s*update outgoing o set state/m

/** Planning asks no signer. */
const stallOf = ({ faults }: Simulation, random: Random, step: 'payouts' | 'send'): Stall => {
  if (step === 'send' && random.chance(0.3)) return faults.stall('database of the worker', random.int(2), MOVES)
  const front = step === 'send' && random.chance(0.3) ? 'signer' : 'database of the worker'
  return faults.stall(front, random.int(PLACES[front]))
}

/** A stop that is made before the delivery has ended holds for it. */
const stoppedWhileDelivered: Action = {
  name: 'a stop is made while a payment inside is delivered',
  weight: (simulation) =>
    isComplete(simulation) && simulation.together === 1 && simulation.books.addresses.length > 0 ? 2 : 0,
  run: async (simulation, random) => {
    const { books, chains, faults, problems, roles } = simulation
    const { network, address, merchant: receiver } = random.pick(books.addresses)
    const chain = chains.find((one) => one.network === network)!
    await calm(simulation, chain)
    const wanted = { ...(await drawPayment(simulation, random, chain)), to: address, receiver }
    books.paidOut.push(wanted)
    await place(simulation, wanted)
    const { jobs } = roles.get('worker')!
    for (const job of jobs) if (job.name === 'screen') await runJob(job)
    const stall = faults.stall('database of the worker', random.int(PLACES['database of the worker']))
    let [isMade, isMadeFirst] = [false, false]
    const release = (): void => {
      isMadeFirst = isMade
      stall.release()
    }
    const running = runJob(jobs.find(({ name }) => name === 'deliver internal withdrawals')!)
    let before: string | undefined
    await during(simulation, { reached: stall.reached, release }, running, async () => {
      before = await statusOf(simulation, wanted)
      await stop(simulation, wanted.ticker)
      isMade = true
    })
    const after = await statusOf(simulation, wanted)
    if (isMadeFirst && before === 'Pending' && after === 'Done')
      problems.push(`${wanted.localId}: was delivered although ${wanted.ticker} was stopped meanwhile`)
    await liftOwnStops(simulation)
    return `${network} ${wanted.ticker}: ${before ?? 'did not stand still'}, ${after}`
  },
}

export const STALLED: readonly Action[] = [stalled, stoppedWhileDelivered]
