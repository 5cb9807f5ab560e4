import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { apply } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { freeHeld, holdAgain } from './holding.ts'
import type { Payment, PaymentSubscriber } from './payment.ts'
import { captureRefundItem, holdRefundItem, releaseRefundItem } from './postings.ts'
import {
  findRefund,
  hasOpenRefund,
  insertRefund,
  lockRefund,
  moveRefund,
  refundAgainAt,
  uncountRefund,
  type Refund,
} from './refund-store.ts'
import { MINOR_SCALE, type RoutingTable } from './routing.ts'
import { WATCHED_REFUND_MS } from './schedule.ts'
import { forgetClaimedLines, hasStatedRefund } from './statement-store.ts'
import { lockPayment, watchPayment } from './store.ts'

const AGAIN_MS = 30_000
const LONGEST_PAUSE_MS = 3_600_000
/** After this time the operator is alerted. */
const PATIENCE_MS = 3_600_000
const QUEUED_PATIENCE_MS = 3 * 86_400_000

export class RefundRefused extends Error {
  override name = 'RefundRefused'
}

export interface AskedRefund {
  paymentId: string
  /** minor units; undefined: all that is left */
  units: bigint | undefined
  /** what was refunded when it was asked for, in minor units: another sum refuses the refund; null: any sum */
  before?: bigint | null
  reason: string
  actor: string
}

/**
 * Starts a refund to the card that paid. The money is held at once, on the merchant's balance or in suspense. Throws a
 * RefundRefused that says why a refund is impossible: money that was never posted can't be refunded (F6), and refunds
 * never exceed the payment (F5). A payment has one refund at a time, because not every acquirer distinguishes them.
 */
export const requestRefund = async (
  tx: Tx,
  { paymentId, units, before = null, reason, actor }: AskedRefund,
  { accounts }: Pick<RoutingTable, 'accounts'>,
  moment: Moment,
): Promise<Refund> => {
  const payment = await lockPayment(tx, paymentId)
  if (!payment) throw new RefundRefused(`there is no payment ${paymentId}`)
  if (payment.state !== 'credited' && payment.state !== 'suspended') {
    throw new RefundRefused(`payment ${paymentId} is ${payment.state}: only money that was posted can be refunded`)
  }
  const capabilities = accounts.find(({ name }) => name === payment.acquirer)?.capabilities
  if (!capabilities?.refund)
    throw new RefundRefused(
      `${payment.acquirer} makes no refunds by its interface: make the refund in its console; the reconciliation posts it`,
    )
  if (await hasOpenRefund(tx, payment))
    throw new RefundRefused(`another refund of payment ${paymentId} has not ended: wait for it`)
  const left = payment.paidUnits! - payment.refundedUnits
  const wanted = units ?? left
  if (wanted <= 0n || wanted > left)
    throw new RefundRefused(
      `of payment ${paymentId} ${formatUnits(left, MINOR_SCALE)} ${payment.paidTicker} can still be refunded`,
    )
  if (before !== null && before !== payment.refundedUnits)
    throw new RefundRefused(`another refund of payment ${paymentId} was made meanwhile: request this one again`)
  if (capabilities.refundsWholeOnly && wanted !== payment.paidUnits)
    throw new RefundRefused(`${payment.acquirer} refunds whole payments only`)
  const refund: Refund = {
    merchantId: payment.merchantId,
    id: moment.newId(),
    reference: null,
    paymentId,
    acquirer: payment.acquirer,
    ticker: payment.paidTicker!,
    units: wanted,
    from: payment.state === 'credited' ? 'merchant' : 'suspense',
    holdId: moment.newId(),
    state: 'requested',
    reason,
    actor,
    epoch: 0,
    createdAt: moment.at,
    sentAt: null,
  }
  if (refund.from === 'merchant')
    await freeHeld(tx, payment, { needed: wanted, available: 0n, fromReserve: false, usedFor: refund.holdId }, moment)
  const [outcome] = await apply(tx, [holdRefundItem(refund, moment.at)])
  if (outcome?.kind === 'refused' && outcome.guard === 'insufficient') {
    throw new RefundRefused(
      `the merchant has only ${formatUnits(outcome.available, MINOR_SCALE)} ${refund.ticker} available`,
    )
  }
  if (outcome?.kind !== 'applied') throw new Error(`the hold of a refund was ${outcome?.kind}`)
  await insertRefund(tx, refund, moment.at)
  return refund
}

