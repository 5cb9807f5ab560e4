import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { endReservation, exposuresOf, moveInventory, reserveInventory } from '../exchanges/index.ts'
import { applyAll, type Item } from '../../ledger/postings/index.ts'
import type { Found, Placed, VenueFill } from '../../adapters/venues/port.ts'
import { PIVOT } from '../../market/rates/index.ts'
import { unitsOfFill, valueOfFill } from './amounts.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { OPEN_STATES, type HedgeEvent } from './machine.ts'
import type { HedgeOrder } from './order.ts'
import type { HedgePolicy } from './policy.ts'
import { usdtOf } from './planning.ts'
import { fillItem, venueFundingItem, type FillUnits } from './postings.ts'
import { addFlow, bookedOf, insertFill, insertOrder, lockOrder, moveOrder, NO_FLOW, usdtSince } from './store.ts'
import { holdHedging, whyStopped } from './stopping.ts'

const HOUR_MS = 3_600_000

export type Begun = { kind: 'begun'; order: HedgeOrder } | { kind: 'not'; because: string }

/**
 * Stores an order before its venue is called, and reserves the amount that it may spend. An order is not begun when
 * hedging is stopped, the hourly limit is reached, another order of the asset has not ended, the exposure has become
 * smaller than planned, or merchants have bought the amount that it would spend; the caller then rolls back.
 * @param exposure that the order was planned for, ledger units
 */
export const begin = async (
  tx: Tx,
  order: HedgeOrder,
  { exposure, policy, nextAskAt }: { exposure: bigint; policy: Pick<HedgePolicy, 'mostUsdtPerHour'>; nextAskAt: Date },
  at: Date,
): Promise<Begun> => {
  await holdHedging(tx)
  const stopped = await whyStopped(tx, [order.base, order.quote])
  if (stopped !== undefined) return { kind: 'not', because: `it is stopped: ${stopped}` }
  const market = { market: { base: order.base }, asset: order.asset }
  const traded = await usdtSince(tx, order.venue, new Date(at.getTime() - HOUR_MS))
  if (traded + usdtOf(market, order.amount, order.price) > policy.mostUsdtPerHour)
    return { kind: 'not', because: 'the limit of one hour is reached' }
  if (!(await insertOrder(tx, order, nextAskAt))) return { kind: 'not', because: 'an order has not ended' }
  // After the order is stored: another worker's order has ended by now, and its fills are in this exposure.
  if (!isStillThere(exposure, await exposureOf(tx, order.asset)))
    return { kind: 'not', because: 'the exposure has changed' }
  if (!(await reserveInventory(tx, order.spends, order.reserved)))
    return { kind: 'not', because: `there is too little ${order.spends} in the position` }
  return { kind: 'begun', order }
}

/** Whether the exposure is at least as large, on the same side, as when the order was planned. */
const isStillThere = (planned: bigint, now: bigint): boolean => (planned < 0n ? now <= planned : now >= planned)

const exposureOf = async (tx: Tx, asset: string): Promise<bigint> =>
  (await exposuresOf(tx)).find((one) => one.asset === asset)?.exposure ?? 0n

/** The result of placing or querying an order. */
export type Learnt = Extract<Placed, { kind: 'refused' }> | Found

/** How long after an order's window a venue may take to show that it accepted it, by the venue's clock. */
const SETTLE_MS = 10_000

/**
 * Books new facts about an order, in this transaction: every fill once, by its trade id, with its postings, and the
 * order's state. An order ends when the venue says so and everything it reports as traded is posted.
 * @returns the order after that, and the number of new fills
 */
