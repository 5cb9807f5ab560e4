import type { EvmNetwork } from '@bursar/chainkit'
import type { SweepContracts } from '@bursar/chainkit/evm'
import type { AccountChainAdapter } from '../../../adapters/chains/port.ts'
import type { Catalogue } from '../../../market/assets/index.ts'
import type { PausePoint, SendingPolicy } from '../../../chain/transactions/index.ts'
import type { Runtime } from '../../../platform/runtime/runtime.ts'
import type { SweepPolicy } from '../policy.ts'

/** What the signer's policy lets be swept on a network now: nothing while it is switched off. Tickers. */
export interface Allowed {
  all: ReadonlySet<string>
  /** tokens whose transfers it signs for others to carry out (EIP-3009) */
  signed: ReadonlySet<string>
}

/** What bringing deposits of one EVM network together needs. */
export interface EvmSweepDeps {
  runtime: Runtime
  catalogue: Catalogue
  network: EvmNetwork
  chainId: bigint
  adapter: AccountChainAdapter
  /** where everything goes, EIP-55 */
  hotAddress: string
  policy: SweepPolicy
  sending: SendingPolicy
  allowed(): Promise<Allowed>
  pause: PausePoint
}

/** The same, with what one round holds to. */
export interface EvmRound extends EvmSweepDeps {
  contracts: SweepContracts
  permitted: Allowed
  /**
   * units of gas that an authorisation adds now, and that a payment to an account without history takes; undefined
   * where the node estimates none
   */
  authorization?: bigint | undefined
  newAccount?: bigint | undefined
}

/** Another process was faster: everything of the transaction is taken back. */
export class Taken extends Error {
  override name = 'Taken'
}
