import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { StoredMail } from './mail.ts'
import { selectMails } from './store.ts'

/** Whether a worker sends mail. A page offers receipts by mail only then. */
export const sendsMail = async (db: Db | Tx): Promise<boolean> =>
  (await sql<{ sends: boolean }>`select sends from mail_service`.execute(db)).rows[0]?.sends ?? false

/** Mails, the newest first. */
export const listMails = (
  db: Db | Tx,
  which: { merchantId?: string; about?: string },
  most = 100,
): Promise<StoredMail[]> => selectMails(db, which, most)

/** The state of the mail queue, for the operator. */
export const mailState = async (
  db: Db,
): Promise<{ sends: boolean; waiting: number; oldest: Date | null; failedLately: number }> => {
  const { rows } = await sql<{ sends: boolean; waiting: number; oldest: Date | null; failedLately: number }>`select
    coalesce((select sends from mail_service), false) as sends,
    (select count(*) from mails where state in ('queued', 'sending')) as waiting,
    (select min(created_at) from mails where state in ('queued', 'sending')) as oldest,
    (select count(*) from mails where state = 'failed') as "failedLately"`.execute(db)
  return rows[0]!
}
