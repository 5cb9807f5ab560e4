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

/** What a request to the signer says besides the bytes and the keys. */
export type SigningPurpose = Omit<SignRequest, 'network' | 'transactionId' | 'unsigned' | 'keys'>

/** What carrying on the transactions of one network needs. */
export interface SendingDeps {
  runtime: Runtime
  network: Network
  adapter: ChainAdapter
  signer: Signer
  policy: SendingPolicy
  wallet: WalletKeys
  subscribers: readonly OutgoingSubscriber[]
  /**
   * True where a stop covers any of what a transaction carries: SQL that stands in the statement which notes that the
   * signer is asked
   * @param outgoingId as SQL
   */
  carriesStopped(this: void, outgoingId: RawBuilder<unknown>): RawBuilder<boolean>
  /** the purpose and payments of a transaction, for the signer, and the approvals it has */
  purposeOf(outgoing: Outgoing): Promise<SigningPurpose>
  /** the intents that its payments would have had next, had this one been given up (TRON) */
  nextIntentsOf?(outgoing: Outgoing): Promise<string[]>
  pause: PausePoint
  /**
   * Plans a transaction that spends an output of ours of this stuck one and pays for both (Bitcoin); true when it did.
   * @param rate thousandths of a satoshi for each virtual byte
   * @param below satoshi: only when it costs less
   */
  payForParent?(outgoing: Outgoing, attempt: Attempt, rate: bigint, below?: bigint): Promise<boolean>
}

/** Before a step that failed is tried again. */
export const RETRY_MS = 5_000

export const later = ({ runtime }: Pick<SendingDeps, 'runtime'>, ms: number): Date =>
  new Date(runtime.clock.business() + ms)
