import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Deposit } from './deposit.ts'
import type { DepositEvent } from './machine.ts'

/**
 * What became of a deposit.
 * - sighted: new, in the pool or in a block
 * - mined: in a block of the best chain, sighted before that had it
 * - held: deep enough, and not the merchant's before it is screened
 * - credited: on the merchant's balance
 * - rejected: it was screened and will not be the merchant's
 * - suspended: in our wallet, and without an owner yet
 * - orphaned: its block was lost; what was booked for it is taken back
 * - failed: it will not come
 */
export type Became = 'sighted' | 'mined' | 'held' | 'credited' | 'rejected' | 'suspended' | 'orphaned' | 'failed'

export interface Followed {
  deposit: Deposit
  became: Became
  /** when it did, on the business clock; for `sighted` and `mined` the time of its block where that is earlier */
  at: Date
}

/** What a follower wants done besides. */
export interface Following {
  effects: Effects
  /** deposits whose merchants it tells in its own words instead */
  unnotified: ReadonlySet<string>
  /**
   * deposits it kept without a notification when they were credited before, of which their merchants are to be notified
   * this time
   */
  afterAll: ReadonlySet<string>
}

/** Called with every change of deposits in the transaction that makes it, before anything is posted. */
export type DepositSubscriber = (tx: Tx, followed: readonly Followed[], moment: Moment) => Promise<Following>

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
  followed: readonly Followed[],
  moment: Moment,
): Promise<Following> => {
  const all: Following[] = []
  if (followed.length > 0) for (const follower of depositSubscribers) all.push(await follower(tx, followed, moment))
  const union = (of: (following: Following) => ReadonlySet<string>) =>
    new Set(all.flatMap((following) => [...of(following)]))
  return {
    effects: joinEffects(all.map(({ effects }) => effects)),
    unnotified: union(({ unnotified }) => unnotified),
    afterAll: union(({ afterAll }) => afterAll),
  }
}
