import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * A crypto invoice (`contract.md` 5.16).
 * - created: no payment is requested on a chain yet
 * - registered: the payer has reached the payment step; an address is allocated
 * - pending: a payment has been seen
 * - paid: enough was credited, or the merchant closed it
 * - expired: its time is over, and no payment seen in time is pending any more, or none that was mined in time
 */
export type InvoiceState = 'created' | 'registered' | 'pending' | 'paid' | 'expired'

/**
 * - proceeded: the payer continued, or the merchant skipped that step
 * - seen: a first payment was seen
 * - completed: the credited amount reaches the requested amount, or lacks only what the merchant's settings accept
 * - closed: the merchant accepts the credited amount as sufficient
 * - ranOut: its time is over
 */
export type InvoiceEvent = 'proceeded' | 'seen' | 'completed' | 'closed' | 'ranOut'
export type InvoiceEffect = 'notifyPending' | 'notifyDone' | 'notifyExpired'

export const invoiceMoves: Moves<InvoiceState, InvoiceEvent, InvoiceEffect> = {
  created: {
    proceeded: to('registered', 'notifyPending'),
    ranOut: to('expired', 'notifyExpired'),
  },
  registered: {
    seen: to('pending'),
    ranOut: to('expired', 'notifyExpired'),
  },
  pending: {
    completed: to('paid', 'notifyDone'),
    closed: to('paid', 'notifyDone'),
    ranOut: to('expired', 'notifyExpired'),
  },
  // A payment may still come: paying the rest makes the invoice paid.
  expired: {
    completed: to('paid', 'notifyDone'),
    closed: to('paid', 'notifyDone'),
  },
  // Done is never withdrawn: a reorganisation lowers the paid amount and alerts the operator.
  paid: {},
}

/** The states in which payments are expected, and only the invoice notifies of them. */
export const isOpen = (state: InvoiceState): boolean =>
  state === 'created' || state === 'registered' || state === 'pending'
