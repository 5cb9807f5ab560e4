/** All operations that move money, or that decide whether it may move. */
import { cardPaymentOperations } from './card-payments.ts'
import { cardOperations } from './cards.ts'
import { controlOperations } from './control.ts'
import { exchangeOperations } from './exchange.ts'
import type { Operation, Subject } from './operation.ts'
import { ownCoinOperations } from './own-coins.ts'
import { payInOperations } from './pay-in.ts'
import { screeningOperations } from './screening.ts'
import { withdrawalOperations } from './withdrawals.ts'

export const OPERATIONS: readonly Operation[] = [
  ...withdrawalOperations,
  ...payInOperations,
  ...exchangeOperations,
  ...cardOperations,
  ...cardPaymentOperations,
  ...screeningOperations,
  ...ownCoinOperations,
  ...controlOperations,
]

export type Pair = readonly [Operation, Operation]

/** Every two of them, and each with itself: then two processes do the same at once, to one object if it has one. */
export const PAIRS: readonly Pair[] = OPERATIONS.flatMap((one, at) =>
  OPERATIONS.slice(at).map((other): Pair => [one, other]),
)

/** They compete for one balance, one hold, one invoice, one card payout, or one chain. */
const OFTEN = ['withdraw', 'give-back', 'take-back', 'pay-late', 'refund', 'exchange-once', 'convert', 'card-paid']

/** Every two of the operations that most often meet: those that `npm test` tries. */
export const OFTEN_MEETING: readonly Pair[] = PAIRS.filter((pair) => pair.every(({ name }) => OFTEN.includes(name)))

/** Balances of the merchant. All that changes one of them meets there in the same way: by the lock of its account. */
const BALANCES: readonly Subject[] = ['USDT', 'UAH']
/** Orders that take from a balance: an operation that changes it is tried with these and with itself. */
const TAKING = ['withdraw', 'exchange', 'pay-card']

/** Subjects that both touch and at least one of them changes. */
const sharedBy = ([one, other]: Pair): Subject[] => {
  const touched = ({ changes, reads = [] }: Operation): readonly Subject[] => [...changes, ...reads]
  return [
    ...one.changes.filter((subject) => touched(other).includes(subject)),
    ...other.changes.filter((subject) => touched(one).includes(subject)),
  ]
}

/** Those that can meet on one object or on one balance. */
export const MEETING: readonly Pair[] = PAIRS.filter((pair) => sharedBy(pair).length > 0)

/**
 * Those that `.ci/run` tries: all that meet on an object. Of those that meet only on a balance, each operation with
 * itself and with the orders that take from it.
 */
export const CHOSEN: readonly Pair[] = MEETING.filter(
  (pair) =>
    pair[0] === pair[1] ||
    pair.some(({ name }) => TAKING.includes(name)) ||
    sharedBy(pair).some((subject) => !BALANCES.includes(subject)),
)

export const nameOf = ([one, other]: Pair): string => `${one.name},${other.name}`
