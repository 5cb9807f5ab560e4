/**
 * Effects of a change: the postings, custody moves and notifications that belong to it, in addition to its own rows. A
 * module returns its effects instead of carrying them out, so that all effects of one transaction are posted in one
 * call and notified in one call. Locks are always taken in this order: accounts, balances of addresses, event heads.
 */
import type { Moment } from '../../platform/base/moment.ts'
import { noteChanges, type OrderChange } from '../../platform/traces/tracing.ts'
import { moveCustody, type CustodyMove } from '../address-balances/index.ts'
import { makesWork, type Tx } from '../../platform/db/index.ts'
import { applyAll, type Item } from '../postings/index.ts'
import { emit, type Notice } from '../../merchants/webhooks/index.ts'

export interface Effects {
  items: readonly Item[]
  notices: readonly Notice[]
  /** changes of the balances of our addresses, each from its block on */
  moves?: readonly CustodyMove[]
}

export const noEffects: Effects = Object.freeze({ items: Object.freeze([]), notices: Object.freeze([]) })

export const joinEffects = (all: readonly Effects[]): Effects => ({
  items: all.flatMap((effects) => effects.items),
  notices: all.flatMap((effects) => effects.notices),
  moves: all.flatMap((effects) => effects.moves ?? []),
})

/**
 * Carries out the effects of a transaction: postings, custody moves, then notifications. Call it once, at the end of
 * the transaction. Throws when a posting is refused.
 */
export const carryOut = async (tx: Tx, { items, notices, moves = [] }: Effects, moment: Moment): Promise<void> => {
  await applyAll(tx, items)
  await moveCustody(tx, moves)
  await emit(tx, notices, moment)
  if (moves.length > 0) makesWork(tx)
  noteChanges(tx, () => changesIn(items, notices))
}

/** The orders that effects change, for their traces. */
const changesIn = (items: readonly Item[], notices: readonly Notice[]): OrderChange[] => [
  ...items.map(({ transfer: { cause } }) => ({ orderId: cause.id, kind: cause.kind })),
  ...notices.map(({ objectId, kind, status }) => ({ orderId: objectId, kind, status })),
]
