import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * States of a payment on an acquirer's page.
 * - planned: committed; nothing has been sent to the acquirer
 * - asking: the order is being sent; the acquirer may have received it
 * - unsure: it is unknown whether the acquirer has the order. No payer has seen its page, so no money can have moved:
 *   the next acquirer gets an order of its own, and this one is still queried
 * - open: the page exists, and the payer can pay
 * - reported: the acquirer's callback says paid, but its answer to our query does not confirm that yet
 * - credited: confirmed, and on the merchant's balance
 * - suspended: confirmed, and in suspense: it differs from the order, or nothing waits for it any more
 * - not-taken: the acquirer is proven not to have the order
 * - refused: the acquirer ended it without money
 * - expired: the page takes no payment any more, and none was in progress; the acquirer is still queried, rarely
 * - disputed: credited, and the acquirer says that money was returned but not how much; the amount is held until an
 *   operator or a statement decides
 * - reversed: the acquirer took the money back
 */
export type PaymentState =
  | 'planned'
  | 'asking'
  | 'unsure'
  | 'open'
  | 'reported'
  | 'credited'
  | 'suspended'
  | 'not-taken'
  | 'refused'
  | 'expired'
  | 'disputed'
  | 'reversed'
export type PaymentEvent =
  | 'asked'
  | 'made'
  | 'notTaken'
  | 'unanswered'
  | 'reported'
  | 'credited'
  | 'suspended'
  | 'refused'
  | 'expired'
  | 'reversed'
  | 'disputed'
  | 'disputeEnded'
export type PaymentEffect =
  | 'credit'
  | 'suspend'
  | 'accept'
  | 'takeBack'
  | 'hold'
  | 'release'
  | 'failOver'
  | 'notifyReported'
  | 'notifyEnded'
  | 'notifyChanged'

/**
 * Events by which money is posted. They are accepted in every state in which a payer may have paid, regardless
 * of the acquirer's earlier reports.
 */
const money = {
  credited: to('credited', 'credit'),
  suspended: to('suspended', 'suspend'),
} as const satisfies Partial<Moves<PaymentState, PaymentEvent, PaymentEffect>[PaymentState]>

const awaited = {
  ...money,
  reported: to('reported', 'notifyReported'),
  refused: to('refused', 'notifyEnded'),
  expired: to('expired', 'notifyEnded'),
  reversed: to('reversed', 'notifyEnded'),
} as const satisfies Partial<Moves<PaymentState, PaymentEvent, PaymentEffect>[PaymentState]>

export const paymentMoves: Moves<PaymentState, PaymentEvent, PaymentEffect> = {
  planned: { asked: to('asking') },
  asking: {
    made: to('open', 'notifyChanged'),
    notTaken: to('not-taken', 'failOver'),
    unanswered: to('unsure', 'failOver'),
  },
  // `failOver` already ran when it became `unsure`, so it must not run again.
  unsure: { ...awaited, made: to('open', 'notifyChanged'), notTaken: to('not-taken', 'notifyEnded') },
  open: awaited,
  reported: {
    ...money,
    made: to('reported', 'notifyChanged'),
    refused: to('refused', 'notifyEnded'),
    reversed: to('reversed', 'notifyEnded'),
  },
  // A refused payment may still be paid: callbacks arrive in any order, and a payer may retry on the acquirer's page.
  refused: { ...money, reversed: to('reversed') },
  expired: { ...money, refused: to('refused'), reversed: to('reversed') },
  'not-taken': money,
  credited: { reversed: to('reversed', 'takeBack'), disputed: to('disputed', 'hold') },
  // Money in suspense can't be spent, so a dispute has nothing to hold.
  suspended: { credited: to('credited', 'accept'), reversed: to('reversed', 'takeBack') },
  disputed: { disputeEnded: to('credited', 'release'), reversed: to('reversed', 'release', 'takeBack') },
  reversed: {},
}

/** States in which the payer may still pay, so that another attempt at the same invoice has to wait. */
export const UNDER_WAY: readonly PaymentState[] = ['planned', 'asking', 'open', 'reported']

/** The states that an invoice's expiry waits for. */
export const AWAITED: readonly PaymentState[] = [...UNDER_WAY, 'unsure']
