import { routeOf } from '../acquiring/index.ts'
import { AcquirerUnreachable, type Acquirer } from '../../adapters/acquirers/port.ts'
import { IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import { withoutCardNumbers } from '../../platform/api/card-numbers.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { attemptsOf, claimAsks } from './attempts.ts'
import type { Outcome } from './commands.ts'
import { record } from './jobs-recording.ts'
import type { Attempt } from './payout.ts'
import type { CardPayoutDeps } from './sending.ts'
import { findPart } from './store.ts'

const LEASE_MS = 60_000
const MOST_AT_ONCE = 8

/**
 * Creates the job that queries one acquirer account about its orders until each has ended. Each account has its own
 * job, so an acquirer that hangs does not delay the others.
 */
export const createAskingJob = (deps: CardPayoutDeps, acquirer: Acquirer, everyMs: number): Job => ({
  name: `ask ${acquirer.name} for card payouts`,
  everyMs,
  idleMs: IDLE_MS,
  run: async () => {
    const due = await claimAsks(deps.runtime.db, acquirer.name, momentOf(deps.runtime).at, LEASE_MS, MOST_AT_ONCE)
    await Promise.all(due.map((attempt) => askOne(deps, acquirer, attempt)))
    return due.length === MOST_AT_ONCE
  },
})

/** Queries one order. If the answer can't be posted, the order is queried again when its lease ends. */
const askOne = async (deps: CardPayoutDeps, acquirer: Acquirer, attempt: Attempt): Promise<void> => {
  try {
    const outcome = await stateOf(deps, acquirer, attempt)
    await deps.pause('card-payout-asked')
    await record(deps, attempt, outcome, await prospectsOf(deps, attempt))
  } catch (error) {
    deps.runtime.log.error(
      { err: error, reference: attempt.reference },
      'the result of a card payout could not be posted and is queried again',
    )
  }
}

const stateOf = async ({ runtime }: CardPayoutDeps, acquirer: Acquirer, { reference }: Attempt): Promise<Outcome> => {
  try {
    return await acquirer.payoutState(reference)
  } catch (error) {
    const why = error instanceof Error ? withoutCardNumbers(error.message) : 'it threw no error'
    if (!(error instanceof AcquirerUnreachable))
      runtime.log.error({ account: acquirer.name, reference, why }, 'querying a card payout failed')
    return { kind: 'unknown', reason: why }
  }
}

/** Whether a part can go to an account that has not refused it. */
const prospectsOf = async (
  { runtime, routing }: CardPayoutDeps,
  { partId, account }: Attempt,
): Promise<{ another: boolean; attempts: number }> => {
  const part = await findPart(runtime.db, partId)
  if (!part) return { another: false, attempts: 1 }
  const before = await attemptsOf(runtime.db, partId)
  const refused = new Set(before.filter(({ state }) => state === 'refused').map((attempt) => attempt.account)).add(
    account,
  )
  const names = routeOf(routing, { direction: 'payout', ticker: part.ticker, units: part.units }, new Set())
  return { another: names.some((name) => !refused.has(name)), attempts: part.attempts }
}
