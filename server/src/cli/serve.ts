import type { Network } from '@bursar/chainkit'
import { createSecretKey } from 'node:crypto'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdapters, identityOf } from '../adapters/chains/index.ts'
import { createHttpRateSource } from '../adapters/rates/http.ts'
import { createSources } from '../adapters/rates/sources.ts'
import { connectSigner } from '../adapters/signer/index.ts'
import { openVenue } from '../adapters/venues/settings.ts'
import { createApi, createWatchers, createWorkerJobs, type World } from '../app/index.ts'
import { ensureColdAddresses } from '../cold/index.ts'
import { listen, type Listener } from '../db/index.ts'
import { STREAM_LIMITS } from '../http/index.ts'
import { createJobLoop, type Job } from '../jobs/index.ts'
import { tellExhausted } from '../mail/index.ts'
import { startMailing } from '../app/mailing.ts'
import { createDirectory, createEndpoints } from '../merchants/index.ts'
import { createOutbound } from '../outbound/index.ts'
import { ensureWallets } from '../outgoing/index.ts'
import { mostHotAddresses } from '../app/policy.ts'
import { readClockOffset } from '../platform/business-clock.ts'
import type { Role } from '../platform/config.ts'
import { createInnerServer } from '../platform/metrics.ts'
import { momentOf } from '../platform/runtime.ts'
import { createSecretBox, deriveKey } from '../platform/secrets.ts'
import { createDelivery } from '../webhooks/index.ts'
import { exchangeFiguresOf } from './figures-exchange.ts'
import { figuresOf } from './figures.ts'
import { createAddressHolders } from '../withdrawals/index.ts'
import { openInstallation, required, tokensOf, type Environment, type Opened } from './open.ts'
import { jobWatch } from './job-watch.ts'
import { pausePoints } from './pausing.ts'
import { worldOf } from './world.ts'

/** What a started role gives back when it is told to stop, in order. */
type Stop = () => Promise<void>

/** Serves a role until SIGTERM or SIGINT: stops taking work, ends what is under way, closes. */
export const serve = async (role: Exclude<Role, 'cli'>, env: Environment): Promise<void> => {
  const opened = await openInstallation(env, role)
  const { config, runtime } = opened
  const world = worldOf(opened)
  const directory = createDirectory(runtime.db, createSecretBox(config.dataKey))
  const stops: Stop[] = [opened.close]
  stops.push(closing(followChanges(opened, directory)))
  await ensureWallets(runtime.db, world.wallet, momentOf(runtime), mostHotAddresses(world.policies))
  await ensureColdAddresses(runtime.db, world.policies.treasury, world.wallet.bitcoinChain, momentOf(runtime))
  const has = (one: Role): boolean => role === one || role === 'all'
  if (has('watcher')) stops.push(startWatchers(world, opened))
  if (has('worker')) stops.push(await startWorker(world, opened, directory, env))
  if (has('api')) stops.push(await startApi(world, opened, directory))
  if (config.inner.port !== 0) stops.push(await startInner(opened, world))
  runtime.log.info({ role }, 'ready')
  process.send?.('ready')
  await untilStopped()
  runtime.log.info('stopping')
  for (const stop of stops.toReversed()) await stop()
}

const closing = (listener: Listener) => () => listener.close()

/** Hears at once of changed merchants and of the business clock; after a lost connection nothing kept is trusted. */
const followChanges = ({ runtime, pool }: Opened, directory: ReturnType<typeof createDirectory>): Listener => {
  const followClock = (): void => {
    readClockOffset(runtime.db).then(
      (offset) => runtime.clock.setOffset(offset),
      (err: unknown) => runtime.log.warn({ err }, 'the business clock could not be read'),
    )
  }
  return listen(pool, ['merchant_changed', 'business_clock'], {
    connected: () => {
      directory.forgetAll()
      followClock()
    },
    notified: (channel, payload) => {
      if (channel === 'merchant_changed') directory.forget(payload)
      else followClock()
    },
  })
}

