import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { openSubjects, raiseNewAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { INVARIANTS } from './check.ts'
import type { Invariant, Page, Place, Violation } from './invariant.ts'

/** Rows of one table read in one run, so that a run's cost doesn't grow with the installation. */
const SLICE = 250

const INVARIANT_ALERT = 'invariant-broken'

/** The position of the check of an invariant in its table, and its findings since the start of the table. */
interface Walk {
  invariant: Invariant
  at: Place
  found: Set<string>
}

/**
 * Walks through the rows of every invariant, a slice of each table in each run. A violation that a second snapshot also
 * shows stops outgoing payments and raises an alert, once. An alert ends when a whole walk no longer finds its
 * violation; the stop stays until an operator lifts it.
 */
export const createInvariantJob = (
  runtime: Runtime,
  everyMs: number,
  { most = SLICE, invariants = INVARIANTS }: { most?: number; invariants?: readonly Invariant[] } = {},
): Job => {
  const walks = invariants.map((invariant): Walk => ({ invariant, at: invariant.start, found: new Set() }))
  return {
    name: 'check invariants',
    everyMs,
    run: async (signal) => {
      for (const walk of walks) {
        if (signal.aborted) break
        const page = await readPage(runtime, walk, most)
        if (page.violations.length > 0) {
          const again = await readPage(runtime, walk, most)
          const still = new Set(again.violations.map(({ subject }) => subject))
          const confirmed = page.violations.filter(({ subject }) => still.has(subject))
          for (const { subject } of confirmed) walk.found.add(subject)
          await stopFor(runtime, confirmed)
        }
        if (page.next === undefined) await endWalk(runtime, walk)
        walk.at = page.next ?? walk.invariant.start
      }
      return false
    },
  }
}

/**
 * Has the statements of a transaction planned with indexes, for any statistics of the tables: a page is small,
 * and the rows that belong to its rows must be found without reading whole tables.
 */
export const useIndexesOnly = async (tx: Tx): Promise<void> => {
  await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`.execute(tx)
}

const readPage = ({ db }: Runtime, { invariant, at }: Walk, most: number): Promise<Page> =>
  inTransaction(db, async (tx) => {
    await useIndexesOnly(tx)
    return invariant.find(tx, at, most)
  })

const subjectOf = ({ invariant, subject }: Violation): string => `${invariant}/${subject}`

const stopFor = (runtime: Runtime, violations: readonly Violation[]): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    for (const violation of violations) {
      const { invariant, asset, merchantId, subject, text } = violation
      const what = asset ?? (merchantId === null ? 'everything' : `merchant ${merchantId}`)
      const isNew = await raiseNewAlert(
        tx,
        {
          kind: INVARIANT_ALERT,
          subject: subjectOf(violation),
          text:
            `The books break the invariant ${invariant} at ${subject}: ${text}. Outgoing payments of ${what} are stopped. ` +
            'Find out why before you lift the stop: docs/operating/recovery.md, "A broken invariant"',
          detail: { invariant, asset, merchantId },
        },
        moment,
      )
      if (!isNew) continue
      const reason = `the invariant ${invariant} is broken at ${subject}`
      await createStop(tx, { asset, merchantId: asset === null ? merchantId : null, reason }, moment)
    }
  })

const endWalk = async (runtime: Runtime, walk: Walk): Promise<void> => {
  const prefix = `${walk.invariant.name}/`
  const gone = (await openSubjects(runtime.db, [INVARIANT_ALERT], prefix)).filter(
    (subject) => !walk.found.has(subject.slice(prefix.length)),
  )
  if (gone.length > 0) await resolveAlertsOf(runtime.db, [INVARIANT_ALERT], gone, momentOf(runtime).at)
  walk.found = new Set()
}
