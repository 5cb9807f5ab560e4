import type { Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type {
  ChangeKey,
  HotKey,
  NewOutgoing,
  OwnCoin,
  PausePoint,
  SendingPolicy,
  WalletKeys,
} from '../../chain/transactions/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { TreasuryPolicy } from '../reconciliation/index.ts'
import type { SpendableSun } from '../sweeps/index.ts'

/** Dependencies for transfers to cold storage of one network. */
export interface ColdDeps {
  runtime: Runtime
  catalogue: Catalogue
  network: Network
  adapter: ChainAdapter
  wallet: WalletKeys
  sending: SendingPolicy
  treasury: TreasuryPolicy
  /** EVM chains only */
  chainId?: bigint
  /** TRON only: the sun that the hot address can send now, after all pending payments; staked TRX is not part of it */
  spendable?(): Promise<SpendableSun>
  /** the cold address that the signer's policy has for an asset of this network; undefined when it has none */
  signersCold(ticker: string): Promise<string | undefined>
  pause: PausePoint
}

export interface Wanted {
  id: string
  ticker: string
  /** chain units */
  units: bigint
  /** chain units that stay spendable: waiting withdrawals, and the least balance of the policy; read on TRON only */
  reserved: bigint
  /** chain units above the cap up to which nothing is moved; read where a fee reduces the amount */
  slack: bigint
  /** chain units above the target, at all hot addresses together */
  above: bigint
  to: string
  /** EVM chains: the hot address that has it */
  from?: HotKey
}

/** A transaction to be signed elsewhere, with the reservations it needs. */
export interface ColdPlan {
  /** chain units that it moves: on TRON possibly less than wanted, because staked TRX can't be sent */
  units: bigint
  transaction: Omit<NewOutgoing, 'id' | 'network' | 'purpose'>
  hash: string | null
  coins: readonly OwnCoin[]
  change: ChangeKey | null
  /** Bitcoin: the previous transactions of the coins, without witnesses, by txid */
  previous: ReadonlyMap<string, Uint8Array>
}
