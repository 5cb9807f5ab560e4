import type { Db } from '../db/index.ts'
import { adjustmentText } from './adjustment.ts'
import { hasSigned } from './person.ts'
import { unposted } from './queries.ts'
import { databaseIdentity, listAdjustments, listPeople, type AdjustmentLine } from './store.ts'

export interface AuditedAdjustments {
  applied: AdjustmentLine[]
  /** what is wrong, a sentence each */
  findings: string[]
}

/**
 * Every adjustment that was applied, newest first, held against its signature and its postings. Signatures are of the database that
 * they were made in: of what was applied before a restore only the postings are held against it.
 * @param restored when the database became another one; null: never
 */
export const auditAdjustments = async (db: Db, restored: Date | null): Promise<AuditedAdjustments> => {
  const applied = (await listAdjustments(db)).filter(({ signed }) => signed !== null)
  const people = new Map((await listPeople(db)).map((person) => [person.id, person]))
  const database = await databaseIdentity(db)
  const unsigned = applied.filter((adjustment) => {
    const { signed } = adjustment
    if (restored !== null && signed!.appliedAt <= restored) return false
    return !hasSigned(people.get(signed!.person)!, adjustmentText(adjustment, database), signed!.signature)
  })
  const findings = [
    ...unsigned.map(({ id, signed }) => `adjustment ${id}: the signature is not ${signed!.person}'s of it`),
    ...(await unposted(db)).map(({ id, posted, units }) => `adjustment ${id}: ${posted} units were posted, not ${units}`),
  ]
  return { applied, findings }
}
