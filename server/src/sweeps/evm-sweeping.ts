import type { EvmNetwork } from '@bursar/chainkit'
import type { SweepContracts } from '@bursar/chainkit/evm'
import type { AccountChainAdapter } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import type { PausePoint, SendingPolicy } from '../outgoing/index.ts'
import type { Runtime } from '../platform/runtime.ts'
import type { SweepPolicy } from './policy.ts'

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
  /** tickers that the signer's policy lets be swept on the network now: none while it is switched off */
  allowed(): Promise<ReadonlySet<string>>
  pause: PausePoint
}

/** The same, with what one round holds to. */
export interface EvmRound extends EvmSweepDeps {
  contracts: SweepContracts
}

/** Another process was faster: everything of the transaction is taken back. */
export class Taken extends Error {
  override name = 'Taken'
}
