import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
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
  const { rows } = await sql<{ height: number }>`select height from watch_cursors where network = ${network}`.execute(
    runtime.db,
  )
  return adapter.stateFrom(rows[0]?.height ?? 0)
}
