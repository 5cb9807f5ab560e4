/**
 * The roles of an installation in this process, composed as `bursar serve` composes them. Nothing runs by itself: the
 * simulation runs each job and each watcher step by step. A role can be killed: its connections end, and its memory is
 * never used again.
 */
import { createSecretKey } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { pino } from 'pino'
import { createAdapters, identityOf } from '../../../server/src/adapters/chains/index.ts'
import { createHttpRateSource } from '../../../server/src/adapters/rates/http.ts'
import { createSources } from '../../../server/src/adapters/rates/sources.ts'
import { createRests } from '../../../server/src/adapters/rests.ts'
import { connectSigner } from '../../../server/src/adapters/signer/index.ts'
import { openVenue } from '../../../server/src/adapters/venues/settings.ts'
import { createApi, createWatchers, createWorkerJobs, type World } from '../../../server/src/app/composition/index.ts'
import { mostHotAddresses } from '../../../server/src/app/composition/policy.ts'
import { createRequestMeter, STREAM_LIMITS } from '../../../server/src/app/http/index.ts'
import { loadConfig, signerAddress, tokensOf, type Opened } from '../../../server/src/app/installation/open.ts'
import { worldOf } from '../../../server/src/app/installation/world.ts'
import { createLogMemory, ensureWallets, requireSameKeys } from '../../../server/src/chain/transactions/index.ts'
import type { Watcher } from '../../../server/src/chain/watcher/index.ts'
import { createDirectory, createEndpoints } from '../../../server/src/merchants/accounts/index.ts'
import { mailExhausted } from '../../../server/src/merchants/mail/index.ts'
import { createDelivery } from '../../../server/src/merchants/webhooks/index.ts'
import { createAddressHolders } from '../../../server/src/pay-out/withdrawals/index.ts'
import { createSecretRing, deriveKey } from '../../../server/src/platform/config/secrets.ts'
import { createDb, createPool, type PoolSettings } from '../../../server/src/platform/db/index.ts'
import type { Job } from '../../../server/src/platform/jobs/index.ts'
import { createOutbound } from '../../../server/src/platform/outbound/index.ts'
import { createLog } from '../../../server/src/platform/process/log.ts'
import { createClock } from '../../../server/src/platform/runtime/clock.ts'
import { requireSameDatabase } from '../../../server/src/platform/runtime/installation.ts'
import { createIds } from '../../../server/src/platform/runtime/ids.ts'
import { momentOf } from '../../../server/src/platform/runtime/runtime.ts'
import { ensureColdAddresses } from '../../../server/src/treasury/cold/index.ts'
import { startPostgresFront } from '../fronts/postgres.ts'
import type { Faults } from '../faults.ts'
import { callHere } from '../venue/calls.ts'
import type { VirtualClock } from '../virtual.ts'
import { nameStatements } from './named.ts'

/** Resources of a role; a role that is killed does not get to close them in order. */
type Close = () => unknown

export interface RunningRole {
  readonly jobs: readonly Job[]
  /** by network; empty unless it watches */
  readonly watchers: ReadonlyMap<Network, Watcher>
  /** origin of the merchant API; null unless it serves it */
  readonly api: string | null
  /** a fault has ended its process */
  readonly crashed: boolean
  /** Ends its connections in the middle of its work. Resolves when nothing of it is left. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface RoleOptions {
  role: 'api' | 'worker' | 'watcher'
  env: Record<string, string>
  faults: Faults
  clock: VirtualClock
  /** by which faults of its database are decided; that of its role when absent */
  front?: string
}

export const startRole = async ({ role, env, faults, clock, ...options }: RoleOptions): Promise<RunningRole> => {
  const name = options.front ?? `database of the ${role}`
  const front = await startPostgresFront(env['DATABASE_URL']!, name, faults)
  const closes: Close[] = []
  const opened = open(role, env, front.url, clock)
  const { runtime } = opened
  closes.push(opened.close)
  const end = async (): Promise<void> => {
    for (const close of closes.toReversed()) await Promise.resolve(close()).catch(() => {})
    await front.close()
  }
  const kill = async (): Promise<void> => {
    front.refusing = true
    front.cut()
    await end()
  }
  try {
    const world = worldOf(opened)
    await requireSameDatabase(runtime.db, momentOf(runtime))
    await requireSameKeys(runtime.db, world.wallet)
    const parts = await PARTS[role](opened, world, closes)
    return {
      jobs: [],
      watchers: new Map(),
      api: null,
      ...parts,
      get crashed() {
        return front.crashed
      },
      kill,
      stop: end,
    }
  } catch (error) {
    await kill()
    throw error
  }
}

/** Of all roles: a log of its own would go on writing after its role was killed. */
const OUTPUT = pino.destination({ sync: true })

