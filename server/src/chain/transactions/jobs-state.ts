import { heightOf } from '../watcher/index.ts'
import type { Network } from '@bursar/chainkit'
import type { AccountChainAdapter, AccountState } from '../../adapters/chains/port.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

interface StateDeps {
  runtime: Runtime
  network: Network
  adapter: AccountChainAdapter
}

/**
 * Returns the chain's state at the block that the books have read, or at a newer one. Read the books before calling it:
 * each outgoing amount is then either missing from the balances or still subtracted in the books, never neither. Throws
 * `ChainUnavailable` while the node is behind the books.
 */
export const currentState = async ({ runtime, network, adapter }: StateDeps): Promise<AccountState> => {
  return adapter.stateFrom((await heightOf(runtime.db, network)) ?? 0)
}
