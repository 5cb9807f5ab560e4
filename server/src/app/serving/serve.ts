import type { Network } from '@bursar/chainkit'
import { createSecretKey } from 'node:crypto'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdapters, identityOf, nodeNameOf, nodesOf, quorumOf } from '../../adapters/chains/index.ts'
import { surveyForRole, type NodeRole } from '../../adapters/chains/survey/index.ts'
import { createHttpRateSource } from '../../adapters/rates/http.ts'
import { createSources } from '../../adapters/rates/sources.ts'
import { createRests } from '../../adapters/rests.ts'
import { connectSigner, type Signer } from '../../adapters/signer/index.ts'
import { openVenue } from '../../adapters/venues/settings.ts'
import {
  createApi,
  createNodeFitnessJob,
  createNodeStatusJob,
  createWatchers,
  createWorkerJobs,
  requireFitNode,
  surveyDecimals,
  type World,
} from '../composition/index.ts'
import { ensureColdAddresses } from '../../treasury/cold/index.ts'
import { listen, type Listener } from '../../platform/db/index.ts'
import { createRequestMeter, STREAM_LIMITS, type RequestMeter } from '../http/index.ts'
import { createJobLoop, type Job, type JobWatch } from '../../platform/jobs/index.ts'
import { mailExhausted } from '../../merchants/mail/index.ts'
import { createAlertingJob } from '../alerting/jobs.ts'
import { openReceivers } from '../alerting/receivers.ts'
import { startMailing } from '../composition/mailing.ts'
import { createDirectory, createEndpoints } from '../../merchants/accounts/index.ts'
import { createOutbound } from '../../platform/outbound/index.ts'
import { createLogMemory, ensureWallets, requireSameKeys, type PausePoint } from '../../chain/transactions/index.ts'
import { mostHotAddresses } from '../composition/policy.ts'
import { followOffset, readClockOffset } from '../../platform/runtime/business-clock.ts'
import type { Role } from '../../platform/config/settings.ts'
import { requireSameDatabase } from '../../platform/runtime/installation.ts'
import { createLifeJob, lifeMetrics } from './living.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { runParts, type Started, type Stop } from './parts.ts'
import { createInnerServer } from '../../platform/process/metrics.ts'
import { VERSION } from '../../platform/process/version.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createSecretRing, deriveKey } from '../../platform/config/secrets.ts'
import { createDelivery } from '../../merchants/webhooks/index.ts'
import { exchangeMetricsOf } from '../observability/metrics-exchange.ts'
import { createJobMeter, createSignerMeter } from '../observability/meters.ts'
import { startTracing } from '../observability/tracing.ts'
import { metricsOf, poolMetrics } from '../observability/metrics.ts'
import { createAddressHolders } from '../../pay-out/withdrawals/index.ts'
import {
  openInstallation,
  required,
  signerAddress,
  tokensOf,
  type Environment,
  type Opened,
} from '../installation/open.ts'
import { jobWatch } from './job-watch.ts'
import { pausePoints } from './pausing.ts'
import { startAnnouncing } from './announcer.ts'
import { createWaking, type Waking } from './waking.ts'
import { worldOf } from '../installation/world.ts'

/**
 * Serves a role until SIGTERM or SIGINT, or until a part of it fails. Then it accepts no more work, finishes the work
 * in progress, and closes.
 */
export const serve = async (role: Exclude<Role, 'cli'>, env: Environment): Promise<void> => {
  const opened = await openInstallation(env, role)
  const { runtime } = opened
  const { ended, fail } = untilEnded()
  const readiness = createReadiness()
  readiness.add('database', () => readClockOffset(runtime.db))
  const start = async (started: Started): Promise<void> => {
    started(opened.close)
    await startParts(role, env, opened, { started, fail, readiness })
    readiness.began()
  }
  const drained = drainedAfter(ended, opened, readiness)
  // Nothing awaits it before all parts have started.
  drained.catch(() => {})
  await runParts(start, drained, () => {
    readiness.stops()
    runtime.log.info('stopping')
    // A hanging part must not keep the process alive: all durable state is in the database.
    void sleep(LONGEST_STOP_MS, undefined, { ref: false }).then(() => process.exit(1))
  })
}

