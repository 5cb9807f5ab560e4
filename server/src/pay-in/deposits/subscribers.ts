import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Deposit } from './deposit.ts'
import type { DepositEvent } from './machine.ts'

/**
 * A change of a deposit.
 * - sighted: new, in the pool or in a block
 * - mined: in a block of the best chain, and sighted before
 * - held: deep enough, and in quarantine until it is screened
 * - credited: on the merchant's balance
 * - rejected: screened, and never to be credited
 * - suspended: in our wallet, without an owner yet
 * - orphaned: its block was lost, and its postings are reversed
 * - failed: it will not arrive
 */
export type Became = 'sighted' | 'mined' | 'held' | 'credited' | 'rejected' | 'suspended' | 'orphaned' | 'failed'

export interface DepositChange {
  deposit: Deposit
  became: Became
  /** time of the change, on the business clock; for `sighted` and `mined` the time of the block if that is earlier */
  at: Date
}

/** A subscriber's reaction. */
export interface DepositReaction {
  effects: Effects
  /** deposits of which the subscriber notifies the merchant itself */
  unnotified: ReadonlySet<string>
  /** deposits that were credited before without a notification, and of which the merchant must be notified this time */
  afterAll: ReadonlySet<string>
}

/** Called with every change of deposits, in the transaction that makes it, before anything is posted. */
export type DepositSubscriber = (tx: Tx, changes: readonly DepositChange[], moment: Moment) => Promise<DepositReaction>

export const becameBy: { readonly [Event in DepositEvent]?: Became } = {
  confirmed: 'credited',
  withheld: 'held',
  cleared: 'credited',
  rejected: 'rejected',
  refused: 'suspended',
  reorganized: 'orphaned',
  replaced: 'failed',
  lost: 'failed',
}

export const notifySubscribers = async (
  tx: Tx,
  depositSubscribers: readonly DepositSubscriber[],
  changes: readonly DepositChange[],
  moment: Moment,
): Promise<DepositReaction> => {
  const all: DepositReaction[] = []
  if (changes.length > 0) for (const subscriber of depositSubscribers) all.push(await subscriber(tx, changes, moment))
  const union = (of: (reaction: DepositReaction) => ReadonlySet<string>) =>
    new Set(all.flatMap((reaction) => [...of(reaction)]))
  return {
    effects: joinEffects(all.map(({ effects }) => effects)),
    unnotified: union(({ unnotified }) => unnotified),
    afterAll: union(({ afterAll }) => afterAll),
  }
}
