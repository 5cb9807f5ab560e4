import type { AcquirerState } from '../adapters/acquirers/port.ts'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import { joinEffects, noEffects, type Effects } from '../effects/index.ts'
import { apply } from '../ledger/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import type { PaymentListener } from './payment.ts'
import { captureRefundItem, holdRefundItem, releaseRefundItem } from './postings.ts'
import { hasOpenRefund, insertRefund, lockRefund, moveRefund, refundAgainAt, uncountRefund, type Refund } from './refund-store.ts'
import type { RoutingTable } from './routing.ts'
import { lockPayment } from './store.ts'

const AGAIN_MS = 30_000

export class RefundRefused extends Error {
  override name = 'RefundRefused'
}

/**
 * Starts giving money of a payment back to the card it came from: held from the merchant's balance, or from suspense, at
 * once. Throws a RefundRefused that says why not: money that was never booked is never given back (F6), and refunds together
 * never come to more than the payment (F5). There is one at a time, as not every acquirer tells them apart.
 * @param units minor units; undefined: all that is left
 */
export const requestRefund = async (
  tx: Tx,
  { paymentId, units, reason, actor }: { paymentId: string; units: bigint | undefined; reason: string; actor: string },
  { accounts }: Pick<RoutingTable, 'accounts'>,
  moment: Moment,
): Promise<Refund> => {
  const payment = await lockPayment(tx, paymentId)
  if (!payment) throw new RefundRefused(`there is no payment ${paymentId}`)
  if (payment.state !== 'credited' && payment.state !== 'suspended') {
    throw new RefundRefused(`payment ${paymentId} is ${payment.state}: only money that was booked is given back`)
  }
  const capabilities = accounts.find(({ name }) => name === payment.acquirer)?.capabilities
  if (!capabilities?.refund) throw new RefundRefused(`${payment.acquirer} gives no refunds by its interface: make it in its own console; reconciliation will book it`)
  if (await hasOpenRefund(tx, payment)) throw new RefundRefused(`another refund of payment ${paymentId} has not ended: wait for it`)
  const left = payment.paidUnits! - payment.refundedUnits
  const wanted = units ?? left
  if (wanted <= 0n || wanted > left) throw new RefundRefused(`of payment ${paymentId} ${left} minor units of ${payment.paidTicker} are left to give back`)
  if (capabilities.refundsWholeOnly && wanted !== payment.paidUnits) throw new RefundRefused(`${payment.acquirer} gives back whole payments only`)
  const refund: Refund = {
    merchantId: payment.merchantId,
    id: moment.newId(),
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
  }
  const [outcome] = await apply(tx, [holdRefundItem(refund, moment.at)])
  if (outcome?.kind === 'refused' && outcome.guard === 'insufficient') {
    throw new RefundRefused(`the merchant has only ${outcome.available} minor units of ${refund.ticker} available`)
  }
  if (outcome?.kind !== 'applied') throw new Error(`the hold of a refund was ${outcome?.kind}`)
  await insertRefund(tx, refund, moment.at)
  return refund
}

/** From now on the acquirer may have it. @returns undefined when somebody else was faster */
export const recordRefundAsked = (tx: Tx, refund: Refund, until: Date, at: Date): Promise<Refund | undefined> =>
  moveRefund(tx, refund, 'asked', { at, next: until })

/** What the acquirer answered. Anything but a clear answer is asked again, as the same refund. */
export const heedRefund = async (tx: Tx, claimed: Refund, answer: AcquirerState, listener: PaymentListener, moment: Moment): Promise<Effects> => {
  // The payment's row first, in the order in which asking about the payment locks.
  const payment = await lockPayment(tx, claimed.paymentId)
  const refund = await lockRefund(tx, claimed.id)
  if (!payment || !refund || refund.state !== 'asked') return noEffects
  if (answer.kind === 'refused') return refuse(tx, refund, `${answer.code}: ${answer.message}`, moment)
  if (answer.kind !== 'succeeded' && answer.kind !== 'reversed') {
    await refundAgainAt(tx, claimed, new Date(moment.at.getTime() + AGAIN_MS))
    return noEffects
  }
  const done = await moveRefund(tx, refund, 'done', { at: moment.at, next: null })
  if (!done) return noEffects
  if (payment.state === 'suspended' && payment.refundedUnits === payment.paidUnits) {
    await resolveAlert(tx, 'payment-suspended', payment.id, moment.at)
  }
  const told = await listener.refunded(tx, payment, done, moment)
  return joinEffects([{ items: [captureRefundItem({ ...done, costUnits: answer.feeUnits ?? 0n }, moment)], notices: [] }, told])
}

const refuse = async (tx: Tx, refund: Refund, message: string, moment: Moment): Promise<Effects> => {
  const refused = await moveRefund(tx, refund, 'refused', { at: moment.at, next: null, message })
  if (!refused) return noEffects
  await uncountRefund(tx, refused, moment.at)
  const text = `${refund.acquirer} refused refund ${refund.id} of payment ${refund.paymentId} (${message}); the money is back on its account`
  await raiseAlert(tx, { kind: 'refund-refused', subject: refund.id, text }, moment)
  return { items: [releaseRefundItem(refused, moment)], notices: [] }
}