const startParts = async (
  role: Exclude<Role, 'cli'>,
  env: Environment,
  opened: Opened,
  { started, fail, readiness }: { started: Started; fail(error: Error): void; readiness: Readiness },
): Promise<void> => {
  const { config, runtime } = opened
  const world = worldOf(opened)
  const has = (one: Role): boolean => role === one || role === 'all'
  const meter = createRequestMeter()
  const meters = { jobs: createJobMeter(), signer: createSignerMeter() }
  const watch: JobWatch = { ...jobWatch(runtime), ran: meters.jobs.ran }
  const tracing = startTracing(role, opened)
  started(tracing.close)
  const counted = [
    ...tracing.metrics,
    ...meters.jobs.metrics,
    ...(has('worker') ? meters.signer.metrics : []),
    ...(has('api') ? meter.metrics : []),
  ]
  // First, so that it is stopped last: probes get answers while the other parts start and stop.
  if (config.inner.port !== 0) started(await startInner(opened, world, readiness, counted))
  // The clock was read before the inner server answered. The control server of a sandbox skips a role that does not
  // answer, so the role reads it again.
  if (config.sandbox) await followOffset(runtime, true)
  await requireSameDatabase(runtime.db, momentOf(runtime))
  await requireSameKeys(runtime.db, world.wallet)
  const directory = createDirectory(runtime.db, createSecretRing(config.dataKeys))
  const waking = createWaking()
  started(startAnnouncing(runtime.db, has('worker') ? waking.announced : undefined))
  // A watcher needs no merchants' keys, and has no right to read them.
  started(closing(followChanges(opened, has('api') || has('worker') ? directory : null, waking)))
  // The api has no right to change which addresses are the platform's.
  if (has('worker') || has('watcher')) {
    await ensureWallets(runtime.db, world.wallet, momentOf(runtime), mostHotAddresses(world.policies))
    await ensureColdAddresses(runtime.db, world.policies.treasury, world.wallet.bitcoinChain, momentOf(runtime))
  }
  if (has('watcher')) started(startWatchers(world, opened, pausePoints(env), { readiness, watch }))
  const signer = has('worker')
    ? meters.signer.metered(connectSigner(signerAddress(config), createLogMemory(runtime.db, runtime.clock.now)))
    : undefined
  if (signer) {
    readiness.add('signer', () => signer.status())
    await startWorker(world, opened, directory, env, { signer, watch, waking }, started)
  }
  if (has('api')) await startApi(world, opened, directory, { meter, readiness, watch }, env, started)
  started(startLife(role, opened, watch, { fail, ...(signer && { askSigner: () => signer.status() }) }))
  runtime.log.info({ role, version: VERSION }, 'ready')
  process.send?.('ready')
}

const startLife = (
  role: Exclude<Role, 'cli'>,
  { runtime }: Opened,
  watch: JobWatch,
  watching: Parameters<typeof createLifeJob>[2],
): Stop => {
  const roles = role === 'all' ? (['api', 'worker', 'watcher'] as const) : ([role] as const)
  const loop = createJobLoop([createLifeJob(runtime, roles, watching)], runtime.log, watch)
  return () => loop.stop()
}

const closing = (listener: Listener) => () => listener.close()

/**
 * Subscribes to changes of merchants and of the business clock, and to work for jobs. After a lost connection all
 * cached values are discarded.
 */
const followChanges = (
  { config, runtime, pool }: Opened,
  directory: ReturnType<typeof createDirectory> | null,
  waking: Waking,
): Listener => {
  // One after the other: a slow reading must not replace the result of a later one.
  let followed = Promise.resolve()
  const followClock = (): void => {
    followed = followed
      .then(() => followOffset(runtime, config.sandbox))
      .then(waking.announced)
      .catch((err: unknown) => runtime.log.warn({ err }, 'the business clock could not be read'))
  }
  return listen(pool, ['merchant_changed', 'business_clock', ...waking.channels], {
    connected: () => {
      waking.connected()
      directory?.forgetAll()
      followClock()
    },
    notified: (channel, payload) => {
      if (channel === 'merchant_changed') directory?.forget(payload)
      else if (waking.channels.includes(channel)) waking.notified(channel, payload)
      else followClock()
    },
  })
}

