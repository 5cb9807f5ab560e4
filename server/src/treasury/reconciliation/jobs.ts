import type { Job } from '../../platform/jobs/index.ts'
import { anchorDay, isAnchored, sealAccounts, verifyLedger, type Finding } from '../../ledger/postings/index.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { headOfActions } from '../../platform/operators/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

/** Once a day, advances the hash chains of the ledger, a page of accounts at a time, and anchors them. */
export const createSealJob = (runtime: Runtime, everyMs: number): Job => {
  let after = 0
  return {
    name: 'seal ledger',
    everyMs,
    run: async () => {
      const at = new Date(runtime.clock.now())
      if (await inTransaction(runtime.db, (tx) => isAnchored(tx, at))) return false
      const page = await inTransaction(runtime.db, (tx) => sealAccounts(tx, after, at))
      after = page?.last ?? 0
      if (page?.last !== undefined) return true
      if (page === undefined) return false
      const anchor = await inTransaction(runtime.db, async (tx) => anchorDay(tx, at, await otherHeads(tx)))
      if (anchor) runtime.log.info({ anchor: anchor.toString('hex') }, 'ledger anchored: keep this hash somewhere else')
      return false
    },
  }
}

/** Returns the heads of other hash chains to anchor with the ledger's: records of manual actions. */
const otherHeads = async (tx: Tx): Promise<string[]> => {
  const head = await headOfActions(tx)
  return head ? [`operator actions|${head.number}|${head.hash}`] : []
}

/** Checks the ledger and its hash chains. @param again from the first entry on, not only entries since the last time */
export const auditBooks = ({ db, clock }: Runtime, { again }: { again: boolean }): Promise<Finding[]> =>
  verifyLedger(db, { again }, new Date(clock.now()))
