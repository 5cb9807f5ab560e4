/** A simulated installation with everything around it, ready for its first step. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type pg from 'pg'
import { openAcquirers, readAcquirersConfig } from '../../server/src/adapters/acquirers/index.ts'
import { createRoutingTable, type RoutingTable } from '../../server/src/cards/acquiring/index.ts'
import { createDb, createPool, type Db } from '../../server/src/platform/db/index.ts'
import { createCatalogue, type AssetSettings, type Catalogue } from '../../server/src/market/assets/index.ts'
import { createIds } from '../../server/src/platform/runtime/ids.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { startAcquirers, type Acquirers } from './acquirers/index.ts'
import { openChains, type SimulatedChain } from './chains/index.ts'
import { createFaults, type FaultControl } from './faults.ts'
import { createGate } from './fronts/gate.ts'
import { forwardTo, startHttpFront, type HttpFront } from './fronts/http.ts'
import { createOperator, type Operate } from './installation/commands.ts'
import { assetsFile, signerPolicy, writeSettings } from './installation/files.ts'
import { openOffline, type Offline } from './installation/offline.ts'
import { startRole, type RunningRole } from './installation/roles.ts'
import { startSimulatedSigner, type SimulatedSigner } from './installation/signer.ts'
import { addTeam, type Member } from './members/people.ts'
import { makeMerchant, type SimulatedMerchant } from './merchants.ts'
import { createBooks, type Books } from './model/books.ts'
import { createPrices, startOrderBooks, type Prices } from './prices.ts'
import { startProvider, type Provider } from './provider.ts'
import { createRandom, type Random } from '../../sandbox/random.ts'
import { createSanctions, type Sanctions } from './sanctions.ts'
import { startReceivers, type Receivers } from './receivers.ts'
import { createTrace, type Trace } from './trace.ts'
import { startSimulatedVenue, type SimulatedVenue } from './venue/index.ts'
import { createVirtualClock, useVirtual, type VirtualClock } from './virtual.ts'

export const ROLES = ['api', 'worker', 'watcher'] as const
export type RoleName = (typeof ROLES)[number]

/** The merchant with deposits screened first. */
const HOLDING = 'M2'

export interface Simulation {
  readonly seed: string
  readonly singleStep: boolean
  /** actions of this step, at once */
  together: number
  readonly random: Random
  readonly clock: VirtualClock
  readonly faults: FaultControl
  readonly trace: Trace
  readonly chains: readonly SimulatedChain[]
  readonly catalogue: Catalogue
  readonly signer: SimulatedSigner
  readonly acquirers: Acquirers
  /** the program's accounts with acquirers, as its settings have them */
  readonly routing: RoutingTable
  readonly provider: Provider
  readonly sanctions: Sanctions
  readonly venue: SimulatedVenue
  readonly prices: Prices
  readonly receivers: Receivers
  readonly merchants: readonly SimulatedMerchant[]
  /** of all merchants */
  readonly members: readonly Member[]
  readonly books: Books
  /** violations that are visible from outside, in one line each */
  readonly problems: string[]
  /** networks whose newest blocks were replaced at least once */
  readonly reorganised: Set<Network>
  /** connections without faults, for the operator and the model */
  readonly db: Db
  /** the machine on which transfers to cold storage are signed */
  readonly offline: Offline
  /** types a command of `bursar` */
  readonly operate: Operate
  /** undefined: the role is dead */
  readonly roles: Map<RoleName, RunningRole>
  startRole(name: RoleName): Promise<void>
  /**
   * A second worker, whose exchanges with its database do not fail. The caller stops it: until the next caller has it,
   * nothing runs its jobs, and its connections and plans of statements stay.
   */
  startSecondWorker(): Promise<RunningRole>
  /** The same with an api. */
  startSecondApi(): Promise<RunningRole>
  /** operations so far: calls, payments, blocks, runs of jobs, commands */
  readonly operations: number
  /** counts operations of a step beyond its first */
  countMore(operations: number): void
  moment(): Moment
  close(): Promise<void>
}

export interface SimulationOptions {
  seed: string
  /** of an empty, migrated database */
  databaseUrl: string
  /** an empty folder of this run */
  dir: string
  print?: (line: string) => void
  /** one thing at a time: the same seed then gives the same trace */
  singleStep?: boolean
  /** chains of this run; all when absent */
  networks?: readonly Network[]
}

export const openSimulation = async (options: SimulationOptions): Promise<Simulation> => {
  const closes: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const one of closes.toReversed()) await Promise.resolve(one()).catch(() => {})
  }
  try {
    return await open(options, closes, close)
  } catch (error) {
    await close()
    throw error
  }
}

