import { exposuresOf, type ExchangePolicy } from '../exchanges/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { alertHedging } from './alerts.ts'

/**
 * Creates the job that raises an alert when a limit of a position is nearly used, because a direction is about to
 * close. Runs without a venue too.
 */
export const createPositionWatchJob = (
  { runtime, exchange, warnPercent }: { runtime: Runtime; exchange: ExchangePolicy; warnPercent: bigint },
  everyMs: number,
): Job => ({
  name: 'position limits',
  everyMs,
  run: async () => {
    for (const { asset, exposure, long, short } of await exposuresOf(runtime.db)) {
      const rules = exchange.assets.get(asset)
      const limit = exposure > 0n ? (long ?? rules?.long ?? null) : (short ?? rules?.short ?? null)
      const size = exposure < 0n ? -exposure : exposure
      const isNear = rules !== undefined && limit !== null && size > 0n && size * 100n >= limit * warnPercent
      const text = isNear
        ? `the position of ${asset} is ${formatUnits(size, rules.scale)} ${exposure > 0n ? 'above' : 'below'} the operator's capital; at the limit, ${formatUnits(limit, rules.scale)}, Bursar ${exposure > 0n ? 'buys' : 'sells'} no more`
        : undefined
      await alertHedging(runtime.db, 'position-limit-near', asset, text, momentOf(runtime))
    }
    return false
  },
})
