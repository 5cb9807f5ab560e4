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
export type InvoiceEffect = 'tellPending' | 'tellDone' | 'tellExpired'

export const invoiceMoves: Moves<InvoiceState, InvoiceEvent, InvoiceEffect> = {
  created: {
    proceeded: to('registered', 'tellPending'),
    ranOut: to('expired', 'tellExpired'),
  },
  registered: {
    seen: to('pending'),
    ranOut: to('expired', 'tellExpired'),
  },
  pending: {
    completed: to('paid', 'tellDone'),
    closed: to('paid', 'tellDone'),
    ranOut: to('expired', 'tellExpired'),
  },
  // Money may come for ever: paying the rest makes it paid after all.
  expired: {
    completed: to('paid', 'tellDone'),
    closed: to('paid', 'tellDone'),
  },
  // Done is never unsent: what a reorganisation takes back lowers what is paid, and alerts the operator.
  paid: {},
}

/** The states in which payments are awaited, and told by the invoice alone. */
export const isOpen = (state: InvoiceState): boolean =>
  state === 'created' || state === 'registered' || state === 'pending'
