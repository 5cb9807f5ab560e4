/**
 * Money that arrives. Promises that a transfer on the chain is one deposit permanently and is credited once while it
 * stands on the best chain; that what a contract sent is credited only
 * when its address holds it; that each status is notified once, in the transaction that makes it true; and that a
 * reorganisation takes back exactly what was credited, from the balance or as a debt, without ever stopping the
 * watcher. What a merchant wants screened first is in quarantine until then, and never on its balance.
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
import { clearDeposit, rejectDeposit, verifyDeposit, type DepositKey, type Verified } from './verifying.ts'

export { hasHash } from './deposit.ts'
export { isSum } from './deposit.ts'
export type { Deposit } from './deposit.ts'
export type { Became, DepositSubscriber, Followed, Following } from './subscribers.ts'

export { createAncestryJob } from './jobs-ancestry.ts'
export { createBackingJob } from './jobs-backing.ts'
export { createBalanceCheckJob } from './jobs.ts'

export { DEFAULT_DEPOSIT_POLICY, depositMembers, depositRulesOf } from './policy.ts'
export type { DepositPolicy } from './policy.ts'
export { depositsAt, findDeposit, wasHeld, heldDeposits, type DepositAt } from './queries.ts'
export { depositRoutes } from './routes.ts'
export type { Credited, CreditedSubscriber, DepositSettings, HeldSubscriber } from './settings.ts'

/**
 * What the module does for the watcher (a `ChainSubscriber`), for withdrawals, and for its own balance check. Callers
 * carry out the effects.
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
  /** Credits inner transfers whose addresses hold what the books say with them. */
  backInner(tx: Tx, network: Network, at: Head, held: readonly HeldAt[], moment: Moment): Promise<Effects>
  /** Ends an inner transfer that its address was never seen to hold; undefined when it is none. */
  drop(tx: Tx, key: DepositKey, moment: Moment): Promise<Effects | undefined>
  /** What a judgement does to a deposit, held or credited. */
  verify(tx: Tx, verified: Verified, moment: Moment): Promise<Effects>
  /** Credits a held one whatever was found; undefined when it is not held. */
  clear(tx: Tx, verified: Verified, moment: Moment): Promise<Effects | undefined>
  /** Ends a held one without credit; undefined when it is not held. */
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
  clear: (tx, verified, moment) => clearDeposit(tx, verified, settings, moment),
  reject: (tx, key, moment) => rejectDeposit(tx, key, settings, moment),
})
