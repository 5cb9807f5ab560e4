import type { EvmNetwork } from '@bursar/chainkit'
import type {
  AccountChainAdapter,
  ChainAdapter,
  CoinChainAdapter,
  FeeRate,
  TronChainAdapter,
} from '../../adapters/chains/port.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { HotKey, PausePoint, SendingPolicy, WalletKeys } from '../../chain/transactions/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { WithdrawalSubscriber } from './commands.ts'
import type { Withdrawal } from './withdrawal.ts'

/** What taking up withdrawals of one network needs. */
export interface PayoutDeps {
  runtime: Runtime
  catalogue: Catalogue
  adapter: ChainAdapter
  wallet: WalletKeys
  policy: SendingPolicy
  signer: Pick<Signer, 'closeIntent'>
  /** those of these that may be sent now: with the approvals their amount asks for */
  approved(withdrawals: readonly Withdrawal[]): Promise<Withdrawal[]>
  /** called with withdrawals that can't be paid */
  withdrawalSubscribers?: readonly WithdrawalSubscriber[]
  pause: PausePoint
}

export interface BitcoinPayoutDeps extends PayoutDeps {
  adapter: CoinChainAdapter
}

/**
 * Plans payments straight from deposit addresses: of withdrawals that cost less that way than by a sweep and the hot
 * wallet, or, of those the hot wallet is short for, wherever it can be done.
 * @returns ids of those that were planned
 */
export type PayFromDeposits = (waiting: readonly Withdrawal[], why: 'cheaper' | 'short') => Promise<ReadonlySet<string>>

export interface EvmPayoutDeps extends PayoutDeps {
  network: EvmNetwork
  chainId: bigint
  /** those that pay, the first of them first */
  hotKeys: readonly HotKey[]
  /** the first, where the operator sends what is missing */
  hotAddress: string
  adapter: AccountChainAdapter
  fromDeposits?: PayFromDeposits
}

export interface TronPayoutDeps extends PayoutDeps {
  hotAddress: string
  adapter: TronChainAdapter
  fromDeposits?: PayFromDeposits
}

/**
 * A receiver's code runs at our cost, and a withdrawal's fee is that of a plain payment: what takes more gas is not
 * paid.
 */
export const MOST_GAS = 300_000n
/** Coin sent to an account that is there and runs no code takes this. */
export const PLAIN_GAS = 21_000n

export type GasRate = Extract<FeeRate, { kind: 'gas' }>

export const gasRateOf = async ({ adapter, network }: Pick<EvmPayoutDeps, 'adapter' | 'network'>): Promise<GasRate> => {
  const rate = await adapter.feeRate()
  if (rate.kind !== 'gas') throw new Error(`${network} estimates fees for each unit of gas`)
  return rate
}

/** What is stored of a transaction by who sends it. */
export const hotRow = (network: EvmNetwork, { address, index }: HotKey, nonce: number) => ({
  network,
  senders: [address],
  nonce,
  keys: [`${address}:${nonce}`],
  signingKeys: [{ account: 'hot' as const, branch: 0 as const, index }],
})
