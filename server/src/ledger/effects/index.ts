/**
 * What a change wants done besides its own rows. Modules answer with effects instead of carrying them out, so that
 * whatever happens in one transaction is posted in one call and notified in one call. Promises one order of locks:
 * accounts, then what addresses hold, then event heads.
 */
import type { Moment } from '../../platform/base/moment.ts'
import { moveCustody, type CustodyMove } from '../address-balances/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { applyAll, type Item } from '../postings/index.ts'
import { emit, type Notice } from '../../merchants/webhooks/index.ts'

export interface Effects {
  items: readonly Item[]
  notices: readonly Notice[]
  /** what addresses of ours hold more or less from this block on */
  moves?: readonly CustodyMove[]
}

export const noEffects: Effects = Object.freeze({ items: Object.freeze([]), notices: Object.freeze([]) })

export const joinEffects = (all: readonly Effects[]): Effects => ({
  items: all.flatMap((effects) => effects.items),
  notices: all.flatMap((effects) => effects.notices),
  moves: all.flatMap((effects) => effects.moves ?? []),
})

/**
 * Carries out the effects of a transaction, once, at its end: postings, none of which may be refused, moves, then
 * notices.
 */
export const carryOut = async (tx: Tx, { items, notices, moves = [] }: Effects, moment: Moment): Promise<void> => {
  await applyAll(tx, items)
  await moveCustody(tx, moves)
  await emit(tx, notices, moment)
}
