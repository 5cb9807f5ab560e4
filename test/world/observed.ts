/** What operators and merchants would see: alerts that stand, notifications that were sent. */
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'

export interface OpenAlert {
  kind: string
  subject: string
  text: string
}

/** Alerts that have not ended, by their kinds and subjects. */
export const openAlerts = async (db: Db): Promise<OpenAlert[]> => {
  const { rows } =
    await sql<OpenAlert>`select kind, subject, text from alerts where resolved_at is null order by kind, subject`.execute(
      db,
    )
  return rows
}

/** Their kinds. */
export const alertKinds = async (db: Db): Promise<string[]> => (await openAlerts(db)).map(({ kind }) => kind)

/** Notifications of a merchant in their order, with the JSON that is sent. */
export const notificationsOf = async (
  db: Db,
  merchantId: string,
): Promise<{ objectId: string; status: string; body: Record<string, unknown> }[]> => {
  const { rows } = await sql<{
    objectId: string
    status: string
    body: string
  }>`select object_id as "objectId", status, body from events where merchant_id = ${merchantId} order by sequence`.execute(
    db,
  )
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as Record<string, unknown> }))
}
