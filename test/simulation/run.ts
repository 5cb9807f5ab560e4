/** One run of the simulation: steps drawn by the seed, and checks whenever everything has come to rest. */
import { ACQUIRERS } from './actions/acquirers.ts'
import { ORDERS_AT_ONCE } from './actions/at-once.ts'
import { CARD_RETURNS } from './actions/card-returns.ts'
import { CARD_STORIES } from './actions/card-stories.ts'
import { CARDS } from './actions/cards.ts'
import { CLAIMS } from './actions/claims.ts'
import { COLD_STORAGE } from './actions/cold.ts'
import { EXCHANGES } from './actions/exchanges.ts'
import { FAULTY } from './actions/faults.ts'
import { KEYS } from './actions/keys.ts'
import { LATE_WORKERS } from './actions/late-workers.ts'
import { LAST_COIN } from './actions/last-coin.ts'
import { LINKS } from './actions/links.ts'
import { LOST_MONEY } from './actions/lost-money.ts'
import { MEMBER_CARDS } from './actions/member-cards.ts'
import { MEMBER_CLAIMS } from './actions/member-claims.ts'
import { MEMBER_REFUNDS } from './actions/member-refunds.ts'
import { MEMBERS } from './actions/members.ts'
import { MERCHANTS } from './actions/merchants.ts'
import { assetsOf, fill, fillAcquirers, fundExchange, give, OPERATORS } from './actions/operators.ts'
import { OLD_PRICES } from './actions/old-prices.ts'
import { PASSED_ON } from './actions/passed-on.ts'
import { PAYERS } from './actions/payers.ts'
import { PRICED } from './actions/priced.ts'
import { changePolicy, POLICIES } from './actions/policies.ts'
import { POLICY_STORIES } from './actions/policy-stories.ts'
import { killRole, PROGRAM } from './actions/program.ts'
import { enrolSigner, RETURNS } from './actions/returns.ts'
import { SCREENING } from './actions/screening.ts'
import { WORLD } from './actions/world.ts'
import { GREEDY } from './actions/greedy.ts'
import { SENT } from './actions/sent.ts'
import { SHOWN } from './actions/shown.ts'
import { STALLED } from './actions/stalled.ts'
import { SWEEP_COIN } from './actions/sweep-coin.ts'
import { THIEF } from './actions/thief.ts'
import { stockVenue, VENUE_ACTIONS } from './actions/venue.ts'
import { WEBHOOKS } from './actions/webhooks.ts'
import type { Random } from '../../sandbox/random.ts'
import { drawAction, type Action } from './actions/action.ts'
import { compareBooks } from './model/compare.ts'
import { compareCustody } from './model/custody.ts'
import { compareDelivered } from './model/delivered.ts'
import { createConfirmationJudge } from './model/confirmations.ts'
import { compareHedges } from './model/hedges.ts'
import { compareNotifications } from './model/notifications.ts'
import { compareStored } from './model/stored.ts'
import { compareStoredCards } from './model/stored-cards.ts'
import { openAlerts } from '../../server/src/platform/runtime/alerts.ts'
import { checkInvariants } from '../../server/src/treasury/invariants/index.ts'
import { settle } from './settle.ts'
import { openSimulation, ROLES, type Simulation, type SimulationOptions } from './simulation.ts'
import { processorTimes, timed, type Time, type Times } from './times.ts'

export interface RunOptions extends SimulationOptions {
  /** least number of operations */
  ops: number
  /** operations between two rests; at the end of a run there is one anyway */
  restEvery?: number
  /** the last step, when it comes before the operations are reached */
  lastStep?: number
  /** a subject whose actions are drawn more often than usual */
  emphasis?: Subject
  /** steps to leave out; the others do not change, because each has its own random numbers */
  skip?: ReadonlySet<number>
}

export interface RunResult {
  /** of the trace */
  hash: string
  ops: number
  steps: number
  /** by front and kind */
  faults: ReadonlyMap<string, number>
  /** empty: nothing was violated */
  problems: readonly string[]
  /** by action, and of the parts of rests */
  times: ReadonlyMap<string, Time>
  /** processor time by program since the run began, ms */
  processor: ReadonlyMap<string, number>
  /** how many rounds of rests each job, watcher or counterparty has made necessary */
  restless: ReadonlyMap<string, number>
  /** its newest lines */
  trace: readonly string[]
}

