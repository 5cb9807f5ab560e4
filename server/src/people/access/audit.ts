import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Now } from './now.ts'

export interface Audited {
  /** null: it is about a person alone */
  merchantId: string | null
  /** whom it is about */
  personId: string | null
  /** `person:ID` or `cli:LOGIN` */
  actor: string
  action: string
  detail?: Readonly<Record<string, unknown>>
}

/** Records an action of a person or an operator, in the transaction of the action. `detail` has no secrets. */
export const record = async (
  tx: Tx,
  { merchantId, personId, actor, action, detail = {} }: Audited,
  { real, moment }: Now,
): Promise<void> => {
  await sql`insert into dashboard_audit(id, at, merchant_id, person_id, actor, action, detail)
    values (${moment.newId()}, ${real}, ${merchantId}, ${personId}, ${actor}, ${action}, ${JSON.stringify(detail)})`.execute(
    tx,
  )
}

export const actorOf = (personId: string): string => `person:${personId}`

export interface AuditRow {
  at: Date
  merchantId: string | null
  personId: string | null
  actor: string
  action: string
  detail: unknown
}

/** The recorded actions about one person, newest first. */
export const listPersonActions = async (db: Db, personId: string, most: number): Promise<AuditRow[]> =>
  (
    await sql<AuditRow>`select at, merchant_id as "merchantId", person_id as "personId", actor, action, detail
      from dashboard_audit where person_id = ${personId} order by at desc, id desc limit ${most}`.execute(db)
  ).rows
