import type { EvmNetwork } from '@bursar/chainkit'
import type { AccountChainAdapter, ChainAdapter, TronChainAdapter } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import type { PausePoint, SendingPolicy, WalletKeys } from '../outgoing/index.ts'
import type { Runtime } from '../platform/runtime.ts'
import type { Withdrawal } from './withdrawal.ts'

/** What taking up withdrawals of one network needs. */
export interface PayoutDeps {
  runtime: Runtime
  catalogue: Catalogue
  adapter: ChainAdapter
  wallet: WalletKeys
  policy: SendingPolicy
  /** those of these that may be sent now: with the approvals their amount asks for */
  approved(withdrawals: readonly Withdrawal[]): Promise<Withdrawal[]>
  pause: PausePoint
}

export interface EvmPayoutDeps extends PayoutDeps {
  network: EvmNetwork
  chainId: bigint
  hotAddress: string
  adapter: AccountChainAdapter
}

export interface TronPayoutDeps extends PayoutDeps {
  hotAddress: string
  adapter: TronChainAdapter
}
