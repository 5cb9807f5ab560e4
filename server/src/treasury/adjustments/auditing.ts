import type { Db } from '../../platform/db/index.ts'
import { adjustmentText } from './adjustment.ts'
import { restoredAt } from '../../platform/runtime/installation.ts'
import { enrolmentText, hasSigned } from './person.ts'
import { unposted } from './queries.ts'
import {
  databaseIdentity,
  findAdjustment,
  listAdjustments,
  listPeople,
  vouchersSignatures,
  type AdjustmentLine,
  type PersonLine,
} from './store.ts'

export interface AuditedAdjustments {
  applied: AdjustmentLine[]
  /** the faults, a sentence each */
  findings: string[]
}

/**
 * Checks every applied adjustment, the newest first, against its signature and its postings. A signature is valid only
 * in the database where it was made, so adjustments applied before a restore are checked against their postings only.
 * @param restored when the database became another one; null: never
 */
export const auditAdjustments = async (db: Db, restored: Date | null): Promise<AuditedAdjustments> => {
  const applied = (await listAdjustments(db)).filter(({ signed }) => signed !== null)
  const records = await readRecords(db, restored)
  const findings = [
    ...[...records.people.values()].flatMap((person) => whyNotEnrolled(records, person) ?? []),
    ...applied.flatMap((adjustment) => {
      const why = whyUnsigned(records, adjustment)
      return why === undefined ? [] : [`adjustment ${adjustment.id}: ${why}`]
    }),
    ...(await unposted(db)).map(
      ({ id, posted, units }) => `adjustment ${id}: ${posted} units were posted, not ${units}`,
    ),
  ]
  return { applied, findings }
}

/** Returns the applied adjustments without a valid signature of an authorised person: by id, with the reason. */
export const forgedAdjustments = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const records = await readRecords(db, await restoredAt(db))
  const forged = new Map<string, string>()
  for (const id of ids) {
    const adjustment = await findAdjustment(db, id)
    const person = adjustment?.signed && records.people.get(adjustment.signed.person)
    if (!adjustment?.signed || !person) continue
    const why = whyUnsigned(records, adjustment) ?? whyNotEnrolled(records, person)
    if (why !== undefined) forged.set(id, why)
  }
  return forged
}

/** The records that signatures are checked against. */
interface Records {
  people: ReadonlyMap<string, PersonLine>
  /** signatures of vouchers, by the person vouched for */
  vouchers: ReadonlyMap<string, string>
  database: string
  restored: Date | null
}

const readRecords = async (db: Db, restored: Date | null): Promise<Records> => ({
  people: new Map((await listPeople(db)).map((person) => [person.id, person])),
  vouchers: await vouchersSignatures(db),
  database: await databaseIdentity(db),
  restored,
})

const whyUnsigned = ({ people, database, restored }: Records, adjustment: AdjustmentLine): string | undefined => {
  const { person, signature, appliedAt } = adjustment.signed!
  if (restored !== null && appliedAt <= restored) return undefined
  return hasSigned(people.get(person)!, adjustmentText(adjustment, database), signature)
    ? undefined
    : `the signature is not ${person}'s of it`
}

/** Returns why a person is not validly enrolled. All but one person need the signature of an enrolled person. */
const whyNotEnrolled = (records: Records, person: PersonLine, seen: readonly string[] = []): string | undefined => {
  const { people, vouchers, database, restored } = records
  const { id, vouchedBy, enrolledAt } = person
  if (vouchedBy === null)
    return [...people.values()].filter((one) => one.vouchedBy === null).length > 1
      ? `person ${id}: no person vouches for ${id}, nor for another one`
      : undefined
  const voucher = people.get(vouchedBy)!
  const isOld = restored !== null && enrolledAt <= restored
  if (seen.includes(id) || !(isOld || hasSigned(voucher, enrolmentText(person, database), vouchers.get(id) ?? '')))
    return `person ${id}: the signature is not ${vouchedBy}'s of this enrolment`
  return whyNotEnrolled(records, voucher, [...seen, id])
}
