import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * A crypto invoice (`contract.md` 5.16).
 * - created: nothing is asked for on a chain yet
 * - registered: the payer has reached the payment step; an address is allocated
 * - pending: a payment has been seen
 * - paid: enough was credited, or the merchant closed it
 * - expired: time ran out, and no payment that was seen in time is still on its way, or none that a block has had in
 * time
 */
export type InvoiceState = 'created' | 'registered' | 'pending' | 'paid' | 'expired'

/**
 * - proceeded: the payer continued, or the merchant had that skipped
 * - seen: a first payment was seen
 * - completed: what is credited reaches what is asked
 * - closed: the merchant takes what there is for enough
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
  // Money may always come: paying the rest makes it paid after all.
  expired: {
    completed: to('paid', 'notifyDone'),
    closed: to('paid', 'notifyDone'),
  },
  // Done is never unsent: what a reorganisation takes back lowers what is paid, and alerts the operator.
  paid: {},
}

/** The states in which payments are awaited, and only the invoice notifies of them. */
export const isOpen = (state: InvoiceState): boolean =>
  state === 'created' || state === 'registered' || state === 'pending'
