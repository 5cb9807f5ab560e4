import type { CoinChainAdapter } from '../../adapters/chains/port.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { forgetAncestry, storeAncestry, unreadAncestry } from './ancestry.ts'

const NETWORK = 'BITCOIN'
const MOST = 100

/**
 * Remembers what unconfirmed deposits stand on, so that a block that replaces an ancestor shows that they can never be
 * mined.
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
      // It left the pool: the watcher notes that, or reads its block.
      if (ancestors !== null) await storeAncestry(runtime.db, NETWORK, transaction, ancestors, momentOf(runtime).at)
    })
    await forgetAncestry(runtime.db, NETWORK)
    return false
  },
})
