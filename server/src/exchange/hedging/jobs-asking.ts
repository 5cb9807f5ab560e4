import { IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { alertHedging } from './alerts.ts'
import type { HedgeDeps } from './deps.ts'
import { keyOf, type HedgeOrder } from './order.ts'
import { later, record } from './jobs-recording.ts'
import { askAgainAt, claimDue, listOpenOrders } from './store.ts'

const LEASE_MS = 60_000
const MOST_AT_ONCE = 8
/** An order fills at once or is cancelled by the venue; one that is still open after this time is cancelled by us. */
const CANCEL_AFTER_MS = 30_000
const TELL_AFTER_MS = 60_000

/**
 * Creates the job that queries orders at the venue, by their client ids, until each has ended. It never places an order
 * again.
 */
export const createHedgeAskingJob = (deps: HedgeDeps, everyMs: number): Job => ({
  name: `ask ${deps.venue.name} for hedges`,
  everyMs,
  idleMs: IDLE_MS,
  run: async () => {
    const due = await claimDue(deps.runtime.db, deps.venue.name, momentOf(deps.runtime).at, LEASE_MS, MOST_AT_ONCE)
    for (const order of due) await askOne(deps, order)
    return due.length === MOST_AT_ONCE
  },
})

const askOne = async (deps: HedgeDeps, order: HedgeOrder): Promise<void> => {
  const { runtime, venue } = deps
  try {
    const age = runtime.clock.now() - order.placedAt.getTime()
    if (order.state === 'open' && age > CANCEL_AFTER_MS) await venue.cancel(keyOf(order))
    const found = await venue.find(keyOf(order))
    await deps.pause('hedge-asked')
    await record(deps, order, found)
  } catch (error) {
    runtime.log.warn({ err: error, order: order.id }, 'the result of a hedge order is unknown and is queried again')
    await askAgainAt(runtime.db, order.id, later(momentOf(runtime).at, order.asks))
  }
  await alertLate(deps, order)
}

const alertLate = async ({ runtime, venue }: HedgeDeps, { id, placedAt, state }: HedgeOrder): Promise<void> => {
  if (state !== 'sending' || runtime.clock.now() - placedAt.getTime() < TELL_AFTER_MS) return
  const text = `it is unknown whether ${venue.name} accepted the order ${id.replaceAll('-', '')} of ${placedAt.toISOString()}; the venue is queried until it answers, and the asset is not hedged meanwhile`
  // The answer may have arrived meanwhile: an order that has ended raises no alert.
  await alertHedging(
    runtime.db,
    'hedge-unknown',
    id,
    (await isOpen(runtime.db, id)) ? text : undefined,
    momentOf(runtime),
  )
}

const isOpen = async (db: HedgeDeps['runtime']['db'], id: string): Promise<boolean> =>
  (await listOpenOrders(db)).some((order) => order.id === id)
