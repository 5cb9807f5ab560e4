import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'

/**
 * Records a change of a merchant and its author, in the transaction of the change. `detail` must not contain secrets.
 */
export const audit = async (
  tx: Tx,
  merchantId: string,
  { actor, action, detail }: { actor: string; action: string; detail: unknown },
  { at, newId }: Moment,
): Promise<void> => {
  await sql`insert into merchant_audit(merchant_id, id, at, actor, action, detail)
    values (${merchantId}, ${newId()}, ${at}, ${actor}, ${action}, ${JSON.stringify(detail)})`.execute(tx)
}

export interface AuditLine {
  at: Date
  actor: string
  action: string
  detail: unknown
}

/** The recorded changes of a merchant, newest first. */
export const listAudit = async (db: Db, merchantId: string, most = 100): Promise<AuditLine[]> => {
  const { rows } = await sql<AuditLine>`select at, actor, action, detail from merchant_audit
    where merchant_id = ${merchantId} order by at desc, id desc limit ${most}`.execute(db)
  return rows
}
