import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import { EXPLAINED } from './alert-causes.ts'
import { WARNING_KINDS } from './alert-kinds.ts'

/** An alert that is due to a receiver: a new one, one to repeat, or one that has ended since the receiver got it. */
export interface DueNotice {
  id: string
  kind: string
  subject: string
  text: string
  raisedAt: Date
  /** null while it is open */
  endedAt: Date | null
  /** the receiver has got it before */
  isRepeated: boolean
}

export interface NoticeTimes {
  /** an open alert is sent again after this time, in ms */
  repeatMs: number
  /** an alert that is not critical is sent when it has been open for this time, in ms */
  waitMs: number
  /** an alert whose cause is open as an alert is not sent (`alert-causes.ts`) */
  causesOnly: boolean
}

const MOST = 200
/** The consequences of a cause end some minutes after it, for example when the node has caught up. */
const CONSEQUENCES_END_MS = 10 * 60_000

/**
 * Takes a receiver for a time, so that one process sends to it.
 * @returns false if another process has it
 */
export const leaseReceiver = async (db: Db, name: string, at: Date, ms: number): Promise<boolean> => {
  const until = new Date(at.getTime() + ms)
  const { rows } = await sql`insert into alert_receivers(name, leased_until) values (${name}, ${until})
    on conflict (name) do update set leased_until = excluded.leased_until
      where alert_receivers.leased_until <= ${at} returning 1`.execute(db)
  return rows.length > 0
}

/** The notices that are due to a receiver, the oldest alerts first: at most 200. */
export const dueNotices = async (
  db: Db,
  receiver: string,
  { repeatMs, waitMs, causesOnly }: NoticeTimes,
  at: Date,
): Promise<DueNotice[]> => {
  const explained = causesOnly ? EXPLAINED : []
  const before = (ms: number): Date => new Date(at.getTime() - ms)
  const { rows } = await sql<DueNotice>`select a.id, a.kind, a.subject, a.text, a.raised_at as "raisedAt",
      a.resolved_at as "endedAt", n.alert_id is not null as "isRepeated"
    from alerts a left join alert_notices n on n.receiver = ${receiver} and n.alert_id = a.id
    where a.resolved_at is null and (n.sent_at <= ${before(repeatMs)}
      or n.sent_at is null and (a.kind <> all(${[...WARNING_KINDS]}::text[]) or a.raised_at <= ${before(waitMs)}))
      and not exists (select from unnest(${explained.map(({ kind }) => kind)}::text[],
          ${explained.map(({ cause }) => cause)}::text[], ${explained.map(({ about }) => about)}::text[]) e(kind, cause, about)
        join alerts c on c.kind = e.cause and (c.resolved_at is null or c.resolved_at > ${before(CONSEQUENCES_END_MS)})
        where e.kind = a.kind and (e.about = 'anything'
          or split_part(c.subject, ' ', 1) = any(string_to_array(a.subject, ' '))))
    union all
    select a.id, a.kind, a.subject, a.text, a.raised_at, a.resolved_at, true
    from alert_notices n join alerts a on a.id = n.alert_id
    where n.receiver = ${receiver} and a.resolved_at is not null
    order by "raisedAt", id limit ${MOST}`.execute(db)
  return rows
}

/** Records that a receiver got these notices. */
export const noteSent = async (db: Db, receiver: string, notices: readonly DueNotice[], at: Date): Promise<void> => {
  const idsOf = (isOpen: boolean): string[] =>
    notices.filter(({ endedAt }) => (endedAt === null) === isOpen).map(({ id }) => id)
  await sql`with ended as (
      delete from alert_notices where receiver = ${receiver} and alert_id = any(${idsOf(false)}::uuid[]))
    insert into alert_notices(receiver, alert_id, sent_at) select ${receiver}, id, ${at} from unnest(${idsOf(true)}::uuid[]) id
    on conflict (receiver, alert_id) do update set sent_at = excluded.sent_at`.execute(db)
}

/**
 * Records the result of a delivery.
 * @param failure one line without secrets; null if it succeeded
 */
export const noteDelivery = async (db: Db, receiver: string, failure: string | null, at: Date): Promise<void> => {
  await sql`update alert_receivers set failure = ${failure}, leased_until = ${at},
      failing_since = case when ${failure}::text is null then null else coalesce(failing_since, ${at}) end
    where name = ${receiver}`.execute(db)
}

/** Receivers whose last delivery failed, with the reason. */
export const failingReceivers = async (db: Db): Promise<{ name: string; since: Date; failure: string }[]> => {
  const { rows } = await sql<{
    name: string
    since: Date
    failure: string
  }>`select name, failing_since as since, failure
    from alert_receivers where failing_since is not null and failure is not null order by name`.execute(db)
  return rows
}