const ACTIONS: readonly Action[] = [
  ...PROGRAM,
  ...WORLD,
  ...FAULTY,
  ...PAYERS,
  ...MERCHANTS,
  ...LINKS,
  ...PRICED,
  ...MEMBERS,
  ...POLICIES,
  ...POLICY_STORIES,
  ...MEMBER_CARDS,
  ...MEMBER_REFUNDS,
  ...MEMBER_CLAIMS,
  ...KEYS,
  ...EXCHANGES,
  ...CARDS,
  ...ACQUIRERS,
  ...SCREENING,
  ...RETURNS,
  ...VENUE_ACTIONS,
  ...OPERATORS,
  ...GREEDY,
  ...SENT,
  ...STALLED,
  ...LATE_WORKERS,
  ...LOST_MONEY,
  ...SHOWN,
  ...PASSED_ON,
  ...LAST_COIN,
  ...SWEEP_COIN,
  ...COLD_STORAGE,
  ...OLD_PRICES,
  ...CARD_STORIES,
  ...CARD_RETURNS,
  ...ORDERS_AT_ONCE,
  ...CLAIMS,
  ...WEBHOOKS,
  ...THIEF,
]
/** Actions of a subject, which a run can have more of. */
export const SUBJECTS = {
  cards: new Set([...CARDS, ...CARD_STORIES, ...CARD_RETURNS, ...ACQUIRERS]),
  answers: new Set([...CARD_STORIES, ...CARD_RETURNS]),
  exchange: new Set([
    ...EXCHANGES,
    ...OLD_PRICES,
    ...VENUE_ACTIONS,
    ...MERCHANTS.filter(({ name }) => name === 'exchange'),
  ]),
  payers: new Set([
    ...PAYERS,
    ...SCREENING,
    ...LOST_MONEY,
    ...SHOWN,
    ...PASSED_ON,
    ...LINKS,
    ...WORLD.filter(({ name }) => name === 'reorganise' || name === 'node speaks otherwise'),
  ]),
  orders: new Set([...ORDERS_AT_ONCE, ...GREEDY, ...MERCHANTS.filter(({ name }) => name.startsWith('withdraw'))]),
  payouts: new Set([...SENT, ...STALLED, ...LATE_WORKERS, ...LAST_COIN, ...SWEEP_COIN, ...GREEDY]),
  cold: new Set(COLD_STORAGE),
  workers: new Set([...STALLED, ...LATE_WORKERS, ...LAST_COIN, ...SWEEP_COIN]),
  requests: new Set(ORDERS_AT_ONCE),
  signer: new Set(THIEF),
  blocks: new Set([...SHOWN, ...PASSED_ON]),
  greedy: new Set(GREEDY),
  links: new Set([...LINKS, ...PRICED]),
  policies: new Set(POLICY_STORIES),
  claims: new Set([...CLAIMS, ...MEMBER_CLAIMS]),
  members: new Set([...MEMBERS, ...POLICIES, ...POLICY_STORIES, ...MEMBER_CARDS, ...MEMBER_REFUNDS]),
  webhooks: new Set(WEBHOOKS),
} satisfies Record<string, ReadonlySet<Action>>
export type Subject = keyof typeof SUBJECTS
/** Weight of the actions of the emphasised subject, compared with their usual weight. */
const EMPHASIS = 6
/** Stories are rare, and each of those about two that meet tries one place and one event of many. */
const EMPHASIS_OF_STORIES = 40
const STORIES: ReadonlySet<Subject> = new Set([
  'workers',
  'requests',
  'cold',
  'answers',
  'blocks',
  'greedy',
  'links',
  'policies',
])

const REST_EVERY = 2_000
const TRACE_LINES = 200

export const simulate = async ({
  ops,
  restEvery = REST_EVERY,
  lastStep = Number.POSITIVE_INFINITY,
  skip = new Set(),
  emphasis,
  ...options
}: RunOptions): Promise<RunResult> => {
  const before = processorTimes()
  const times: Times = new Map()
  const simulation = await timed(times, 'open', () => openSimulation(options))
  const restless = new Map<string, number>()
  const settleAll = (): Promise<string[]> => settle(simulation, { times, restless })
  const factor = emphasis !== undefined && STORIES.has(emphasis) ? EMPHASIS_OF_STORIES : EMPHASIS
  const more = emphasis && { actions: SUBJECTS[emphasis], factor }
  let step = 0
  const result = (problems: readonly string[]): RunResult => ({
    hash: simulation.trace.hash(),
    ops: simulation.operations,
    steps: step,
    faults: simulation.faults.counts,
    problems,
    times,
    processor: new Map([...processorTimes()].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)])),
    restless,
    trace: simulation.trace.newest(TRACE_LINES),
  })
  try {
    await timed(times, 'begin', () => begin(simulation, settleAll))
    const judgeConfirmations = createConfirmationJudge(simulation)
    const isOver = (): boolean => simulation.operations >= ops || step >= lastStep
    for (let nextRest = restEvery; !isOver(); nextRest += restEvery) {
      while (!isOver() && simulation.operations < nextRest) {
        step += 1
        if (!skip.has(step)) await takeStep(simulation, step, times, more)
        await judgeConfirmations()
        if (simulation.problems.length > 0) return result(simulation.problems)
      }
      simulation.faults.begin(-step)
      const problems = await rest(simulation, times, settleAll)
      if (problems.length > 0) return result([...problems, ...(await openAlertLines(simulation))])
    }
    return result([])
  } finally {
    await simulation.close()
  }
}

