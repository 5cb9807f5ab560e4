import { sql } from 'kysely'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { REQUESTS_COUNTED_MS } from './limits.ts'
import { mailMoves, type MailEvent } from './machine.ts'
import type { Audience } from '../mail-templates/index.ts'
import type { Mail, StoredMail } from './mail.ts'

const COLUMNS =
  sql.raw(`merchant_id as "merchantId", id, kind, about, recipient, language, data, state, attempts, problem,
  created_at as "createdAt", updated_at as "updatedAt"`)

type NewMail = Mail & { id: string; audience: Audience; mailbox: string; at: Date }

/** Reads all that decides whether a mail is queued, in one query. */
export const readCounts = async (
  tx: Tx,
  mail: NewMail,
): Promise<{ sends: boolean; repeated: boolean; lately: number; aboutIt: number }> => {
  const hourAgo = new Date(mail.at.getTime() - 3_600_000)
  const same = sql`merchant_id = ${mail.merchantId} and about = ${mail.about}`
  const { rows } = await sql<{ sends: boolean; repeated: boolean; lately: number; aboutIt: number }>`select
    coalesce((select sends from mail_service), false) as sends,
    exists (select from mails where ${same} and kind = ${mail.kind}
      and (recipient = ${mail.to} or (kind = 'payment-request' and mailbox = ${mail.mailbox}))) as repeated,
    (select count(*) from mails where mailbox = ${mail.mailbox} and audience = ${mail.audience} and created_at > ${hourAgo}) as lately,
    (select count(*) from mails where ${same} and audience = ${mail.audience} and kind <> 'payment-request') as "aboutIt"`.execute(
    tx,
  )
  return rows[0]!
}

/** Counts the payment pages that members of a merchant have mailed lately. */
export const countRequests = async (
  tx: Tx,
  { merchantId, mailbox, at }: Pick<NewMail, 'merchantId' | 'mailbox' | 'at'>,
): Promise<{ inHour: number; inDay: number; toMailboxInDay: number }> => {
  const [hourAgo, dayAgo] = [new Date(at.getTime() - 3_600_000), new Date(at.getTime() - REQUESTS_COUNTED_MS)]
  const { rows } = await sql<{ inHour: number; inDay: number; toMailboxInDay: number }>`select
      count(*) filter (where created_at > ${hourAgo}) as "inHour", count(*) as "inDay",
      count(*) filter (where mailbox = ${mailbox}) as "toMailboxInDay"
    from mails where merchant_id = ${merchantId} and kind = 'payment-request' and created_at > ${dayAgo}`.execute(tx)
  return rows[0]!
}

/** Returns false when the same mail already exists. */
export const insertMail = async (tx: Tx, mail: NewMail): Promise<boolean> => {
  const { rows } =
    await sql`insert into mails(merchant_id, id, kind, about, recipient, mailbox, audience, language, data, next_at, created_at, updated_at)
    values (${mail.merchantId}, ${mail.id}, ${mail.kind}, ${mail.about}, ${mail.to}, ${mail.mailbox}, ${mail.audience}, ${mail.language},
      ${JSON.stringify(mail.data)}, ${mail.at}, ${mail.at}, ${mail.at})
    on conflict do nothing returning 1`.execute(tx)
  return rows.length > 0
}

export interface ClaimTimes {
  /** business clock */
  at: Date
  /** real clock */
  now: Date
  leaseUntil: Date
}

/** Claims the mail that has been due longest, including mails of a worker that died. */
export const claimMail = async (db: Db | Tx, { at, now, leaseUntil }: ClaimTimes): Promise<StoredMail | undefined> => {
  // A subquery in `where` could be executed for each row, and then return a different mail each time.
  const { rows } = await sql<StoredMail>`with due as (select m.merchant_id as owner, m.id as mail from mails m
      where m.state = any(${statesTaking(mailMoves, 'taken')}::text[]) and m.next_at <= ${at} and m.leased_until <= ${now}
      order by m.next_at, m.id limit 1 for update skip locked)
    update mails m set state = ${moveOf(mailMoves, 'queued', 'taken')!.to}, attempts = m.attempts + 1, leased_until = ${leaseUntil}, updated_at = ${at}
    from due where m.merchant_id = due.owner and m.id = due.mail returning ${COLUMNS}`.execute(db)
  return rows[0]
}

/** Applies an event to a claimed mail. Returns false when another worker has claimed it. */
export const moveClaimed = async (
  tx: Tx,
  { merchantId, id, attempts }: Pick<StoredMail, 'merchantId' | 'id' | 'attempts'>,
  event: Exclude<MailEvent, 'taken'>,
  { at, problem, nextAt }: { at: Date; problem: string | null; nextAt?: Date },
): Promise<boolean> => {
  const { rows } = await sql`update mails set state = ${moveOf(mailMoves, 'sending', event)!.to}, problem = ${problem},
      next_at = coalesce(${nextAt ?? null}, next_at), leased_until = '-infinity', updated_at = ${at}
    where merchant_id = ${merchantId} and id = ${id} and state = any(${statesTaking(mailMoves, event)}::text[]) and attempts = ${attempts}
    returning 1`.execute(tx)
  return rows.length > 0
}

/**
 * Deletes mails that ended before a time.
 * @returns how many
 */
export const deleteEnded = async (db: Db, before: Date, most: number): Promise<number> => {
  const { rows } = await sql`delete from mails where ctid = any(array(
    select ctid from mails where state in ('sent', 'failed') and updated_at < ${before} limit ${most})) returning 1`.execute(
    db,
  )
  return rows.length
}

/** Mails of one merchant, or of all, newest first. */
export const selectMails = async (
  db: Db | Tx,
  { merchantId, about }: { merchantId?: string; about?: string },
  most: number,
): Promise<StoredMail[]> => {
  const whose = merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`
  const which = about === undefined ? sql`` : sql`and about = ${about}`
  return (
    await sql<StoredMail>`select ${COLUMNS} from mails where true ${whose} ${which} order by created_at desc, id desc limit ${most}`.execute(
      db,
    )
  ).rows
}
