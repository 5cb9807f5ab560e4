import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { alertHedging } from './alerts.ts'
import { learn, type Learnt } from './commands.ts'
import type { HedgeDeps } from './deps.ts'
import { failuresOf } from './failures.ts'
import { OPEN_STATES } from './machine.ts'
import type { HedgeOrder } from './order.ts'
import { askAgainAt, newestOrders } from './store.ts'

const FIRST_PAUSE_MS = 1_000
/** For the first half minute, because an unknown outcome keeps an exposure open. */
const SHORT_PAUSE_MS = 4_000
const SHORT_PAUSES = 8
const LONGEST_PAUSE_MS = 60_000
const FAILURES_SHOWN = 3
const MOST_COUNTED = 10

/** Books new facts about an order, and schedules its next query. */
export const record = async (
  { runtime, catalogue }: Pick<HedgeDeps, 'runtime' | 'catalogue'>,
  { id, asks }: HedgeOrder,
  learnt: Learnt,
): Promise<HedgeOrder> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const { order, fills } = await learn(tx, id, learnt, catalogue, moment)
    if (OPEN_STATES.includes(order.state)) await askAgainAt(tx, id, later(moment.at, asks))
    else await alertHedging(tx, 'hedge-unknown', id, undefined, moment)
    if (fills > 0) await alertHedging(tx, 'hedge-failing', order.asset, undefined, moment)
    else if (!OPEN_STATES.includes(order.state)) await alertFailures(tx, order, moment)
    return order
  })

const alertFailures = async (tx: Tx, { venue, asset, state, reason }: HedgeOrder, moment: Moment): Promise<void> => {
  const { count } = failuresOf(await newestOrders(tx, { venue, asset }, MOST_COUNTED))
  if (count < FAILURES_SHOWN) return
  const why = `${state}${reason === null ? '' : `: ${reason}`}`
  await alertHedging(
    tx,
    'hedge-failing',
    asset,
    `the last ${count === MOST_COUNTED ? `${count} or more` : count} orders for ${asset} on ${venue} traded nothing (${why}); its exposure stays`,
    moment,
  )
}

/** Every few seconds at first; then the pause doubles after each query, up to a minute. */
export const later = (at: Date, asks: number): Date => {
  const pause =
    asks <= SHORT_PAUSES
      ? Math.min(FIRST_PAUSE_MS * 2 ** asks, SHORT_PAUSE_MS)
      : SHORT_PAUSE_MS * 2 ** Math.min(asks - SHORT_PAUSES, 10)
  return new Date(at.getTime() + Math.min(pause, LONGEST_PAUSE_MS))
}
