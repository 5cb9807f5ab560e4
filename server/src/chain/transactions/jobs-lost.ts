import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { lostOn } from './lost.ts'

const MOST_AT_ONCE = 500

/** Broadcasts final transactions of lost blocks again, with the same bytes, until they are in blocks. */
export const createLostJob = (
  runtime: Runtime,
  adapter: Pick<ChainAdapter, 'network' | 'broadcast'>,
  everyMs: number,
): Job => ({
  name: `lost transactions ${adapter.network}`,
  everyMs,
  run: async (signal) => {
    for (const { id, hash, raw } of await lostOn(runtime.db, adapter.network, MOST_AT_ONCE)) {
      if (signal.aborted) break
      const result = await adapter.broadcast(raw)
      if (result.kind === 'accepted') {
        await resolveAlert(runtime.db, 'lost-transaction-refused', id, momentOf(runtime).at)
        continue
      }
      const text =
        `${adapter.network} rejects transaction ${hash}, which was final and is in no block any more: ${result.message}. ` +
        `If another transaction has used its nonce or coins, it can't be repeated: its merchants were notified of Done and its receivers have to be paid by hand`
      await raiseAlert(runtime.db, { kind: 'lost-transaction-refused', subject: id, text }, momentOf(runtime))
    }
    return false
  },
})