const startApi = async (
  world: World,
  { config, runtime, pool }: Opened,
  directory: ReturnType<typeof createDirectory>,
  { meter, readiness, watch }: { meter: RequestMeter; readiness: Readiness; watch: JobWatch },
  env: Environment,
  started: Started,
): Promise<void> => {
  const api = createApi(world, directory, pool, {
    window: { maxAge: config.timestampMaxAge, maxAhead: config.timestampMaxAhead },
    requestsPerMinute: config.requestsPerMinute,
    refusalsPerMinute: config.refusalsPerMinute,
    trustedProxies: config.trustedProxies,
    mostConnections: config.mostConnections,
    meter,
    fingerprintKeys: config.dataKeys.map((key) => createSecretKey(deriveKey(key, 'request fingerprints'))),
    pages: {
      postsPerMinute: config.pagePostsPerMinute,
      getsPerMinute: config.pageGetsPerMinute,
      streams: { ...STREAM_LIMITS, perAddress: config.pageStreamsPerAddress },
    },
    addressStock: config.addressStock,
    dataKeys: config.dataKeys,
    chainIds: chainIdsOf(required(config.networks, 'BURSAR_NETWORKS_FILE')),
    pause: pausePoints(env),
    isStopping: readiness.isStopping,
  })
  started(() => api.close())
  await api.server.listen({ host: config.http.host, port: config.http.port })
  runtime.log.info({ address: `${config.http.host}:${config.http.port}` }, 'the merchant API listens')
  const loop = createJobLoop(api.jobs, runtime.log, watch)
  started(() => loop.stop())
}

const chainIdsOf = (networks: NonNullable<Opened['config']['networks']>): Map<Network, bigint> =>
  new Map(
    Object.entries(networks).flatMap(([name, chain]) =>
      'chainId' in chain ? [[name as Network, BigInt(chain.chainId)]] : [],
    ),
  )

const startWorker = async (
  world: World,
  { config, runtime, pool }: Opened,
  directory: ReturnType<typeof createDirectory>,
  env: Environment,
  { signer, watch, waking }: { signer: Signer & { close(): void }; watch: JobWatch; waking: Waking },
  started: Started,
): Promise<void> => {
  const networks = required(config.networks, 'BURSAR_NETWORKS_FILE')
  started(async () => signer.close())
  const outbound = createOutbound({
    allowPrivate: config.outboundAllow,
    allowHttp: config.httpWebhooks,
    ports: config.webhookPorts,
  })
  const pause = pausePoints(env)
  const delivery = createDelivery({
    runtime,
    database: pool,
    outbound,
    endpointOf: createEndpoints(directory, runtime.clock),
    box: createSecretRing(config.dataKeys),
    onExhausted: mailExhausted,
    pause,
  })
  started(() => outbound.close())
  const mailing = await startMailing({ runtime, catalogue: world.catalogue }, config, pause)
  started(() => mailing.close())
  const { receivers, close } = openReceivers(runtime, config)
  started(async () => close())
  started(() => delivery.close())
  const holders = createAddressHolders(pool)
  started(() => holders.close())
  const rests = createRests(runtime.clock.now)
  const venue = config.exchange?.hedging ? openVenue(config.exchange.hedging.venue, rests) : null
  if (venue) started(() => venue.close())
  const adapters = createAdapters(networks, tokensOf(world.catalogue))
  const jobs: Job[] = createWorkerJobs(world, {
    adapters,
    chainIds: chainIdsOf(networks),
    signer,
    sources: config.ratesUrl === null ? [] : [createHttpRateSource({ url: config.ratesUrl })],
    market: {
      ...createSources(config.exchange?.sources ?? {}, runtime.clock.now, rests),
      rules: config.exchange?.marketRules ?? {},
    },
    venue,
    delivery,
    holders,
    pause,
  })
  const fitness = createNodeFitnessJob(nodeLook('worker', world, config, adapters), Object.keys(networks) as Network[])
  const loop = createJobLoop(
    [...jobs, ...mailing.jobs, fitness, createAlertingJob(runtime, receivers)],
    runtime.log,
    watch,
  )
  started(() => loop.stop())
  waking.follow(loop)
}