const startApi = async (world: World, { config, runtime, pool }: Opened, directory: ReturnType<typeof createDirectory>): Promise<Stop> => {
  const api = createApi(world, directory, pool, {
    window: { maxAge: config.timestampMaxAge, maxAhead: config.timestampMaxAhead },
    requestsPerMinute: config.requestsPerMinute,
    refusalsPerMinute: config.refusalsPerMinute,
    fingerprintKey: createSecretKey(deriveKey(config.dataKey, 'request fingerprints')),
    pages: {
      postsPerMinute: config.pagePostsPerMinute,
      getsPerMinute: config.pageGetsPerMinute,
      streams: { ...STREAM_LIMITS, perAddress: config.pageStreamsPerAddress },
    },
    chainIds: chainIdsOf(required(config.networks, 'BURSAR_NETWORKS_FILE')),
  })
  const loop = createJobLoop(api.jobs, runtime.log, jobWatch(runtime))
  await api.server.listen({ host: config.http.host, port: config.http.port })
  runtime.log.info({ address: `${config.http.host}:${config.http.port}` }, 'the merchant API listens')
  return async () => {
    await api.close()
    await loop.stop()
  }
}

const chainIdsOf = (networks: NonNullable<Opened['config']['networks']>): Map<Network, bigint> =>
  new Map(Object.entries(networks).flatMap(([name, chain]) => ('chainId' in chain ? [[name as Network, BigInt(chain.chainId)]] : [])))

const startWorker = async (
  world: World,
  { config, runtime, pool }: Opened,
  directory: ReturnType<typeof createDirectory>,
  env: Environment,
): Promise<Stop> => {
  const networks = required(config.networks, 'BURSAR_NETWORKS_FILE')
  const signer = connectSigner(signerAddress(config))
  const outbound = createOutbound({ allowPrivate: config.outboundAllow, allowHttp: config.httpWebhooks })
  const delivery = createDelivery({
    runtime,
    database: pool,
    outbound,
    endpointOf: createEndpoints(directory, runtime.clock),
    onExhausted: tellExhausted,
  })
  const pause = pausePoints(env)
  const mailing = await startMailing(runtime, config, pause)
  const holders = createAddressHolders(pool)
  const venue = config.exchange?.hedging ? openVenue(config.exchange.hedging.venue) : null
  const jobs: Job[] = createWorkerJobs(world, {
    adapters: createAdapters(networks, tokensOf(world.catalogue)),
    chainIds: chainIdsOf(networks),
    signer,
    sources: config.ratesUrl === null ? [] : [createHttpRateSource({ url: config.ratesUrl })],
    market: { ...createSources(config.exchange?.sources ?? {}, runtime.clock.now), legs: config.exchange?.legs ?? {} },
    venue,
    delivery,
    holders,
    pause,
  })
  const loop = createJobLoop([...jobs, ...mailing.jobs], runtime.log, jobWatch(runtime))
  return async () => {
    await loop.stop()
    await mailing.close()
    await delivery.close()
    await outbound.close()
    await holders.close()
    await venue?.close()
    signer.close()
  }
}

const signerAddress = ({ signer, signerCa, signerCert, signerKey }: Opened['config']) => {
  const place = required(signer, 'BURSAR_SIGNER')
  if ('socketPath' in place) return place
  return { ...place, tls: { ca: signerCa!, cert: signerCert!, key: signerKey! } }
}

/** A network that must not be watched any further stays stopped, with its alert; the others go on. */
const startWatchers = (world: World, { config, runtime, pool }: Opened): Stop => {
  const networks = required(config.networks, 'BURSAR_NETWORKS_FILE')
  const adapters = createAdapters(networks, tokensOf(world.catalogue))
  const identities = new Map([...adapters.keys()].map((network) => [network, identityOf(networks, network)]))
  const stopping = new AbortController()
  const running = createWatchers(world, adapters, identities, pool).map((watcher) =>
    watcher.run(stopping.signal).catch((err: unknown) => runtime.log.fatal({ err }, 'a network is not watched any more')),
  )
  return async () => {
    stopping.abort()
    await Promise.all(running)
  }
}

const startInner = async ({ config, runtime }: Opened, { catalogue, policies, exchange }: World): Promise<Stop> => {
  const server: Server = createInnerServer([...figuresOf(runtime, catalogue, policies.treasury), ...exchangeFiguresOf(runtime, catalogue, exchange)], async () => {
    await readClockOffset(runtime.db)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.inner.port, config.inner.host, resolve)
  })
  return () => new Promise((resolve) => server.close(() => resolve()))
}

const LONGEST_STOP_MS = 25_000

const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = (): void => {
      resolve()
      // What hangs must not keep the process: everything that matters is in the database.
      void sleep(LONGEST_STOP_MS, undefined, { ref: false }).then(() => process.exit(1))
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
