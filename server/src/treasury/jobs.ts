import type { Job } from '../jobs/index.ts'
import { auditLedger, findBrokenSeal, anchorDay, sealEntries, type Finding } from '../ledger/index.ts'
import { inTransaction } from '../db/index.ts'
import type { Runtime } from '../platform/runtime.ts'

/** Advances the hash chains of the ledger, and anchors them once a day. */
export const createSealJob = (runtime: Runtime, everyMs: number): Job => ({
  name: 'seal ledger',
  everyMs,
  run: async () => {
    const at = new Date(runtime.clock.now())
    const sealed = await inTransaction(runtime.db, (tx) => sealEntries(tx, at))
    const anchor = await inTransaction(runtime.db, (tx) => anchorDay(tx, at))
    if (anchor) runtime.log.info({ anchor: anchor.toString('hex') }, 'ledger anchored: keep this hash somewhere else')
    return sealed > 0
  },
})

/** The ledger held against itself and its hash chains. */
export const auditBooks = async ({ db }: Runtime): Promise<{ findings: Finding[]; brokenSeal: { accountId: number; version: number } | null }> => ({
  findings: await auditLedger(db),
  brokenSeal: await findBrokenSeal(db),
})
