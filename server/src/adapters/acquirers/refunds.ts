import type { AcquirerState, RefundOrder } from './port.ts'

/** What an acquirer says of a payment's money, in minor units: what was paid, and how much of it went back altogether. */
export interface MoneyOfPayment {
  acquirerReference: string
  paidUnits: bigint
  backUnits: bigint
  maskedCard: string | undefined
}

export const refusedRefund = (code: string, message: string): AcquirerState =>
  ({ kind: 'refused', acquirerReference: undefined, code, message, maskedCard: undefined })

/**
 * A refund's state where the acquirer takes no reference of it: it is done when the payment gave back that much more than
 * earlier refunds did. Undefined: nothing of it went back yet, so that it may be asked for.
 */
export const refundSoFar = (order: RefundOrder, { acquirerReference, paidUnits, backUnits, maskedCard }: MoneyOfPayment): AcquirerState | undefined => {
  const { units, refundedUnits, ticker } = order
  if (units <= 0n || refundedUnits + units > paidUnits) return refusedRefund('refund_too_large', 'more than is left of the payment')
  if (backUnits >= refundedUnits + units) return { kind: 'succeeded', acquirerReference, ticker, units, feeUnits: undefined, maskedCard }
  if (backUnits === refundedUnits) return undefined
  return { kind: 'unknown', reason: 'another amount went back than is known of' }
}

/** The answer to a refund just asked for: done when the money shows, else it is on its way. */
export const refundAfter = (order: RefundOrder, money: MoneyOfPayment | undefined): AcquirerState =>
  (money === undefined ? undefined : refundSoFar(order, money)) ?? { kind: 'waiting', reason: 'the refund is asked for' }