/**
 * Records that the refund is about to be sent: from now on the acquirer may have it.
 * @returns undefined when the claim has passed to another worker: the refund must not be sent
 */
export const recordRefundSending = (
  tx: Tx,
  refund: Refund,
  { reference, until, at }: { reference: string; until: Date; at: Date },
): Promise<Refund | undefined> => moveRefund(tx, refund, 'asked', { at, next: until, epoch: refund.epoch, reference })

/** Records that the acquirer is proven not to have received it, so that it may be sent again. */
export const recordRefundUnsent = (tx: Tx, refund: Refund, { at }: Moment): Promise<Refund | undefined> =>
  moveRefund(tx, refund, 'unsent', { at, next: new Date(at.getTime() + AGAIN_MS) })

export interface RefundAnswer {
  state: AcquirerState
  /**
   * whether this is the answer to the refund request that this worker sent; an answer from before says nothing about a
   * refund that another worker has sent since
   */
  isToRefund: boolean
  /** the reference under which the acquirer already has the refund, so that this worker did not send it */
  foundAs?: string
}

/**
 * Applies the acquirer's answer. A refund that may have been received is refused only by the answer to its own request;
 * after any other answer it is queried again.
 */
export const heedRefund = async (
  tx: Tx,
  claimed: Refund,
  { state: answer, isToRefund, foundAs }: RefundAnswer,
  subscriber: PaymentSubscriber,
  moment: Moment,
): Promise<Effects> => {
  // Lock the payment's row first, in the same order as a query of the payment does.
  const payment = await lockPayment(tx, claimed.paymentId)
  const locked = await lockRefund(tx, claimed.id)
  const refund = locked && foundAs !== undefined ? await recordFound(tx, locked, claimed, foundAs, moment) : locked
  if (!payment || !refund || (refund.state !== 'asked' && refund.state !== 'requested')) return noEffects
  const isDecided = refund.state === 'requested' || isToRefund
  if (answer.kind === 'refused' && isDecided)
    return refuse(tx, payment, refund, { message: `${answer.code}: ${answer.message}`, who: refund.acquirer }, moment)
  if (answer.kind === 'succeeded' || answer.kind === 'reversed')
    return finish(tx, payment, refund, answer.feeUnits ?? 0n, subscriber, moment)
  await refundAgainAt(tx, claimed, new Date(moment.at.getTime() + pauseOf(refund, moment.at)))
  await alertWhenStuck(tx, refund, answer, moment)
  return noEffects
}

/**
 * Records the reference of a refund that was not sent, and that the acquirer has: a restored copy of the database has
 * forgotten that it was sent. From then on it is only queried.
 * @returns undefined when another worker has claimed it since
 */
const recordFound = async (
  tx: Tx,
  refund: Refund,
  { epoch }: Refund,
  reference: string,
  { at }: Moment,
): Promise<Refund | undefined> =>
  refund.state === 'requested' ? moveRefund(tx, refund, 'asked', { at, next: at, epoch, reference }) : refund

/** By then, a worker that was sending it no longer waits for the answer. */
const LEAST_AGE_MS = 15 * 60_000

/**
 * Records how a refund ended, by an operator's decision after asking the acquirer by other means. Throws a
 * RefundRefused that says why this is impossible.
 * @param by who decided and why, stored with the refund
 */
export const resolveRefund = async (
  tx: Tx,
  { id, how, by }: { id: string; how: 'done' | 'refused'; by: string },
  subscriber: PaymentSubscriber,
  moment: Moment,
): Promise<Effects> => {
  const found = await findRefund(tx, id)
  const payment = found && (await lockPayment(tx, found.paymentId))
  const refund = await lockRefund(tx, id)
  if (!payment || !refund) throw new RefundRefused(`there is no refund ${id}`)
  if (refund.state !== 'asked' && refund.state !== 'requested')
    throw new RefundRefused(`refund ${id} has ended: it is ${refund.state}`)
  if (refund.sentAt !== null && moment.at.getTime() - refund.sentAt.getTime() < LEAST_AGE_MS) {
    throw new RefundRefused('it was sent less than 15 minutes ago and may still be under way')
  }
  if (how === 'done') {
    await watch(tx, payment, moment)
    return finish(tx, payment, refund, 0n, subscriber, moment, by)
  }
  if (await hasStatedRefund(tx, refund))
    throw new RefundRefused(`a statement of ${refund.acquirer} shows refund ${id} as made: use --done`)
  return refuse(tx, payment, refund, { message: by, who: 'a person' }, moment)
}

