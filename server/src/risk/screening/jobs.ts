import type { Screener } from '../../adapters/screening/port.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { conclude, decide, type JudgedSubscriber } from './commands.ts'
import { judge } from './judging.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { watchAges } from './lists.ts'
import { waitingTooLong } from './queries.ts'
import type { Answers, Screening, ScreeningRules } from './screening.ts'
import { claimScreening, keepAnswers } from './store.ts'

export interface ScreenDeps {
  runtime: Runtime
  screeners: readonly Screener[]
  rules: ScreeningRules
  onJudged: readonly JudgedSubscriber[]
  /** whether money that no provider knows stays unanswered, instead of clean */
  mustBeKnown(tx: Tx, screening: Screening): Promise<boolean>
  pause: (name: string) => Promise<void>
}

/** Number of subjects per run, so that errors of other jobs and the end of the process are not delayed. */
const MOST_OF_A_RUN = 20
/** Number of consecutive failures of one provider per run. */
const MOST_FAILURES = 3
/** Longer than all providers need if all their requests time out. */
const LEASE_MS = 3 * 60_000
const FIRST_RETRY_MS = 5_000
const LONGEST_RETRY_MS = 15 * 60_000
const AGES_EVERY_MS = 60_000
const WAITING_EVERY_MS = 10_000
const HOUR_MS = 3_600_000

/** ms before the next attempt. */
export const retryAfter = (attempts: number): number =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20))

/** Asks providers about due subjects. Any number of workers may run it on one database. */
export const createScreenJob = (deps: ScreenDeps): Job => ({
  name: 'screen',
  everyMs: 1_000,
  run: async (signal) => {
    const failures = new Map<string, number>()
    for (let n = 0; n < MOST_OF_A_RUN && !signal.aborted; n += 1) {
      const { clock, db } = deps.runtime
      const now = clock.now()
      const screening = await claimScreening(db, {
        at: new Date(clock.business()),
        now: new Date(now),
        leaseUntil: new Date(now + LEASE_MS),
      })
      if (!screening) return false
      await deps.pause('screening-claimed')
      const { answers, problem } = await askAll(deps, screening, failures)
      await deps.pause('screening-asked')
      await keep(deps, screening, answers, problem)
      await deps.pause('screening-stored')
    }
    return true
  },
})

/**
 * Asks the providers that have not answered yet. A provider with repeated failures is skipped until the next run,
 * because each further subject would cost its timeout. The failure of one provider does not affect the others.
 */
const askAll = async (
  { screeners, runtime }: ScreenDeps,
  { answers, subject, id }: Screening,
  failures: Map<string, number>,
): Promise<{ answers: Answers; problem: string | null }> => {
  const all: Record<string, Answers[string]> = { ...answers }
  const problems: string[] = []
  for (const screener of screeners) {
    const known = answers[screener.name]
    if (known !== undefined && known.kind !== 'pending') continue
    const failed = failures.get(screener.name) ?? 0
    if (failed >= MOST_FAILURES) {
      problems.push(`${screener.name} has just failed ${failed} times`)
      continue
    }
    try {
      const screened = known === undefined ? await screener.screen(subject) : await screener.recheck(subject, known.ref)
      all[screener.name] = { ...screened, at: runtime.clock.business() }
      failures.delete(screener.name)
      if (screened.kind === 'pending') problems.push(`${screener.name} is still working on it`)
    } catch (error) {
      problems.push((error as Error).message)
      failures.set(screener.name, failed + 1)
      runtime.log.warn({ screeningId: id, err: error }, 'a screening provider could not be queried')
    }
  }
  return { answers: all, problem: problems.length === 0 ? null : problems.join('; ') }
}

const NOTHING_KNOWN = 'no provider knows anything of it: look at it yourself and release or reject it'

const keep = async (
  { runtime, rules, onJudged, mustBeKnown }: ScreenDeps,
  screening: Screening,
  answers: Answers,
  problem: string | null,
): Promise<void> => {
  const moment = momentOf(runtime)
  const { at } = moment
  const late = screening.state === 'asked' && at.getTime() - screening.createdAt.getTime() >= rules.lateAfterMs
  await inTransaction(runtime.db, async (tx) => {
    const report = judge(answers, rules, at.getTime())
    const isUnknown = problem === null && report.providers.length === 0 && (await mustBeKnown(tx, screening))
    if (problem === null && !isUnknown) {
      const effects = await conclude(tx, screening, { report, answers }, onJudged, moment)
      if (effects) await carryOut(tx, effects, moment)
      return
    }
    const nextAt = new Date(at.getTime() + retryAfter(screening.attempts))
    // A provider without an answer is asked again: a list that is imported later, or a node that is back, may have one.
    const outcome = isUnknown ? { answers: {}, problem: NOTHING_KNOWN } : { answers, problem }
    if ((await keepAnswers(tx, screening, { ...outcome, nextAt, at })) && (late || isUnknown))
      await decide(tx, screening, 'late', moment)
  })
}

const WAITING = 'screening-waiting'

/**
 * Raises one alert about all subjects that no provider has judged for too long, with their age, while there are any.
 */
export const createWaitingAlarm = (runtime: Runtime): Job => ({
  name: 'waiting for screening',
  everyMs: WAITING_EVERY_MS,
  run: async () => {
    const moment = momentOf(runtime)
    const waiting = await waitingTooLong(runtime.db)
    if (waiting === undefined) await resolveAlert(runtime.db, WAITING, 'all', moment.at)
    else {
      const { deposits, withdrawals, since, problem } = waiting
      const hours = ((moment.at.getTime() - since.getTime()) / HOUR_MS).toFixed(1)
      const text = `No provider has judged ${deposits} deposits and ${withdrawals} withdrawals; the oldest has waited for ${hours} h. Bursar continues to query the providers. Last reason: ${problem ?? 'none is known'}`
      await raiseOrRenewAlert(runtime.db, { kind: WAITING, subject: 'all', text }, moment)
    }
    return false
  },
})

/** Raises alerts about lists that are too old. */
export const createListAgeJob = (runtime: Runtime): Job => ({
  name: 'ages of sanctions lists',
  everyMs: AGES_EVERY_MS,
  run: async () => {
    await watchAges(runtime.db, momentOf(runtime))
    return false
  },
})
