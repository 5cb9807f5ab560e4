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

/** Dependencies of the planning of one network's withdrawals. */
export interface PayoutDeps {
  runtime: Runtime
  catalogue: Catalogue
  adapter: ChainAdapter
  wallet: WalletKeys
  policy: SendingPolicy
  signer: Pick<Signer, 'closeIntent'>
  /** those that may be sent now: with the approvals that their amounts require */
  approved(withdrawals: readonly Withdrawal[]): Promise<Withdrawal[]>
  /** called with withdrawals that can't be paid */
  withdrawalSubscribers?: readonly WithdrawalSubscriber[]
  pause: PausePoint
}

export interface BitcoinPayoutDeps extends PayoutDeps {
  adapter: CoinChainAdapter
}

/**
 * Plans payments directly from deposit addresses: of withdrawals that cost less than by a sweep and the hot wallet, or,
 * if `why` is `short`, of all that a deposit address can pay.
 * @returns ids of the planned withdrawals
 */
export type PayFromDeposits = (waiting: readonly Withdrawal[], why: 'cheaper' | 'short') => Promise<ReadonlySet<string>>

export interface EvmPayoutDeps extends PayoutDeps {
  network: EvmNetwork
  chainId: bigint
  /** the addresses that pay, the first one first */
  hotKeys: readonly HotKey[]
  /** the first one, to which the operator sends missing funds */
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
 * A receiver's code runs at the platform's cost, while the withdrawal fee is that of a plain payment. Payments that
 * need more gas are refused.
 */
export const MOST_GAS = 300_000n
/** Gas of a coin payment to an existing account without code. */
export const PLAIN_GAS = 21_000n

export type GasRate = Extract<FeeRate, { kind: 'gas' }>

export const gasRateOf = async ({ adapter, network }: Pick<EvmPayoutDeps, 'adapter' | 'network'>): Promise<GasRate> => {
  const rate = await adapter.feeRate()
  if (rate.kind !== 'gas') throw new Error(`${network} estimates fees for each unit of gas`)
  return rate
}

/** The members of a stored transaction that its sending address determines. */
export const hotRow = (network: EvmNetwork, { address, index }: HotKey, nonce: number) => ({
  network,
  senders: [address],
  nonce,
  keys: [`${address}:${nonce}`],
  signingKeys: [{ account: 'hot' as const, branch: 0 as const, index }],
})
