import { AcquirerUnreachable, type Acquirer, type StatementLine } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { compareLines, missingLines, partsOf, type PayoutBooks, type StatementFinding } from './reconciling.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Statements overlap, so that a line missing from one because it was late is on the next. */
const LOOKED_BACK_MS = 3 * DAY_MS
/** A posting older than this must be on a statement. */
const SETTLED_AFTER_MS = 12 * HOUR_MS
/** Of one transaction: short enough that callbacks and answers do not wait for the payments it locks. */
const LINES_AT_ONCE = 50

export interface StatementDeps {
  runtime: Runtime
  payouts: PayoutBooks
  pause(name: string): Promise<void>
}

/**
 * Compares statement lines with the books, and raises or ends the acquirer's alert. Each part of the statement has a
 * transaction of its own, so that a payment is locked for a few lines only.
 * @param booked the period whose bookings must be on a statement, in ms of the business clock
 */
export const reconcileLines = async (
  { runtime, payouts }: Pick<StatementDeps, 'runtime' | 'payouts'>,
  acquirer: string,
  lines: readonly StatementLine[],
  booked: { from: number; to: number },
): Promise<StatementFinding[]> => {
  const findings: StatementFinding[] = []
  for (const part of partsOf(lines, LINES_AT_ONCE)) {
    const found = await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const compared = await compareLines(tx, { acquirer, lines: part }, payouts, moment)
      await carryOut(tx, compared.effects, moment)
      return compared.findings
    })
    findings.push(...found)
  }
  return inTransaction(runtime.db, async (tx) => {
    const period = { acquirer, from: new Date(booked.from), to: new Date(booked.to) }
    const all = [...findings, ...(await missingLines(tx, period, payouts))]
    await reportFindings(tx, acquirer, all, momentOf(runtime))
    return all
  })
}

const reportFindings = async (
  tx: Tx,
  acquirer: string,
  findings: readonly StatementFinding[],
  moment: Moment,
): Promise<void> => {
  const lasting = findings.filter(({ kind }) => kind !== 'open')
  if (lasting.length === 0) return resolveAlert(tx, 'statement-differs', acquirer, moment.at)
  const kinds = [...new Set(lasting.map(({ kind }) => kind))]
    .map((one) => `${lasting.filter(({ kind }) => kind === one).length} ${one}`)
    .join(', ')
  const text = `The statement of ${acquirer} and the books differ: ${kinds}. Look: bursar reconcile --acquirer ${acquirer}`
  await raiseOrRenewAlert(tx, { kind: 'statement-differs', subject: acquirer, text }, moment)
}

/**
 * Fetches an acquirer's statement of the last days from its API, and compares it with the books. Throws
 * AcquirerUnreachable.
 */
export const reconcileAcquirer = async (
  deps: StatementDeps,
  acquirer: Acquirer,
  lookedBackMs = LOOKED_BACK_MS,
): Promise<StatementFinding[]> => {
  const { runtime, pause } = deps
  const now = runtime.clock.now()
  const lines = await acquirer.statement!({ from: now - lookedBackMs, to: now })
  await pause('statement-read')
  const business = runtime.clock.business()
  return reconcileLines(deps, acquirer.name, lines, { from: business - lookedBackMs, to: business - SETTLED_AFTER_MS })
}

/** Creates the job that fetches the statement of every acquirer that offers one, several times a day. */
export const createStatementJob = (
  deps: StatementDeps & { acquirers: ReadonlyMap<string, Acquirer> },
  everyMs: number,
): Job => ({
  name: 'statements of acquirers',
  everyMs,
  run: async () => {
    for (const acquirer of deps.acquirers.values()) {
      if (!acquirer.statement || !acquirer.capabilities.statement) continue
      try {
        await reconcileAcquirer(deps, acquirer)
      } catch (error) {
        if (!(error instanceof AcquirerUnreachable)) throw error
        deps.runtime.log.warn(
          { err: error, acquirer: acquirer.name },
          'a statement could not be read and is tried again',
        )
      }
    }
    return false
  },
})
