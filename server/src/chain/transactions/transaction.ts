import type { Network } from '@bursar/chainkit'
import type { SignerRefusal } from '../../adapters/signer/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import type { OutgoingEvent, OutgoingState } from './machine.ts'

/**
 * The purpose of a transaction. `payout` pays withdrawals, `filler` uses up a nonce, `sweep` moves deposits to the hot
 * wallet, `gas` sends an address the fee of its own transfer, `consolidation` joins small coins, `resources` stakes,
 * lends or activates on TRON, `cold` pays the operator's cold address, `rebalance` moves money between hot addresses.
 */
export type Purpose = 'payout' | 'filler' | 'sweep' | 'gas' | 'consolidation' | 'resources' | 'cold' | 'rebalance'

export interface Outgoing {
  id: string
  network: Network
  purpose: Purpose
  state: OutgoingState
  senders: string[]
  nonce: number | null
  keys: string[]
  attempt: number
  minedHash: string | null
  minedHeight: number | null
  minedBlock: string | null
  /** native units, once mined */
  networkFee: bigint | null
  succeeded: boolean | null
  firstBroadcastAt: Date | null
  /** Bitcoin: the unconfirmed transaction that it pays for by spending from it */
  paysFor: string | null
  /** since when nodes refuse the current attempt as invalid; null if they do not, or none got it */
  refusedSince: Date | null
  epoch: number
}

/** One attempt of the transaction: the first, or a replacement at a higher fee. */
export interface Attempt {
  attempt: number
  /** hex */
  unsigned: string
  keys: { account: 'deposit' | 'hot'; branch: 0 | 1; index: number }[]
  /** native units it pays the network, at most */
  networkFee: bigint
  hash: string | null
  /** hex, once signed */
  raw: string | null
  /** TRON: no node accepts it after this */
  expiresAt: Date | null
  createdAt: Date
}

/**
 * A change of state of one of our transactions; subscribers get it in the database transaction that makes it.
 * `refused`: nothing of it will ever be mined, because nothing was signed, or because it is proven dead.
 */
export interface OutgoingChange {
  event: Exclude<OutgoingEvent, 'signed' | 'imported' | 'withdrawn' | 'superseded'>
  outgoing: Outgoing
  /** of the attempt it is about; null when it was abandoned */
  hash: string | null
  /**
   * of `refused`: refused by a stop and not by the signer, so that payments without a stop may be planned again at once
   */
  withheld?: boolean
  /**
   * of `refused`: it was signed, and final blocks prove that it can never be mined. Its payments need other intents,
   * except for those that a transaction in these blocks has paid
   */
  superseded?: { paid: ReadonlySet<string> }
  /** of `refused`: the signer's answer */
  refusal?: SignerRefusal
}

/** A subscriber of a module whose money our transactions carry. `app` lists them; this module knows none. */
export type OutgoingSubscriber = (tx: Tx, change: OutgoingChange, moment: Moment) => Promise<Effects>
