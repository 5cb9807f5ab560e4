import { seedIndex, type EvmNetwork } from '@bursar/chainkit'
import type { SweepContracts } from '@bursar/chainkit/evm'
import type { AccountChainAdapter } from '../../../adapters/chains/port.ts'
import type { Catalogue } from '../../../market/assets/index.ts'
import type { PausePoint, SendingPolicy } from '../../../chain/transactions/index.ts'
import type { Runtime } from '../../../platform/runtime/runtime.ts'
import type { SweepPolicy } from '../policy.ts'
import type { Seed } from '../queries.ts'

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
  /** receiver of all sweeps, EIP-55: the first hot address of the seed whose deposit addresses are swept */
  hotAddress: string
  /** derivation index of its key */
  hotIndex: number
  /** set for the first seed when a second has replaced it; `stolen` when another party may have the first */
  firstSeed?: 'replaced' | 'stolen'
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

/** The seed whose deposit addresses are swept. */
export const seedOf = ({ hotIndex }: EvmSweepDeps): Seed => seedIndex(hotIndex).seed

/** Subject of alerts about the sweeps of one seed. */
export const subjectOf = ({ network, hotAddress, firstSeed }: EvmSweepDeps): string =>
  firstSeed === undefined ? network : `${network}/${hotAddress}`

/** Thrown when another process was faster, to roll the transaction back. */
export class Taken extends Error {
  override name = 'Taken'
}
