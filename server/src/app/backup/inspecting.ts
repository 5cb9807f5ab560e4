import { auditBooks } from '../../treasury/reconciliation/index.ts'
import { checkInvariant, INVARIANTS } from '../../treasury/invariants/index.ts'
import { createDb, createPool, type Db } from '../../platform/db/index.ts'
import { createLog } from '../../platform/process/log.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { createIds } from '../../platform/runtime/ids.ts'
import { markAsCopy } from '../../platform/runtime/installation.ts'

const withDb = async <T>(url: string, work: (db: Db) => Promise<T>): Promise<T> => {
  const pool = createPool({ url, max: 2, applicationName: 'bursar restore', statementMs: 86_400_000 })
  try {
    return await work(createDb(pool))
  } finally {
    await pool.end()
  }
}

/** Marks a restored database as a copy. */
export const markCopy = (url: string): Promise<void> => withDb(url, markAsCopy)

/**
 * Checks every entry of the ledger and every invariant of a restored database, without its signer and nodes.
 * @returns a sentence for each fault
 */
export const auditCopy = (url: string): Promise<string[]> =>
  withDb(url, async (db) => {
    const runtime = { db, clock: createClock(), newId: createIds(), log: createLog('silent', 'cli') }
    const findings = (await auditBooks(runtime, { again: true })).map(
      ({ check, subject, detail }) => `${check} ${subject}: ${detail}`,
    )
    for (const invariant of INVARIANTS) {
      const violations = await checkInvariant(invariant, db)
      findings.push(...violations.map(({ subject, text }) => `invariant ${invariant.name}: ${subject}: ${text}`))
    }
    return findings
  })
