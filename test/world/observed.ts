/** The view of operators and merchants: open alerts, sent notifications and sent transactions. */
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

/** A transaction of ours with its newest attempt. Fees are the chain's smallest units. */
export interface Sent {
  id: string
  purpose: string
  state: string
  senders: string[]
  nonce: number | null
  keys: string[]
  attempts: number
  /** of the newest attempt; null before it is signed */
  hash: string | null
  unsigned: string
  plannedFee: bigint
  /** null before a block has it */
  fee: bigint | null
}

/** Our transactions in the order in which they were planned. */
export const sentTransactions = async (db: Db): Promise<Sent[]> =>
  (
    await sql<Sent>`select o.id, o.purpose, o.state, o.senders, o.nonce, o.keys, o.attempt as attempts, a.hash, a.unsigned,
        a.network_fee as "plannedFee", o.network_fee as fee
      from outgoing o join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
      order by o.created_at, o.nonce, o.id`.execute(db)
  ).rows

/** How many sets of bytes were signed. */
export const signedAttempts = async (db: Db): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from outgoing_attempts where raw is not null`.execute(db)).rows[0]!.n