const open = (role: RoleOptions['role'], env: Record<string, string>, url: string, { now }: VirtualClock): Opened => {
  const config = loadConfig(env, role)
  const pool: PoolSettings = { url, applicationName: `bursar ${role}`, max: config.databaseConnections }
  const connections = nameStatements(createPool(pool))
  // An idle connection would be closed by real time: which ones a job gets later would differ between runs.
  connections.options.idleTimeoutMillis = 0
  return {
    config,
    runtime: {
      db: createDb(connections),
      clock: createClock(now),
      newId: createIds(now),
      log: createLog(config.logLevel, role, OUTPUT),
    },
    pool,
    policies: config.policy!,
    connections: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: () => connections.end(),
  }
}

type Parts = Partial<Pick<RunningRole, 'jobs' | 'watchers' | 'api'>>

const startApi = async (opened: Opened, world: World, closes: Close[]): Promise<Parts> => {
  const { config, runtime, pool } = opened
  const directory = createDirectory(runtime.db, createSecretRing(config.dataKeys))
  const api = createApi(world, directory, pool, {
    window: { maxAge: config.timestampMaxAge, maxAhead: config.timestampMaxAhead },
    requestsPerMinute: config.requestsPerMinute,
    refusalsPerMinute: config.refusalsPerMinute,
    trustedProxies: config.trustedProxies,
    mostConnections: config.mostConnections,
    meter: createRequestMeter(),
    fingerprintKeys: config.dataKeys.map((key) => createSecretKey(deriveKey(key, 'request fingerprints'))),
    pages: {
      postsPerMinute: config.pagePostsPerMinute,
      getsPerMinute: config.pageGetsPerMinute,
      streams: { ...STREAM_LIMITS, perAddress: config.pageStreamsPerAddress },
    },
    addressStock: config.addressStock,
    dataKeys: config.dataKeys,
    chainIds: chainIdsOf(opened),
    isStopping: () => false,
  })
  closes.push(() => api.close())
  return { jobs: api.jobs, api: await api.server.listen({ host: '127.0.0.1', port: 0 }) }
}

const startWorker = async (opened: Opened, world: World, closes: Close[]): Promise<Parts> => {
  const { config, runtime, pool } = opened
  await ensureWallets(runtime.db, world.wallet, momentOf(runtime), mostHotAddresses(world.policies))
  await ensureColdAddresses(runtime.db, world.policies.treasury, world.wallet.bitcoinChain, momentOf(runtime))
  const directory = createDirectory(runtime.db, createSecretRing(config.dataKeys))
  const signer = connectSigner(signerAddress(config), createLogMemory(runtime.db, runtime.clock.now))
  closes.push(() => signer.close())
  const outbound = createOutbound({
    allowPrivate: config.outboundAllow,
    allowHttp: config.httpWebhooks,
    ports: config.webhookPorts,
  })
  closes.push(() => outbound.close())
  const delivery = createDelivery({
    runtime,
    database: pool,
    outbound,
    endpointOf: createEndpoints(directory, runtime.clock),
    box: createSecretRing(config.dataKeys),
    onExhausted: mailExhausted,
  })
  closes.push(() => delivery.close())
  const holders = createAddressHolders(pool)
  closes.push(() => holders.close())
  const adapters = createAdapters(config.networks!, tokensOf(world.catalogue))
  for (const adapter of adapters.values()) closes.push(() => adapter.close())
  const rests = createRests(runtime.clock.now)
  const hedging = config.exchange!.hedging
  const venue = hedging && openVenue(hedging.venue, rests, callHere(runtime.clock.now))
  closes.push(() => venue?.close())
  const jobs = createWorkerJobs(world, {
    adapters,
    chainIds: chainIdsOf(opened),
    signer,
    sources: [createHttpRateSource({ url: config.ratesUrl! })],
    market: {
      ...createSources(config.exchange!.sources, runtime.clock.now, rests),
      rules: config.exchange!.marketRules,
    },
    venue,
    delivery,
    holders,
    pause: async () => {},
  })
  return { jobs }
}

const startWatcher = async (opened: Opened, world: World, closes: Close[]): Promise<Parts> => {
  const { config, runtime, pool } = opened
  await ensureWallets(runtime.db, world.wallet, momentOf(runtime), mostHotAddresses(world.policies))
  await ensureColdAddresses(runtime.db, world.policies.treasury, world.wallet.bitcoinChain, momentOf(runtime))
  const adapters = createAdapters(config.networks!, tokensOf(world.catalogue))
  for (const adapter of adapters.values()) closes.push(() => adapter.close())
  const networks = [...adapters.keys()]
  const identities = new Map(networks.map((network) => [network, identityOf(config.networks!, network)]))
  const watchers = createWatchers(world, adapters, identities, pool, async () => {})
  return { watchers: new Map(networks.map((network, at) => [network, watchers[at]!])) }
}

const PARTS = { api: startApi, worker: startWorker, watcher: startWatcher }

const chainIdsOf = ({ config }: Opened): Map<Network, bigint> =>
  new Map(
    Object.entries(config.networks!).flatMap(([name, chain]) =>
      'chainId' in chain ? [[name as Network, BigInt(chain.chainId)]] : [],
    ),
  )
