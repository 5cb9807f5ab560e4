import {
  createHedgeAskingJob,
  createHedgeJob,
  createPositionWatchJob,
  createVenueComparisonJob,
} from '../../exchange/hedging/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { createUsdtMarketsReader } from '../../market/rates/index.ts'
import type { WorkerDeps, World } from './world.ts'

const HEDGE_EVERY_MS = 1_000
const ASK_EVERY_MS = 500
const COMPARE_EVERY_MS = 15_000
const WATCH_EVERY_MS = 5_000
/** Used where nothing is hedged. */
const WARN_PERCENT = 80n

/** Composes the jobs that hedge the position, and that raise alerts about its limits. */
export const createHedgeJobs = (
  { runtime, catalogue, exchange, hedging }: World,
  { venue, pause }: Pick<WorkerDeps, 'venue' | 'pause'>,
): Job[] => {
  const watch = createPositionWatchJob(
    { runtime, exchange, warnPercent: hedging?.warnPercent ?? WARN_PERCENT },
    WATCH_EVERY_MS,
  )
  if (venue === null || hedging === null) return [watch]
  const deps = {
    runtime,
    catalogue,
    policy: hedging,
    venue,
    usdtMarkets: createUsdtMarketsReader(runtime.db, runtime.clock.now),
    pause,
  }
  return [
    watch,
    createHedgeJob(deps, HEDGE_EVERY_MS),
    createHedgeAskingJob(deps, ASK_EVERY_MS),
    createVenueComparisonJob({ runtime, catalogue, venue }, COMPARE_EVERY_MS),
  ]
}
