/**
 * Workers that stand still while they have payments signed: their claim passes to another worker, which gives the
 * payments back, or a stop is made for those that the signer was not asked about.
 */
import { sql } from 'kysely'
import type { SignRequest } from '../../../signer/src/protocol/protocol.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { signerPolicy } from '../installation/files.ts'
import { openSubjects } from '../../../server/src/platform/runtime/alerts.ts'
import { compareStored } from '../model/stored.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { place } from './merchants.ts'
import { liftOwnStops } from './operators.ts'
import { runJob } from './program.ts'
import { calm, carry, drawPayment, isComplete, mine } from './sent.ts'
import { CLAIM_MS, during, outgoingIn, plan, stop } from './stalled.ts'

/** Statements of a worker that has payments signed and sent, and of those the ones before the signer is asked. */
const STATEMENTS = { refused: 16, stopped: 4 } as const
/** Payments that the signer is asked for at once, at most (jobs-together.ts). */
const GROUP = 8
/** Payments of one run, of which the signer is asked for several groups by each hot address. */
const MANY = 2 * GROUP + 4

/** On Bitcoin, transactions are neither claimed nor signed in groups. */
const accountChains = ({ chains }: Simulation): SimulatedChain[] =>
  chains.filter(({ network }) => network !== 'BITCOIN')

/** Places payments of one asset and plans them: many are small. @returns the asset, and ids of the transactions */
const placeAndPlan = async (
  simulation: Simulation,
  random: Random,
  chain: SimulatedChain,
  count: number,
): Promise<{ ticker: string; planned: ReadonlySet<string> }> => {
  await calm(simulation, chain)
  const first = await drawPayment(simulation, random, chain)
  const wanted = [first]
  const small = simulation.catalogue.findCrypto(first.ticker)!.networks.get(chain.network)!.minWithdrawal
  for (let at = 1; at < count; at += 1) {
    const one = await drawPayment(simulation, random.of('more', at), chain, first.ticker)
    wanted.push(count > GROUP ? { ...one, units: small } : one)
  }
  for (const one of wanted) {
    simulation.books.paidOut.push(one)
    await place(simulation, one)
  }
  return { ticker: first.ticker, planned: await plan(simulation, chain) }
}

/** Those of the transactions that a signature was requested for. */
const askedAmong = async ({ db }: Simulation, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ id: string }>`select outgoing_id as id from outgoing_attempts
    where outgoing_id = any(${[...ids]}::uuid[]) and asked_at is not null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Those of the transactions that a stop of the asset holds back: they pay it, and have no permission yet. */
const stoppedBy = async (
  { db }: Simulation,
  ticker: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ id: string }>`select distinct w.outgoing_id as id from withdrawals w
      join outgoing_attempts a on a.outgoing_id = w.outgoing_id
    where w.outgoing_id = any(${[...ids]}::uuid[]) and w.ticker = ${ticker} and a.asked_at is null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Those of the requests that are about these transactions. */
const idsAmong = (requests: readonly SignRequest[], ids: ReadonlySet<string>): string[] =>
  requests.flatMap(({ transactionId }) => (ids.has(transactionId) ? [transactionId] : []))

const sendingOf = ({ roles }: Simulation, { network }: SimulatedChain): Promise<string> =>
  runJob(roles.get('worker')!.jobs.find(({ name }) => name === `send ${network}`)!)

/** The other worker finds a stop or a signer that is switched off, and gives the payments back. */
const giveBack = async (
  simulation: Simulation,
  { network }: SimulatedChain,
  why: 'stopped' | 'refused',
  ticker: string,
): Promise<void> => {
  const { chains, clock, signer } = simulation
  const second = await simulation.startSecondWorker()
  try {
    clock.advance(CLAIM_MS)
    if (why === 'stopped') await stop(simulation, ticker)
    else signer.setPolicy({ ...signerPolicy(chains), enabled: false })
    await runJob(second.jobs.find(({ name }) => name === `send ${network}`)!)
    await liftOwnStops(simulation)
    signer.setPolicy(signerPolicy(chains))
  } finally {
    await second.stop()
  }
}

