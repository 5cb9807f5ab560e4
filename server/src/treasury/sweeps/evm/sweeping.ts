import { seedIndex, type EvmNetwork } from '@bursar/chainkit'
import type { SweepContracts } from '@bursar/chainkit/evm'
import type { AccountChainAdapter } from '../../../adapters/chains/port.ts'
import type { Catalogue } from '../../../market/assets/index.ts'
import type { PausePoint, SendingPolicy } from '../../../chain/transactions/index.ts'
import type { Runtime } from '../../../platform/runtime/runtime.ts'
import type { SweepPolicy } from '../policy.ts'
import type { Holder } from '../sweep.ts'

/** Tickers that the signer's policy allows to sweep on a network now: none while it is switched off. */
export interface Allowed {
  all: ReadonlySet<string>
  /** tokens whose transfers it signs for others to execute (EIP-3009) */
  signed: ReadonlySet<string>
}

/** Dependencies of sweeps on one EVM network. */
export interface EvmSweepDeps {
  runtime: Runtime
  catalogue: Catalogue
  network: EvmNetwork
  chainId: bigint
  adapter: AccountChainAdapter
  /** receiver of all sweeps, EIP-55 */
  hotAddress: string
  /** derivation index of its key */
  hotIndex: number
  policy: SweepPolicy
  sending: SendingPolicy
  allowed(): Promise<Allowed>
  pause: PausePoint
}

/** Dependencies with the values of one round. */
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

/** Whether a holder is of a first seed that a second has replaced: the hot address is of the second. */
export const isReplaced = (
  { hotIndex }: Pick<EvmSweepDeps, 'hotIndex'>,
  { derivationIndex }: Pick<Holder, 'derivationIndex'>,
): boolean => seedIndex(hotIndex).seed === 'second' && seedIndex(derivationIndex).seed === 'first'

/** Thrown when another process was faster, to roll the transaction back. */
export class Taken extends Error {
  override name = 'Taken'
}
