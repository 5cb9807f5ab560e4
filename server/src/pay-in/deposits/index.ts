/**
 * Deposits. Guarantees:
 * - a transfer on the chain keeps the same deposit, with the same id, even if it is mined again in another block; it is
 *   credited once for as long as its block is on the best chain;
 * - ETH or BNB that a contract sent is credited only after the address's balance at a final block shows that it holds
 *   the sum;
 * - the merchant's notification of each status is stored once, in the database transaction that sets the status;
 * - a reorganisation reverses exactly the credited amount: from the merchant's balance, and as a debt for the part that
 *   the merchant has already spent; the watcher is never stopped by it;
 * - if the merchant has deposits screened first, the money is in quarantine, not on the balance, until it is cleared.
 */
import type { Block, ChainTransaction, Head, Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { backInner, type HeldAt } from './backing.ts'
import { explainBalances, type Explained, type HeldBy } from './balance-check.ts'
import { dropDeposit } from './dropping.ts'

import { receiveInternal, type InternalTransfer } from './internal.ts'
import { observeBlock, observePool } from './observing.ts'
import type { DepositSettings } from './settings.ts'
import { orphanDeposits, settleDeposits } from './settling.ts'
import { decideAtStolenSeed, requireDecided } from './first-seed.ts'
import { clearDeposit, rejectDeposit, verifyDeposit, type DepositKey, type Verified } from './verifying.ts'

export { creditedAt, decidedSums, undecidedDeposits, undecidedSums } from './first-seed.ts'
export type { UndecidedDeposit } from './first-seed.ts'
export { hasHash } from './deposit.ts'
export { isSum } from './deposit.ts'
export type { Deposit } from './deposit.ts'
export type { Became, DepositSubscriber, DepositChange, DepositReaction } from './subscribers.ts'

export { createAncestryJob } from './jobs-ancestry.ts'
export { createBackingJob } from './jobs-backing.ts'
export { createUndecidedJob } from './jobs-undecided.ts'
export { createBalanceCheckJob } from './jobs.ts'

export { DEFAULT_DEPOSIT_POLICY, depositMembers, depositRulesOf } from './policy.ts'
export type { DepositPolicy } from './policy.ts'
export {
  countHeldOf,
  depositsAt,
  findDeposit,
  findDepositAt,
  largestDepositsAt,
  wasHeld,
  heldDeposits,
  type DepositAt,
} from './queries.ts'
export { depositRoutes } from './routes.ts'
export { listDeposits } from './listing.ts'
export type { DepositFilter } from './listing.ts'
export { depositListRoute } from './routes-listing.ts'
export type { Credited, CreditedSubscriber, DepositSettings, HeldSubscriber } from './settings.ts'

/**
 * Operations on deposits, called by the watcher (as a `ChainSubscriber`), by withdrawals, screening and operators'
 * commands, and by this module's own jobs. Callers carry out the returned effects.
 */
export interface Deposits {
  block(tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects>
  orphaned(tx: Tx, network: Network, fromHeight: number, moment: Moment): Promise<Effects>
  settled(
    tx: Tx,
    network: Network,
    heights: { headHeight: number; finalHeight: number },
    moment: Moment,
  ): Promise<Effects>
  mempool(
    tx: Tx,
    network: Network,
    pool: { added: readonly ChainTransaction[]; hashes: ReadonlySet<string> },
    moment: Moment,
  ): Promise<Effects>
  receiveInternal(tx: Tx, transfer: InternalTransfer, moment: Moment): Promise<Effects>
  explainBalances(
    tx: Tx,
    network: Network,
    at: Head,
    held: readonly HeldBy[],
    moment: Moment,
  ): Promise<Explained | undefined>
  /**
   * Credits inner transfers (coin sent by contracts) whose address holds at least the balance in the books, these
   * included.
   */
  backInner(tx: Tx, network: Network, at: Head, held: readonly HeldAt[], moment: Moment): Promise<Effects>
  /** Fails an inner transfer that no balance has confirmed; undefined when the deposit is not such a transfer. */
  drop(tx: Tx, key: DepositKey, moment: Moment): Promise<Effects | undefined>
  /** Applies the result of screening to a held or credited deposit. */
  verify(tx: Tx, verified: Verified, moment: Moment): Promise<Effects>
  /** Credits a held deposit, regardless of its screening; undefined when the deposit is not held. */
  clear(tx: Tx, verified: Verified, moment: Moment): Promise<Effects | undefined>
  /** Decides about deposits at a stolen seed; undefined unless each of them waits for a decision. */
  decide(
    tx: Tx,
    decision: { ids: readonly string[]; isCredited: boolean },
    moment: Moment,
  ): Promise<Effects | undefined>
  /** Rejects a held deposit without crediting it; undefined when the deposit is not held. */
  reject(tx: Tx, key: DepositKey, moment: Moment): Promise<Effects | undefined>
}

export const createDeposits = (settings: DepositSettings): Deposits => ({
  block: (tx, network, block, moment) => observeBlock(tx, network, block, settings, moment),
  orphaned: (tx, network, fromHeight, moment) => orphanDeposits(tx, network, fromHeight, settings, moment),
  settled: (tx, network, heights, moment) => settleDeposits(tx, network, heights, settings, moment),
  mempool: (tx, network, pool, moment) => observePool(tx, network, pool, settings, moment),
  receiveInternal: (tx, transfer, moment) => receiveInternal(tx, transfer, settings, moment),
  explainBalances: (tx, network, at, held, moment) => explainBalances(tx, network, at, held, settings, moment),
  backInner: (tx, network, at, held, moment) => backInner(tx, network, at, held, settings, moment),
  drop: (tx, key, moment) => dropDeposit(tx, key, settings, moment),
  verify: (tx, verified, moment) => verifyDeposit(tx, verified, settings, moment),
  clear: async (tx, verified, moment) => {
    await requireDecided(tx, verified)
    return clearDeposit(tx, verified, settings, moment)
  },
  decide: (tx, decision, moment) => decideAtStolenSeed(tx, decision, settings, moment),
  reject: (tx, key, moment) => rejectDeposit(tx, key, settings, moment),
})