/** A change of a policy that allows more waits for a day. */
const POLICY_WAITS_MS = 86_400_000

/** An address of the sanctions list that does nothing here. */
const LISTED = '0x1111111111111111111111111111111111111111'

/** The owner's money is in the hot wallets and posted before merchants begin. */
const begin = async (simulation: Simulation, settleAll: () => Promise<string[]>): Promise<void> => {
  simulation.trace.add(simulation.acquirers.accounts.map((one) => `${one.name}: ${one.interface.name}`).join(', '))
  for (const { network, front } of simulation.chains)
    front.setDialect(front.drawDialects(simulation.random.of('dialects', network)))
  // Without a list nothing is cleared.
  await simulation.sanctions.add([LISTED])
  await enrolSigner(simulation)
  for (const role of ROLES) await simulation.startRole(role)
  // The last merchant has no policy until its owner changes it. The others' is in force a day later.
  for (const { name } of simulation.merchants.slice(0, -1))
    simulation.trace.add(await changePolicy(simulation, name, simulation.random.of('policy', name)))
  simulation.clock.advance(POLICY_WAITS_MS)
  // A watcher begins at a final block: payments before it are not read.
  for (const watcher of simulation.roles.get('watcher')!.watchers.values()) await watcher.step()
  for (const { network, assets } of simulation.chains)
    for (const { ticker } of assets)
      if (simulation.catalogue.findCrypto(ticker)?.networks.has(network)) await fill(simulation, network, ticker)
  await settleAll()
  await fillAcquirers(simulation)
  for (const { ticker } of assetsOf(simulation)) {
    await fundExchange(simulation, ticker)
    for (const merchant of simulation.merchants) await give(simulation, merchant, ticker)
  }
  await stockVenue(simulation)
}

/** The share of steps with several concurrent actions, unless in single-step mode. */
const AT_ONCE = 0.1

const takeStep = async (
  simulation: Simulation,
  step: number,
  times: Times,
  more?: { actions: ReadonlySet<Action>; factor: number },
): Promise<void> => {
  const random = simulation.random.of('step', step)
  simulation.faults.begin(step)
  const together = !simulation.singleStep && random.chance(AT_ONCE) ? 2 + random.int(4) : 1
  simulation.together = together
  const lines = await Promise.all(
    Array.from({ length: together }, async (_, at) => {
      const drawn = random.of('action', at)
      const action = drawAction(ACTIONS, simulation, drawn, more)
      simulation.countMore(1)
      return `${step} ${action.name}: ${await timed(times, action.name, () => runAction(simulation, action, drawn))}`
    }),
  )
  for (const line of lines) simulation.trace.add(line)
  await endCrashed(simulation)
}

/** A command of the program that fails otherwise than by its own refusals is a problem, and the run can be repeated. */
const runAction = async (simulation: Simulation, { name, run }: Action, random: Random): Promise<string> => {
  try {
    return await run(simulation, random)
  } catch (error) {
    simulation.problems.push(`${name}: failed: ${(error as Error).message}`)
    return `failed: ${(error as Error).stack}`
  }
}

/** A role whose process a fault has ended is gone for the next step. */
const endCrashed = async (simulation: Simulation): Promise<void> => {
  for (const [name, role] of simulation.roles)
    if (role.crashed) {
      await killRole(simulation, name)
      simulation.trace.add(`the ${name} has ended`)
    }
}

/** The program's open alerts, beside the model's findings. */
const openAlertLines = async ({ db }: Simulation): Promise<string[]> =>
  (await openAlerts(db)).map(({ kind, text }) => `alert ${kind}: ${text}`)

const rest = async (simulation: Simulation, times: Times, settleAll: () => Promise<string[]>): Promise<string[]> => {
  const unable = await timed(times, 'settle', settleAll)
  if (unable.length > 0) return unable
  const violations = await timed(times, 'invariants', () => checkInvariants(simulation.db))
  return [
    ...simulation.problems,
    ...(await timed(times, 'compare', () => compareBooks(simulation))),
    ...(await compareHedges(simulation)),
    ...(await compareCustody(simulation)),
    ...(await compareStored(simulation)),
    ...(await compareStoredCards(simulation)),
    ...compareNotifications(simulation),
    ...(await compareDelivered(simulation)),
    ...violations.map(({ invariant, text }) => `${invariant}: ${text}`),
  ]
}
