import type { Job } from '../../platform/jobs/index.ts'
import { openSubjects, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { unsignedPurposes } from './queries.ts'
import { refusalSubject, SIGNER_ALERTS } from './refusals.ts'
import type { SendingDeps } from './sending.ts'

/** Sweeps and consolidations that the signer refused are planned again within an hour. */
const LASTS_MS = 2 * 60 * 60_000

/**
 * Creates the job that ends alerts about a purpose whose transactions the signer refused, when none of it waits for a
 * signature any more and none was refused for two hours. A signature of that purpose ends them too.
 */
export const createRefusalJob = (
  { runtime, network }: Pick<SendingDeps, 'runtime' | 'network'>,
  everyMs: number,
): Job => ({
  name: `refusals ${network}`,
  everyMs,
  run: async () => {
    const { at } = momentOf(runtime)
    const open = await openSubjects(runtime.db, SIGNER_ALERTS, `${network}/`)
    if (open.length === 0) return false
    const waiting = new Set(
      (await unsignedPurposes(runtime.db, network, new Date(at.getTime() - LASTS_MS))).map((purpose) =>
        refusalSubject(network, purpose),
      ),
    )
    const over = open.filter((subject) => !waiting.has(subject))
    await resolveAlertsOf(runtime.db, SIGNER_ALERTS, over, at)
    return false
  },
})
