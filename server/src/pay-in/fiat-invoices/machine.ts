import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * A fiat invoice (`contract.md` 5.20).
 * - created: the payer has not continued yet
 * - pending: the payer has given an e-mail address, or the merchant skipped that step; the payer may try cards
 * - paid: an acquirer has reported a payment, and not confirmed it yet
 * - done: confirmed and credited
 * - failed: a card was refused and the page accepts no other, or the invoice expired without a payment; no payment was
 *   under way
 */
export type FiatInvoiceState = 'created' | 'pending' | 'paid' | 'done' | 'failed'

/** The states in which the payer can still try a card. */
export const isOpen = (state: FiatInvoiceState): boolean => state === 'created' || state === 'pending'

/** `unreported`: the acquirer does not confirm the payment that it reported. */
export type FiatInvoiceEvent = 'proceeded' | 'reported' | 'unreported' | 'credited' | 'ranOut'
export type FiatInvoiceEffect = 'notifyPending' | 'notifyDone' | 'notifyFailed'

export const fiatInvoiceMoves: Moves<FiatInvoiceState, FiatInvoiceEvent, FiatInvoiceEffect> = {
  created: {
    proceeded: to('pending', 'notifyPending'),
    ranOut: to('failed', 'notifyFailed'),
  },
  pending: {
    reported: to('paid'),
    credited: to('done', 'notifyDone'),
    ranOut: to('failed', 'notifyFailed'),
  },
  paid: {
    credited: to('done', 'notifyDone'),
    unreported: to('pending'),
  },
  // Done is never withdrawn: a chargeback takes the money back and alerts the operator.
  done: {},
  failed: {},
}
