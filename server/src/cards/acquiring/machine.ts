import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * A payment on an acquirer's page.
 * - planned: committed, the acquirer knows nothing
 * - asking: the acquirer may have got the order
 * - unsure: it is not known whether the acquirer has the order. No payer has seen its page, so no money can have moved:
 * the next
 *   acquirer has an order of its own, and this one is asked about
 * - open: the page is there, the payer may pay
 * - reported: the acquirer called and said paid; it has not confirmed it yet when asked
 * - credited: confirmed, on the merchant's balance
 * - suspended: confirmed, in suspense: not what was ordered, or nothing waited for it any more
 * - not-taken: proven that the acquirer has no such order
 * - refused: the acquirer ended it without money
 * - expired: the page takes no payment any more and none was under way; the acquirer is still asked, rarely
 * - disputed: booked, and the acquirer says that money went back and not how much: held until a person or a statement
 * says
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
  | 'kept'
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

/** What may come of a payment that an acquirer was given, whatever it said before: money that arrives is never lost. */
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
  // It was passed on when it became so: another order of its own must not follow.
  unsure: { ...awaited, made: to('open', 'notifyChanged'), notTaken: to('not-taken', 'notifyEnded') },
  open: awaited,
  reported: {
    ...money,
    made: to('reported', 'notifyChanged'),
    refused: to('refused', 'notifyEnded'),
    reversed: to('reversed', 'notifyEnded'),
  },
  // Failed and then paid: callbacks come in any order, and a payer may try again on the acquirer's page.
  refused: { ...money, reversed: to('reversed') },
  expired: { ...money, refused: to('refused'), reversed: to('reversed') },
  'not-taken': money,
  credited: { reversed: to('reversed', 'takeBack'), disputed: to('disputed', 'hold') },
  // In suspense nothing is spent, so that nothing has to be held.
  suspended: { credited: to('credited', 'accept'), reversed: to('reversed', 'takeBack') },
  disputed: { kept: to('credited', 'release'), reversed: to('reversed', 'release', 'takeBack') },
  reversed: {},
}

/** The states in which a payment may still bring money by itself, and another try of the same invoice has to wait. */
export const UNDER_WAY: readonly PaymentState[] = ['planned', 'asking', 'open', 'reported']

/** The states that an invoice's expiry waits for. */
export const AWAITED: readonly PaymentState[] = [...UNDER_WAY, 'unsure']
