import type { CoinChainAdapter } from '../../adapters/chains/port.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { forgetAncestry, storeAncestry, unreadAncestry } from './ancestry.ts'

const NETWORK = 'BITCOIN'
const MOST = 100

/**
 * Stores the unconfirmed ancestors of unconfirmed deposits, so that a block that replaces an ancestor shows that the
 * deposits can never be mined.
 */
export const createAncestryJob = (
  runtime: Runtime,
  adapter: Pick<CoinChainAdapter, 'ancestorsOf'>,
  everyMs: number,
): Job => ({
  name: 'ancestors of deposits BITCOIN',
  everyMs,
  run: async () => {
    const unread = await unreadAncestry(runtime.db, NETWORK, MOST)
    await forEachIsolated(unread, async (transaction) => {
      const ancestors = await adapter.ancestorsOf(transaction)
      // null: it has left the pool, which the watcher notices, or reads its block.
      if (ancestors !== null) await storeAncestry(runtime.db, NETWORK, transaction, ancestors, momentOf(runtime).at)
    })
    await forgetAncestry(runtime.db, NETWORK)
    return false
  },
})