const open = async (
  { seed, databaseUrl, dir, print, networks, singleStep = false }: SimulationOptions,
  closes: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Simulation> => {
  mkdirSync(dir, { recursive: true })
  const random = createRandom(seed)
  const clock = createVirtualClock()
  closes.push(useVirtual(clock, random.of('process')))
  // Statements are compared without their parameters, so that concurrent ones of a job are often equal.
  const newId = createIds(clock.now)
  const moment = (): Moment => ({ at: new Date(clock.now()), newId })
  const pool: pg.Pool = createPool({ url: databaseUrl, applicationName: 'bursar simulation', max: 4 })
  closes.push(() => pool.end())
  const db = createDb(pool)
  const gate = singleStep ? createGate(() => lockWaits(db)) : undefined
  const faults = createFaults(random.of('faults'), (name) => singleStep && name.startsWith('database'), gate)

  // Nodes have machines of their own, with the right time.
  const world = { ...clock, now: clock.world }
  const chains = await openChains({
    random: random.of('chains'),
    clock: world,
    dir: join(dir, 'chains'),
    faults,
    ...(networks && { networks }),
  })
  for (const chain of chains) closes.push(() => chain.close())
  const signer = await startSimulatedSigner(dir, signerPolicy(chains), clock)
  closes.push(() => signer.stop())
  const front = async (
    name: string,
    forward: Parameters<typeof startHttpFront>[0]['forward'],
    socketPath?: string,
  ): Promise<HttpFront> => {
    const started = await startHttpFront({ name, faults, forward, ...(socketPath !== undefined && { socketPath }) })
    closes.push(() => started.close())
    return started
  }
  const signerFront = await front('signer', signer.forward, join(dir, 's'))
  const acquirers = await startAcquirers({ dir: join(dir, 'acquirers'), clock, faults, random: random.of('acquirers') })
  closes.push(() => acquirers.stop())
  const provider = await startProvider(faults, clock.world)
  closes.push(() => provider.stop())
  const prices = createPrices(clock.world)
  const pricesFront = await front('prices', async () => prices.answer())
  const books = await startOrderBooks(prices, clock.world)
  closes.push(() => books.stop())
  const market = await front('market', forwardTo(books.url))
  const venue = await startSimulatedVenue(faults, clock, prices)
  closes.push(() => venue.stop())
  const receivers = await startReceivers(faults, clock.now)
  closes.push(() => receivers.front.close())
  const env = writeSettings(join(dir, 'settings'), chains, {
    acquirers: acquirers.accounts.map(
      ({ name, interface: spoken, front: { url } }) =>
        (secretFile) =>
          spoken.entry({ name, url }, (file, secret) => secretFile(`${name}-${file}`, secret)),
    ),
    screening: provider.front.url,
    prices: pricesFront.url,
    market: market.url,
    venue: venue.front.url,
    database: databaseUrl,
    signer: signerFront.url,
  })
  const merchants: SimulatedMerchant[] = []
  for (const name of ['M1', 'M2', 'M3'])
    merchants.push(await makeMerchant(db, name, receivers, random.of('merchant', name), moment(), name === HOLDING))

  const members: Member[] = []
  for (const merchant of merchants) members.push(...(await addTeam(db, merchant, moment())))

  const roles = new Map<RoleName, RunningRole>()
  closes.push(async () => {
    for (const role of roles.values()) await role.stop()
  })
  /** second workers that no step uses now */
  const waiting: RunningRole[] = []
  closes.push(async () => {
    for (const worker of waiting) await worker.stop()
  })
  let operations = 0
  const operate = createOperator(env)
  const offline = await openOffline(join(dir, 'offline'), signerPolicy(chains))
  const catalogue = createCatalogue(assetsFile(chains) as AssetSettings)
  return {
    seed,
    singleStep,
    together: 1,
    random,
    clock,
    faults,
    trace: createTrace(print),
    chains,
    catalogue,
    signer,
    acquirers,
    routing: routingOf(env),
    provider,
    sanctions: createSanctions(join(dir, 'lists'), clock, operate),
    venue,
    prices,
    receivers,
    merchants,
    members,
    books: createBooks(catalogue),
    problems: [],
    reorganised: new Set(),
    db,
    offline,
    operate,
    roles,
    startRole: async (name) => {
      roles.set(name, await startRole({ role: name, env, faults, clock }))
    },
    startSecondApi: () => startRole({ role: 'api', env, faults, clock, front: 'database of the second api' }),
    startSecondWorker: async () => {
      const front = 'database of the second worker'
      const worker = waiting.pop() ?? (await startRole({ role: 'worker', env, faults, clock, front }))
      return { ...worker, stop: async () => void waiting.push(worker) }
    },
    get operations() {
      return operations
    },
    countMore: (more) => {
      operations += more
    },
    moment,
    close,
  }
}

const lockWaits = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ sessions: number }>`select count(*)::int as sessions from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]!.sessions
}

const routingOf = ({ BURSAR_ACQUIRERS_FILE: file }: Record<string, string>): RoutingTable => {
  const config = readAcquirersConfig(JSON.parse(readFileSync(file!, 'utf8')))
  return createRoutingTable([...openAcquirers(config).values()], config.routing)
}
