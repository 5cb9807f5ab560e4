import { AcquirerUnreachable, type AcquirerState, type RefundOrder } from './port.ts'

export const refusedRefund = (code: string, message: string): AcquirerState => ({
  kind: 'refused',
  acquirerReference: undefined,
  code,
  message,
  maskedCard: undefined,
})

/**
 * A refund's state by its payment's, where the acquirer takes no reference of a refund: it is done when the payment
 * gave back that much more than earlier refunds did. Only a decided payment refuses it: one that was refused, or has
 * too little left.
 * @param wasSent the refund may have reached the acquirer
 * @returns undefined when nothing of it shows
 */
export const refundSoFar = (
  order: RefundOrder,
  payment: AcquirerState,
  wasSent: boolean,
): AcquirerState | undefined => {
  if (payment.kind === 'refused') return refusedRefund('not_paid', 'only a payment that succeeded is given back')
  if (payment.kind !== 'succeeded' && payment.kind !== 'reversed') return payment
  const { units, refundedUnits, ticker } = order
  const { acquirerReference, units: paidUnits, backUnits, maskedCard } = payment
  if (units <= 0n || refundedUnits + units > paidUnits)
    return refusedRefund('refund_too_large', 'more than is left of the payment')
  const done: AcquirerState = { kind: 'succeeded', acquirerReference, ticker, units, feeUnits: undefined, maskedCard }
  if (backUnits === undefined && payment.kind === 'reversed') {
    return wasSent && refundedUnits + units === paidUnits
      ? done
      : { kind: 'unknown', reason: 'money went back, and the amount is not stated' }
  }
  const back = backUnits ?? 0n
  if (back >= refundedUnits + units) return done
  return back === refundedUnits ? undefined : { kind: 'unknown', reason: 'another amount went back than is known of' }
}

/**
 * A refund that was sent, by its payment's state. @param isQueued the acquirer says that it has it and has not ended it
 */
export const refundAfter = (order: RefundOrder, payment: AcquirerState, isQueued = false): AcquirerState => {
  const known = refundSoFar(order, payment, true)
  if (known?.kind === 'refused') return { kind: 'unknown', reason: known.message }
  if (known !== undefined && (known.kind !== 'unknown' || !isQueued)) return known
  return isQueued
    ? { kind: 'waiting', reason: 'the acquirer has the refund' }
    : { kind: 'unknown', reason: 'nothing of the refund shows yet' }
}

/** The question after a refund was sent. That it can't be asked says nothing of the refund, which was heard. */
export const askAfter = async (ask: () => Promise<AcquirerState>): Promise<AcquirerState> => {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AcquirerUnreachable) return { kind: 'unknown', reason: error.message }
    throw error
  }
}

/**
 * A refund whose answer says that it can't be made. It is refused once the payment shows that nothing of it happened:
 * an order that took effect may be answered so when a layer in between repeats it.
 */
export const refusedUnlessShown = async (
  order: RefundOrder,
  refusal: AcquirerState,
  ask: () => Promise<{ payment: AcquirerState; isQueued: boolean }>,
): Promise<AcquirerState> =>
  askAfter(async () => {
    const { payment, isQueued } = await ask()
    return !isQueued && refundSoFar(order, payment, true) === undefined
      ? refusal
      : refundAfter(order, payment, isQueued)
  })