/** What the signer signed late is attached to its payments: it signs nothing else for them. @returns how many */
const attachSigned = async ({ db, operate }: Simulation): Promise<number> => {
  const ids = await openSubjects(db, ['withdrawal-signed-before'], '')
  const { rows } = await sql<{ id: string; merchantId: string }>`select id, merchant_id as "merchantId"
    from withdrawals where id = any(${[...ids]}::uuid[]) order by created_at, id`.execute(db)
  let attached = 0
  for (const { id, merchantId } of rows)
    if ('printed' in (await operate('withdrawal attach', merchantId, id))) attached += 1
  return attached
}

const givenBack: Action = {
  name: 'payments of a late worker are given back by another one',
  weight: (simulation) =>
    isComplete(simulation) && simulation.together === 1 && accountChains(simulation).length > 0 ? 6 : 0,
  run: async (simulation, random) => {
    const { faults, problems, signer } = simulation
    const chain = random.pick(accountChains(simulation))
    const { network } = chain
    const { ticker, planned } = await placeAndPlan(simulation, random, chain, random.pick([1, 4]))
    const why = random.pick(['stopped', 'refused'] as const)
    const isAtSigner = why === 'refused' && random.chance(0.5)
    const stall = isAtSigner
      ? faults.stall('signer', random.int(Math.max(planned.size, 1)))
      : faults.stall('database of the worker', random.int(STATEMENTS[why]))
    let [count, back] = [signer.requested.length, new Set<string>()]
    const stood = await during(simulation, stall, sendingOf(simulation, chain), async () => {
      await giveBack(simulation, chain, why, ticker)
      const abandoned = await outgoingIn(simulation, network, 'abandoned')
      const asked = await askedAmong(simulation, planned)
      back = new Set([...planned].filter((id) => abandoned.has(id) && !asked.has(id)))
      count = signer.requested.length
    })
    for (const id of idsAmong(signer.requested.slice(count), back))
      problems.push(`the signer was asked to sign ${id} after another worker gave it back`)
    problems.push(...(await compareStored(simulation)))
    await mine(simulation, chain, 1)
    await carry(simulation, chain)
    const attached = await attachSigned(simulation)
    await carry(simulation, chain)
    await mine(simulation, chain, 1)
    const where = isAtSigner ? 'at the signer' : 'in the database'
    return `${network} ${ticker} ${planned.size} ${why} ${where}: ${stood ? `stood still, ${back.size} given back` : 'had ended'}, ${attached} attached`
  },
}

/** How many of the transactions each hot address sends, and how many of these are signed. */
const bySender = async (
  { db }: Simulation,
  planned: ReadonlySet<string>,
  signed: readonly string[],
): Promise<{ planned: number; signed: number }[]> => {
  const { rows } = await sql<{ planned: number; signed: number }>`select count(*)::int as planned,
      count(*) filter (where id = any(${[...signed]}::uuid[]))::int as signed
    from outgoing where id = any(${[...planned]}::uuid[]) group by senders[1]`.execute(db)
  return rows
}

/** A stop holds for payments that the signer is not asked about yet: of the address whose request stands still. */
const stoppedBetweenGroups: Action = {
  name: 'a stop is made while many payments are signed',
  weight: (simulation) =>
    isComplete(simulation) && simulation.together === 1 && accountChains(simulation).length > 0 ? 1 : 0,
  run: async (simulation, random) => {
    const { faults, problems, signer } = simulation
    const chain = random.pick(accountChains(simulation))
    const count = signer.signed.length
    // One of an earlier step may be signed alone, before the first group.
    const earlier = await outgoingIn(simulation, chain.network, 'planned')
    const { ticker, planned } = await placeAndPlan(simulation, random, chain, MANY)
    const own = new Set([...planned].filter((id) => !earlier.has(id)))
    const stoppable = await stoppedBy(simulation, ticker, own)
    const stall = faults.stall('signer', random.int(GROUP))
    const stood = await during(simulation, stall, sendingOf(simulation, chain), () => stop(simulation, ticker))
    const signed = idsAmong(signer.signed.slice(count), stoppable)
    const senders = await bySender(simulation, planned, signed)
    if (stood && senders.every((one) => one.signed > GROUP))
      problems.push(
        `${signed.length} payments were signed although ${ticker} was stopped while the first ${GROUP} were`,
      )
    await liftOwnStops(simulation)
    await carry(simulation, chain)
    await mine(simulation, chain, 1)
    return `${chain.network} ${ticker} ${planned.size}: ${stood ? 'stood still' : 'had ended'}, ${signed.length} signed`
  },
}

export const LATE_WORKERS: readonly Action[] = [givenBack, stoppedBetweenGroups]
