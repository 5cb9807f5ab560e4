import type { Network } from '@bursar/chainkit'
import type { RawBuilder } from 'kysely'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Signer, SignRequest } from '../../adapters/signer/port.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { SendingPolicy } from './policy.ts'
import type { Attempt, Outgoing, OutgoingSubscriber } from './transaction.ts'
import type { WalletKeys } from './wallet.ts'

/** Stops a test process at a named point; does nothing in production. */
export type PausePoint = (name: string) => Promise<void>

/** The parts of a request to the signer other than bytes and keys. */
export type SigningPurpose = Omit<SignRequest, 'network' | 'transactionId' | 'unsigned' | 'keys'>

/** Dependencies for processing the transactions of one network. */
export interface SendingDeps {
  runtime: Runtime
  network: Network
  adapter: ChainAdapter
  signer: Signer
  policy: SendingPolicy
  wallet: WalletKeys
  subscribers: readonly OutgoingSubscriber[]
  /**
   * SQL that is true where a stop covers any payment of a transaction. It is part of the statement that records the
   * request to the signer.
   * @param outgoingId as SQL
   */
  carriesStopped(this: void, outgoingId: RawBuilder<unknown>): RawBuilder<boolean>
  /** the purpose and payments of a transaction, for the signer, and the approvals it has */
  purposeOf(outgoing: Outgoing): Promise<SigningPurpose>
  /** the next intents of its payments, in case this transaction was given up (TRON) */
  nextIntentsOf?(outgoing: Outgoing): Promise<string[]>
  /** the orders that a transaction pays, for their traces; absent: it has none */
  ordersOf?(outgoing: Outgoing): Promise<string[]>
  pause: PausePoint
  /**
   * Plans a transaction that spends an output of ours of this stuck one and pays for both (Bitcoin). Returns true when
   * the stuck one needs nothing more.
   * @param rate thousandths of a satoshi for each virtual byte
   * @param below satoshi: only when it costs less
   */
  payForParent?(outgoing: Outgoing, attempt: Attempt, rate: bigint, below?: bigint): Promise<boolean>
}

/** Pause before a failed step is tried again. */
export const RETRY_MS = 5_000

export const later = ({ runtime }: Pick<SendingDeps, 'runtime'>, ms: number): Date =>
  new Date(runtime.clock.business() + ms)
