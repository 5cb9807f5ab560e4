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
 * The chain's state at a block that the books have read, or at a newer one. What the books hold for mined was mined by
 * that block, when they are asked before this: coin that has left is then missing from balances, or is still
 * subtracted, and never neither. Throws `ChainUnavailable` while the node is behind the books.
 */
export const currentState = async ({ runtime, network, adapter }: StateDeps): Promise<AccountState> => {
  return adapter.stateFrom((await heightOf(runtime.db, network)) ?? 0)
}
