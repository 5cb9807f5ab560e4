import { sql } from 'kysely'
import { delivery as rules } from '@bursar/contract'
import { PreparedConnection, type PoolSettings } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Outbound } from '../../platform/outbound/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { Acknowledger } from './acknowledger.ts'
import type { ExhaustedSubscriber } from './alert.ts'
import { Dispatcher } from './dispatcher.ts'
import { Claimer } from './claimer.ts'
import type { EndpointOf } from './signature.ts'

export interface DeliveryDeps {
  runtime: Runtime
  /** Delivery has a connection of its own. */
  database: PoolSettings
  outbound: Outbound
  /** Where a merchant's notifications go at this moment; null while it has set no URL. Asked before each attempt. */
  endpointOf: EndpointOf
  /** Streams under way at once; 512 by default. 1 delivers one after the other, always in the same order. */
  slots?: number
  /** Called, in the same transaction, when a merchant's receiver is given up on: once until it is well again. */
  onExhausted?: ExhaustedSubscriber
  /**
   * A run ends only when everything it took has ended: for the deterministic runner. Otherwise receivers that hang
   * don't hold up a run.
   */
  untilSettled?: boolean
}

export interface Delivery {
  job: Job
  /**
   * Waits for attempts under way, at most their time limit, and ends the connections. Call it when the job runs no
   * more.
   */
  close(): Promise<void>
}

/** Long enough for several slow answers in a row; what a worker that died had claimed waits as long. */
const LEASE_MS = rules.timeout * 6
/** What an acknowledgement waits for a row that another transaction has locked before claims get their turn. */
const LOCK_WAIT_MS = 250
const ROUNDS = 256
/** Own lanes get a turn at least this often while the common queue is never empty. */
const LANES_EVERY = 8
/** Streams that have to end before it is worth looking for more in lanes that were full. */
const WORTH_A_LOOK = 32
/** To look again whether something is due, or hangs, while attempts are under way. */
const LOOK_AGAIN_MS = 50

/** Delivers what is due. Any number of workers may run it against one database. */
export const createDelivery = (deps: DeliveryDeps): Delivery => {
  const { runtime, slots = 512, untilSettled = false, onExhausted = async () => {} } = deps
  // Claims and acknowledgements take turns: at once they would take two processors from those they wait for (decision
  // 0073).
  const connection = new PreparedConnection({ ...deps.database, lockWaitMs: LOCK_WAIT_MS })
  const acknowledger = new Acknowledger(runtime, connection.query, () => dispatcher.tell(), onExhausted)
  const claimer = new Claimer(connection.query, runtime.clock, LEASE_MS)
  const dispatcher: Dispatcher = new Dispatcher({ ...deps, slots, acknowledger })
  const isEmpty = (): boolean => dispatcher.empty
  const patience = untilSettled ? undefined : LOOK_AGAIN_MS
  // Larger claims cost a little less, but keep a processor for longer from those that deliver (decision 0073).
  const enough = Math.ceil(slots / 8)

  const run = async (signal: AbortSignal): Promise<boolean> => {
    for (let round = 1; round <= ROUNDS && !signal.aborted; round += 1) {
      const isRoom = (): boolean => dispatcher.findFree() >= enough
      if (!(await dispatcher.until(isRoom, patience))) acknowledger.flush()
      // Asked before looking: what ends meanwhile may leave something due behind.
      const nothingMore = untilSettled ? dispatcher.empty : !dispatcher.busy
      if ((await takeDue(claimer, dispatcher, round)) > 0) continue
      if (nothingMore) return false
      const goal = dispatcher.ended + WORTH_A_LOOK
      await dispatcher.until(untilSettled ? isEmpty : () => dispatcher.empty || dispatcher.ended >= goal, patience)
    }
    if (untilSettled) await dispatcher.until(isEmpty)
    return true
  }
  return {
    job: { name: 'deliver webhooks', everyMs: LOOK_AGAIN_MS, run },
    close: async () => {
      await dispatcher.until(isEmpty)
      await connection.close()
    },
  }
}

/** Claims what there is room for and hands it over. @returns how many streams that was */
const takeDue = async (claimer: Claimer, dispatcher: Dispatcher, round: number): Promise<number> => {
  const free = dispatcher.findFree()
  if (free === 0) return 0
  const open = await claimer.open(free)
  dispatcher.accept(open)
  if (open.length === free && round % LANES_EVERY !== 0) return open.length
  const lanes = await claimer.lanes(Math.max(free - open.length, WORTH_A_LOOK), (merchantId) =>
    dispatcher.roomFor(merchantId),
  )
  dispatcher.accept(lanes)
  return open.length + lanes.length
}

const PRUNE_AT_ONCE = 5_000

/** Removes attempts older than `keepMs`; events themselves stay until the owner archives them. */
export const createAttemptPruneJob = (runtime: Runtime, keepMs = 90 * 24 * 60 * 60_000): Job => ({
  name: 'prune webhook attempts',
  everyMs: 60_000,
  run: async () => {
    const before = new Date(runtime.clock.business() - keepMs)
    const { rows } = await sql`delete from event_attempts where ctid = any(array(
      select ctid from event_attempts where at < ${before} limit ${PRUNE_AT_ONCE})) returning 1`.execute(runtime.db)
    return rows.length === PRUNE_AT_ONCE
  },
})