export const learn = async (
  tx: Tx,
  id: string,
  learnt: Learnt,
  catalogue: Pick<Catalogue, 'find'>,
  moment: Moment,
): Promise<{ order: HedgeOrder; fills: number }> => {
  const order = await lockOrder(tx, id)
  if (!OPEN_STATES.includes(order.state)) return { order, fills: 0 }
  const booked: Booked[] = []
  for (const fill of learnt.kind === 'known' ? learnt.fills : []) {
    const units = unitsOfFill(order, fill, catalogue)
    const item = fillItem(order.venue, order.id, units, moment)
    if (await insertFill(tx, order, fill, item.transfer.id)) booked.push({ fill, units, item })
  }
  const executed = await bookedOf(tx, id)
  const event = eventOf(order, learnt, executed)
  const reserved = await movePosted(tx, order, booked, event !== undefined && event !== 'accepted')
  await applyAll(
    tx,
    booked.map(({ item }) => item),
  )
  for (const one of booked) await count(tx, order, one)
  if (event === undefined) return { order, fills: booked.length }
  const reason = learnt.kind === 'refused' ? learnt.reason : order.reason
  if (!(await moveOrder(tx, id, event, moment.at, { reserved, executed, reason })))
    throw new Error(`hedge order ${id} is in no state to be ${event}`)
  return { order: await lockOrder(tx, id), fills: booked.length }
}

interface Booked {
  fill: VenueFill
  units: FillUnits
  item: Item
}

/** Undefined when the new facts change nothing. */
const eventOf = (order: HedgeOrder, learnt: Learnt, booked: bigint): HedgeEvent | undefined => {
  if (learnt.kind === 'refused') return order.state === 'sending' ? 'rejected' : undefined
  if (learnt.kind === 'absent') {
    const never = learnt.venueTime > order.placedAt.getTime() + order.validMs + SETTLE_MS
    return never && order.state === 'sending' && booked === 0n ? 'lapsed' : undefined
  }
  if (learnt.open || booked !== learnt.executed) return 'accepted'
  return booked === 0n ? 'cancelled' : booked === order.amount ? 'filled' : 'partly-filled'
}

/**
 * Moves the inventory of new fills and, at the order's end, the rest of its reservation. Assets are locked in the order
 * that exchanges use, each once, so that they can't deadlock.
 * @returns the rest of the reservation
 */
const movePosted = async (tx: Tx, order: HedgeOrder, booked: readonly Booked[], ended: boolean): Promise<bigint> => {
  const sum = (of: (units: FillUnits) => bigint): bigint => booked.reduce((total, { units }) => total + of(units), 0n)
  const [spentUnits, received] = [sum(({ spent }) => spent.units), sum((units) => units.received.units)]
  const spent = spentUnits < order.reserved ? spentUnits : order.reserved
  const left = order.reserved - spent
  const into = order.spends === order.base ? order.quote : order.base
  const spend = async (): Promise<void> => {
    if (spentUnits > 0n || (ended && left > 0n))
      await endReservation(tx, order.spends, { spent, released: ended ? left : 0n, beyond: spentUnits - spent })
  }
  const receive = async (): Promise<void> => {
    if (received > 0n) await moveInventory(tx, [{ asset: into, units: received, bounds: null }])
  }
  for (const step of order.spends < into ? [spend, receive] : [receive, spend]) await step()
  return ended ? 0n : left
}

const count = async (tx: Tx, order: HedgeOrder, { fill, units: { received, spent } }: Booked): Promise<void> => {
  const { value, slippage, feeValue } = valueOfFill(order, fill)
  // Both sides in one fixed order, so that two orders can't deadlock.
  const flows = [
    { ...NO_FLOW, asset: received.asset, boughtUnits: received.units, boughtValue: value },
    { ...NO_FLOW, asset: spent.asset, soldUnits: spent.units, soldValue: value },
  ].map((flow) => (flow.asset === PIVOT ? flow : { ...flow, feesValue: feeValue, slippage, fills: 1 }))
  for (const flow of flows.toSorted((a, b) => (a.asset < b.asset ? -1 : 1))) await addFlow(tx, flow)
}

/** Posts money that the owner has put on a venue, or taken from it if `units` is negative. */
export const fundVenue = (tx: Tx, venue: string, asset: string, units: bigint, moment: Moment): Promise<void> =>
  applyAll(tx, [venueFundingItem(venue, asset, units, moment)]).then(() => undefined)
