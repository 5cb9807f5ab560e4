import { sql } from 'kysely'
import { delivery as rules } from '@bursar/contract'
import type { SecretBox } from '../../platform/config/secrets.ts'
import { inTransaction, PreparedConnection, type PoolSettings, type Query } from '../../platform/db/index.ts'
import { IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import type { Outbound } from '../../platform/outbound/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { Acknowledger, type Receivers } from './acknowledger.ts'
import { endAlertIfOver, endEndpointAlertIfOver, type ExhaustedSubscriber } from './alert.ts'
import { Dispatcher } from './dispatcher.ts'
import { Claimer } from './claimer.ts'
import { createEndpointReader } from './endpoint-reader.ts'
import { pruneRemoved } from './endpoints.ts'
import { createTestingJob } from './jobs-testing.ts'
import type { EndpointOf } from './signature.ts'
import { createStreamStore } from './store.ts'
import { OF_ENDPOINTS, OF_MERCHANTS } from './stream-tables.ts'

export interface DeliveryDeps {
  runtime: Runtime
  /** Delivery uses its own connection. */
  database: PoolSettings
  outbound: Outbound
  /** The current endpoint of a merchant's settings; null while it has no URL. Called before each attempt. */
  endpointOf: EndpointOf
  /** opens the secrets of additional endpoints */
  box: Pick<SecretBox, 'open'>
  /** Maximum number of concurrent streams; 512 by default. 1 delivers them one by one, in a fixed order. */
  slots?: number
  /** Called in the same transaction when a merchant's deliveries become exhausted: once for each outage. */
  onExhausted?: ExhaustedSubscriber
  /**
   * A run ends only when all claimed streams have ended: for the deterministic runner. Otherwise hanging receivers do
   * not delay the end of a run.
   */
  untilSettled?: boolean
  /** Lets a test kill the process at a named point; absent in production. */
  pause?: (name: string) => Promise<void>
}

export interface Delivery {
  job: Job
  /** delivers to additional endpoints */
  additional: Job
  /** sends tests, which are no events */
  testing: Job
  /**
   * Waits for attempts in progress, at most until their time limit, and closes the connection. Call it after the job
   * has stopped.
   */
  close(): Promise<void>
}

/** Long enough for several slow responses in a row. The claims of a worker that died also wait this long. */
const LEASE_MS = rules.timeout * 6
/** How long storing results waits for a row lock of another transaction, before claims get their turn. */
const LOCK_WAIT_MS = 250
const ROUNDS = 256
/** Own lanes get a turn at least this often while the common queue is never empty. */
const LANES_EVERY = 8
/** Number of streams that must end before full lanes are scanned again. */
const WORTH_A_LOOK = 32
/** Interval of checks for due streams and hanging attempts, while attempts are in progress. */
const LOOK_AGAIN_MS = 50
/** Few merchants have additional endpoints: when nothing is due, this look costs two statements. */
const ADDITIONAL_MS = 200

/** Delivers due notifications. Any number of workers may run it against one database. */
export const createDelivery = (deps: DeliveryDeps): Delivery => {
  // Claims and acknowledgements share one connection: in parallel they would take two processors from the deliveries
  // (decision 0073).
  const connection = new PreparedConnection({ ...deps.database, lockWaitMs: LOCK_WAIT_MS })
  const { db, clock } = deps.runtime
  const readEndpoint = createEndpointReader(db, deps.box, clock)
  const first = createEngine(deps, connection.query, {
    store: createStreamStore(OF_MERCHANTS),
    endAlertIfOver,
    isAdditional: false,
  })
  const additional = createEngine({ ...deps, endpointOf: readEndpoint }, connection.query, {
    store: createStreamStore(OF_ENDPOINTS),
    endAlertIfOver: endEndpointAlertIfOver,
    isAdditional: true,
  })
  return {
    job: { name: 'deliver webhooks', everyMs: LOOK_AGAIN_MS, idleMs: IDLE_MS, run: first.run },
    additional: {
      name: 'deliver webhooks to additional endpoints',
      everyMs: ADDITIONAL_MS,
      idleMs: IDLE_MS,
      run: additional.run,
    },
    testing: createTestingJob({ ...deps, additionalEndpointOf: readEndpoint }),
    close: async () => {
      await Promise.all([first.ended(), additional.ended()])
      await connection.close()
    },
  }
}

/** Claims and delivers the streams of one kind of receiver. */
const createEngine = (
  deps: DeliveryDeps,
  query: Query,
  of: Receivers,
): { run: (signal: AbortSignal) => Promise<boolean>; ended: () => Promise<boolean> } => {
  const { runtime, slots = 512, untilSettled = false, onExhausted = async () => {}, pause = async () => {} } = deps
  const record: Query = async (...statement) => {
    await pause('deliveries-not-recorded')
    return query(...statement)
  }
  const acknowledger = new Acknowledger(of, runtime, record, () => dispatcher.wake(), onExhausted)
  const claimer = new Claimer(of.store, query, runtime.clock, LEASE_MS)
  const dispatcher: Dispatcher = new Dispatcher({ ...deps, slots, acknowledger })
  const isEmpty = (): boolean => dispatcher.empty
  const patience = untilSettled ? undefined : LOOK_AGAIN_MS
  // Larger claims cost a little less, but delay deliveries for longer (decision 0073).
  const enough = Math.ceil(slots / 8)

  const run = async (signal: AbortSignal): Promise<boolean> => {
    for (let round = 1; round <= ROUNDS && !signal.aborted; round += 1) {
      const hasFreeSlots = (): boolean => dispatcher.findFree() >= enough
      if (!(await dispatcher.until(hasFreeSlots, patience))) acknowledger.flush()
      // Read before claiming, because a stream that ends in between may leave its next events due.
      const nothingMore = untilSettled ? dispatcher.empty : !dispatcher.busy
      if ((await takeDue(claimer, dispatcher, round, pause)) > 0) continue
      if (nothingMore) return false
      const goal = dispatcher.ended + WORTH_A_LOOK
      await dispatcher.until(untilSettled ? isEmpty : () => dispatcher.empty || dispatcher.ended >= goal, patience)
    }
    if (untilSettled) await dispatcher.until(isEmpty)
    return true
  }
  return { run, ended: () => dispatcher.until(isEmpty) }
}

/**
 * Claims as many streams as there are free slots, and passes them to the dispatcher.
 * @returns number of streams
 */
const takeDue = async (
  claimer: Claimer,
  dispatcher: Dispatcher,
  round: number,
  pause: NonNullable<DeliveryDeps['pause']>,
): Promise<number> => {
  const free = dispatcher.findFree()
  if (free === 0) return 0
  const open = await claimer.open(free)
  if (open.length > 0) await pause('notifications-claimed')
  dispatcher.accept(open)
  if (open.length === free && round % LANES_EVERY !== 0) return open.length
  const lanes = await claimer.lanes(Math.max(free - open.length, WORTH_A_LOOK), (receiverId) =>
    dispatcher.freeSlotsFor(receiverId),
  )
  dispatcher.accept(lanes)
  return open.length + lanes.length
}

const PRUNE_AT_ONCE = 5_000

/**
 * Deletes attempts and tests older than `keepMs`, what waits for removed endpoints, and endpoints that were removed
 * `keepMs` ago. Events remain until the owner
 * archives them.
 */
export const createAttemptPruneJob = (runtime: Runtime, keepMs = 90 * 24 * 60 * 60_000): Job => ({
  name: 'prune webhook attempts',
  everyMs: 60_000,
  run: async () => {
    const before = new Date(runtime.clock.business() - keepMs)
    const { rows } = await sql`delete from event_attempts where ctid = any(array(
      select ctid from event_attempts where at < ${before} limit ${PRUNE_AT_ONCE})) returning 1`.execute(runtime.db)
    await sql`delete from webhook_tests where asked_at < ${before}`.execute(runtime.db)
    const { rows: more } = await sql`delete from endpoint_attempts where ctid = any(array(
      select ctid from endpoint_attempts where at < ${before} limit ${PRUNE_AT_ONCE})) returning 1`.execute(runtime.db)
    const isMoreRemoved = await inTransaction(runtime.db, (tx) => pruneRemoved(tx, before, momentOf(runtime)))
    return rows.length === PRUNE_AT_ONCE || more.length === PRUNE_AT_ONCE || isMoreRemoved
  },
})