/** Creates a role's check of nodes against its requirements. */
const nodeLook = (
  role: NodeRole,
  { runtime, catalogue }: World,
  { networks }: Opened['config'],
  adapters: ReturnType<typeof createAdapters>,
): Parameters<typeof createNodeFitnessJob>[0] => {
  const tokens = tokensOf(catalogue)
  const settings = required(networks, 'BURSAR_NETWORKS_FILE')
  return {
    runtime,
    role,
    survey: (network) =>
      Promise.all(
        nodesOf(settings, network).map(async (one, at) => {
          const deps = { tokens: tokens.get(network) ?? [], now: Date.now() }
          const findings = await surveyForRole(role, one, network, deps)
          // The contracts are those of the network: they are read once, from any of its nodes.
          if (at === 0) findings.push(...(await surveyDecimals(catalogue, network, adapters.get(network)!)))
          return { name: nodeNameOf(one, network), findings }
        }),
      ),
    quorumOf: (network) => quorumOf(settings, network),
  }
}

/**
 * Starts the watchers. A network that must not be watched any further stays stopped, with its alert; the others are
 * watched.
 */
const startWatchers = (
  world: World,
  { config, runtime, pool }: Opened,
  pause: PausePoint,
  { readiness, watch }: { readiness: Readiness; watch: JobWatch },
): Stop => {
  const networks = required(config.networks, 'BURSAR_NETWORKS_FILE')
  const adapters = createAdapters(networks, tokensOf(world.catalogue))
  const identities = new Map([...adapters.keys()].map((network) => [network, identityOf(networks, network)]))
  const stopping = new AbortController()
  const look = nodeLook('watcher', world, config, adapters)
  const watchers = createWatchers(world, adapters, identities, pool, (network) => requireFitNode(look, network), pause)
  const running = watchers.map(async (watcher) => {
    const { network } = watcher.progress()
    let ended: Error | undefined
    // A watcher that waits to lead is ready: it takes over by itself.
    readiness.add(network, async () => {
      if (ended !== undefined) throw ended
    })
    try {
      await watcher.run(stopping.signal)
    } catch (err) {
      ended = err as Error
      runtime.log.fatal({ err }, 'a network is not watched any more')
    }
  })
  const nodeStatus = createJobLoop([createNodeStatusJob(runtime, adapters)], runtime.log, watch)
  return async () => {
    stopping.abort()
    await Promise.all([...running, nodeStatus.stop()])
  }
}

const startInner = async (
  { config, runtime, connections }: Opened,
  { catalogue, policies, exchange }: World,
  { missing }: Readiness,
  counted: RequestMeter['metrics'],
): Promise<Stop> => {
  const server: Server = createInnerServer(
    [
      ...lifeMetrics(runtime),
      ...metricsOf(runtime, catalogue, policies.treasury),
      ...exchangeMetricsOf(runtime, catalogue, exchange),
      ...poolMetrics(connections),
    ],
    {
      healthy: () => readClockOffset(runtime.db),
      missing,
      clockOffset: config.sandbox ? runtime.clock.offset : undefined,
    },
    counted,
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.inner.port, config.inner.host, resolve)
  })
  return () => new Promise((resolve) => server.close(() => resolve()))
}

const LONGEST_STOP_MS = 25_000

/**
 * Settles as `ended`, after the time in which load balancers learn that the process is not ready. It serves meanwhile.
 */
const drainedAfter = async (ended: Promise<void>, { config }: Opened, readiness: Readiness): Promise<void> => {
  await ended
  readiness.stops()
  await sleep(config.drainSeconds * 1_000)
}

/** Resolves when a signal asks the process to stop, and rejects when a part of it fails for good. */
const untilEnded = (): { ended: Promise<void>; fail(error: Error): void } => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  process.once('SIGTERM', resolve)
  process.once('SIGINT', resolve)
  // Nothing awaits it before all parts have started.
  promise.catch(() => {})
  return { ended: promise, fail: reject }
}
