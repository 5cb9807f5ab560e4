import { AcquirerUnreachable, type AcquirerState, type RefundOrder } from './port.ts'

export const refusedRefund = (code: string, message: string): AcquirerState => ({
  kind: 'refused',
  acquirerReference: undefined,
  code,
  message,
  maskedCard: undefined,
})

/**
 * Derives a refund's state from its payment's, for acquirers without references of refunds. It succeeded when the
 * refunded amount exceeds that of earlier refunds by its amount. It is refused only when the payment was refused or has
 * too little left.
 * @param wasSent the refund may have reached the acquirer
 * @returns undefined when there is no trace of it
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
 * State of a sent refund, by its payment's state.
 * @param isQueued the acquirer reports that it has the refund and has not ended it
 */
export const refundAfter = (order: RefundOrder, payment: AcquirerState, isQueued = false): AcquirerState => {
  const known = refundSoFar(order, payment, true)
  if (known?.kind === 'refused') return { kind: 'unknown', reason: known.message }
  if (known !== undefined && (known.kind !== 'unknown' || !isQueued)) return known
  return isQueued
    ? { kind: 'waiting', reason: 'the acquirer has the refund' }
    : { kind: 'unknown', reason: 'nothing of the refund shows yet' }
}

/** Query after a sent refund. If it fails, nothing follows about the refund, which did reach the acquirer. */
export const askAfter = async (ask: () => Promise<AcquirerState>): Promise<AcquirerState> => {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AcquirerUnreachable) return { kind: 'unknown', reason: error.message }
    throw error
  }
}

/**
 * State of a refund that the answer rejects. It is refused only if the payment shows no trace of it: when a layer in
 * between repeats a request, a refund that took effect may be answered like this.
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
