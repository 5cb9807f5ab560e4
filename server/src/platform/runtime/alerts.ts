import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Db, Tx } from '../db/index.ts'
import type { AlertKind } from './alert-kinds.ts'

export interface Alert {
  /** stable name of the condition, such as `custody-shortage` */
  kind: AlertKind
  /** the affected asset, transaction, merchant or other object */
  subject: string
  /** text for operators that says what to do */
  text: string
  detail?: unknown
}

/** Raises an alert unless the same one is open, in the caller's transaction, so that it commits with its cause. */
export const raiseAlert = async (db: Db | Tx, alert: Alert, moment: Moment): Promise<void> => {
  await raiseNewAlert(db, alert, moment)
}

/**
 * The same, for callers that do more for a new alert.
 * @returns true when none was open
 */
export const raiseNewAlert = async (db: Db | Tx, alert: Alert, { at, newId }: Moment): Promise<boolean> => {
  const { rows } = await sql`insert into alerts(id, kind, subject, text, detail, raised_at)
    values (${newId()}, ${alert.kind}, ${alert.subject}, ${alert.text}, ${JSON.stringify(alert.detail ?? {})}, ${at})
    on conflict do nothing returning 1`.execute(db)
  return rows.length > 0
}

/** Raises an alert, or updates the text and details of an open one with the same kind and subject. */
export const raiseOrRenewAlert = async (db: Db | Tx, alert: Alert, { at, newId }: Moment): Promise<void> => {
  await sql`insert into alerts(id, kind, subject, text, detail, raised_at)
    values (${newId()}, ${alert.kind}, ${alert.subject}, ${alert.text}, ${JSON.stringify(alert.detail ?? {})}, ${at})
    on conflict (kind, subject) where resolved_at is null do update set text = excluded.text, detail = excluded.detail
      where alerts.text <> excluded.text`.execute(db)
}

/** The subjects of open alerts of these kinds that begin with a text. */
export const openSubjects = async (db: Db | Tx, kinds: readonly AlertKind[], prefix: string): Promise<string[]> => {
  const { rows } = await sql<{
    subject: string
  }>`select distinct subject from alerts where kind = any(${[...kinds]}::text[]) and starts_with(subject, ${prefix}) and resolved_at is null order by subject`.execute(
    db,
  )
  return rows.map(({ subject }) => subject)
}

/** Whether an alert is open. */
export const isAlertOpen = async (db: Db | Tx, kind: AlertKind, subject: string): Promise<boolean> => {
  const { rows } =
    await sql`select from alerts where kind = ${kind} and subject = ${subject} and resolved_at is null`.execute(db)
  return rows.length > 0
}

/** Raises an alert. Resolves an open one of the same kind and subject first, if its details differ. */
export const raiseAlertAnew = async (db: Db | Tx, alert: Alert, moment: Moment): Promise<void> => {
  await sql`update alerts set resolved_at = ${moment.at} where kind = ${alert.kind} and subject = ${alert.subject}
    and resolved_at is null and detail <> ${JSON.stringify(alert.detail)}::jsonb`.execute(db)
  await raiseAlert(db, alert, moment)
}

/** Resolves an open alert. */
export const resolveAlert = async (db: Db | Tx, kind: AlertKind, subject: string, at: Date): Promise<void> => {
  await sql`update alerts set resolved_at = ${at} where kind = ${kind} and subject = ${subject} and resolved_at is null`.execute(
    db,
  )
}

/** The same for several subjects. */
export const resolveAlerts = async (
  db: Db | Tx,
  kind: AlertKind,
  subjects: readonly string[],
  at: Date,
): Promise<void> => {
  await sql`update alerts set resolved_at = ${at} where kind = ${kind} and subject = any(${[...subjects]}::text[]) and resolved_at is null`.execute(
    db,
  )
}

/** Resolves open alerts of any of these kinds about any of these subjects. */
export const resolveAlertsOf = async (
  db: Db | Tx,
  kinds: readonly AlertKind[],
  subjects: readonly string[],
  at: Date,
): Promise<void> => {
  await sql`update alerts set resolved_at = ${at} where kind = any(${[...kinds]}::text[]) and subject = any(${[...subjects]}::text[]) and resolved_at is null`.execute(
    db,
  )
}

/**
 * Resolves an open alert by an operator's decision, which is stored with it.
 * @param kinds those that an operator may resolve
 * @returns undefined when no alert with this id is open, otherwise whether it was resolved
 */
export const endAlertByHand = async (
  db: Db | Tx,
  id: string,
  { kinds, actor, note }: { kinds: readonly string[]; actor: string; note: string },
  at: Date,
): Promise<{ kind: string; isEnded: boolean } | undefined> => {
  const { rows } = await sql<{ kind: string; isEnded: boolean }>`update alerts set
      resolved_at = case when kind = any(${[...kinds]}::text[]) then ${at}::timestamptz end,
      detail = case when kind = any(${[...kinds]}::text[]) then detail || ${JSON.stringify({ endedBy: actor, note })}::jsonb else detail end
    where id = ${id} and resolved_at is null returning kind, resolved_at is not null as "isEnded"`.execute(db)
  return rows[0]
}

/** The open alerts, oldest first. */
export const openAlerts = async (db: Db): Promise<{ id: string; raisedAt: Date; kind: string; text: string }[]> => {
  const { rows } = await sql<{
    id: string
    raisedAt: Date
    kind: string
    text: string
  }>`select id, raised_at as "raisedAt", kind, text from alerts where resolved_at is null order by raised_at`.execute(
    db,
  )
  return rows
}

/** A query of the number of open alerts, as a gauge: `kind`, `value`. */
export const ALERT_COUNTS = sql`select kind, count(*) as value from alerts where resolved_at is null group by kind`