const finish = async (
  tx: Tx,
  payment: Payment,
  refund: Refund,
  costUnits: bigint,
  subscriber: PaymentSubscriber,
  moment: Moment,
  message: string | null = null,
): Promise<Effects> => {
  const done = await moveRefund(tx, refund, 'done', { at: moment.at, next: null, message })
  if (!done) return noEffects
  await resolveAlert(tx, 'refund-stuck', refund.id, moment.at)
  if (payment.state === 'suspended' && payment.refundedUnits === payment.paidUnits) {
    await resolveAlert(tx, 'payment-suspended', payment.id, moment.at)
  }
  const notified = await subscriber.refunded(tx, payment, done, moment)
  return joinEffects([{ items: [captureRefundItem({ ...done, costUnits }, moment)], notices: [] }, notified])
}

/** Watches the payment a while longer: the refund's money may have moved after all, and may show late. */
const watch = (tx: Tx, payment: Payment, { at }: Moment): Promise<void> =>
  watchPayment(tx, payment, new Date(at.getTime() + WATCHED_REFUND_MS), at)

const refuse = async (
  tx: Tx,
  payment: Payment,
  refund: Refund,
  { message, who }: { message: string; who: string },
  moment: Moment,
): Promise<Effects> => {
  const refused = await moveRefund(tx, refund, 'refused', { at: moment.at, next: null, message })
  if (!refused) return noEffects
  await uncountRefund(tx, refused, moment.at)
  const isStated = await forgetClaimedLines(tx, refused)
  // Also for one that was never sent: a sum returned otherwise may have prevented it from being sent.
  await watch(tx, payment, moment)
  await resolveAlert(tx, 'refund-stuck', refund.id, moment.at)
  const ended = who === refund.acquirer ? `${who} refused` : `${who} said that ${refund.acquirer} did not make`
  const shown = isStated
    ? `; but a statement shows the refund as made: read that statement again (bursar reconcile --acquirer ${refund.acquirer}), which posts it`
    : ''
  const text = `${ended} refund ${refund.id} of payment ${refund.paymentId} (${message}); the money is back on its account${shown}`
  await raiseAlert(tx, { kind: 'refund-refused', subject: refund.id, text }, moment)
  return {
    items: [releaseRefundItem(refused, moment), ...(await holdAgain(tx, refused.merchantId, refused.holdId, moment))],
    notices: [],
  }
}

/** The pause grows with age: an acquirer may delay a refund for days until the shop's balance allows it. */
const pauseOf = ({ createdAt }: Refund, at: Date): number =>
  Math.min(Math.max(Math.floor((at.getTime() - createdAt.getTime()) / 4), AGAIN_MS), LONGEST_PAUSE_MS)

/**
 * Raises an alert later for an acquirer that has the refund, which may take days, than for one that does not show it.
 */
const alertWhenStuck = async (tx: Tx, refund: Refund, answer: AcquirerState, moment: Moment): Promise<void> => {
  const since = refund.sentAt ?? refund.createdAt
  const patienceMs = answer.kind === 'waiting' ? QUEUED_PATIENCE_MS : PATIENCE_MS
  if (moment.at.getTime() - since.getTime() < patienceMs) return
  const stands =
    refund.sentAt === null ? 'can not be sent' : `was sent at ${refund.sentAt.toISOString()} and has not ended`
  const said = 'reason' in answer && answer.reason !== undefined ? answer.reason : answer.kind
  const known = refund.reference === null ? '' : `, reference ${refund.reference}`
  const text = `Refund ${refund.id} of payment ${refund.paymentId} at ${refund.acquirer}${known} ${stands} (${said}); it is not sent again. Look in the console of ${refund.acquirer}, and if it ended there: bursar payment resolve-refund ${refund.id} --done REASON, or --refused REASON`
  await raiseAlert(tx, { kind: 'refund-stuck', subject: refund.id, text }, moment)
}
