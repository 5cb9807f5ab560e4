/** Alerts about a range of numbers, such as block heights. Their details are `{ from, to }`, both inclusive. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'
import type { AlertKind } from './alert-kinds.ts'

export interface RangeAlert {
  subject: string
  from: number
  to: number
}

/** The range of the open alert about a subject; an end that its details lack is null. */
export const openRange = async (
  tx: Tx,
  kind: AlertKind,
  subject: string,
): Promise<{ from: number | null; to: number | null } | undefined> => {
  const { rows } = await sql<{
    from: number | null
    to: number | null
  }>`select (detail->>'from')::bigint as "from", (detail->>'to')::bigint as "to" from alerts
      where kind = ${kind} and subject = ${subject} and resolved_at is null`.execute(tx)
  return rows[0]
}

/**
 * The oldest open alert whose range overlaps another.
 * @param below prefix of its subject, before a slash
 */
export const openRangeNear = async (
  tx: Tx,
  kind: AlertKind,
  below: string,
  { from, to }: { from: number; to: number },
): Promise<RangeAlert | undefined> => {
  const { rows } =
    await sql<RangeAlert>`select subject, (detail->>'from')::bigint as "from", (detail->>'to')::bigint as "to" from alerts
    where kind = ${kind} and resolved_at is null and subject like ${`${below}/%`} and (detail->>'from')::bigint <= ${to} and (detail->>'to')::bigint >= ${from}
    order by raised_at limit 1`.execute(tx)
  return rows[0]
}

/**
 * Resolves open alerts whose ranges end at or before `to`, and begin at or after `from` if it is given.
 * @param below prefix of their subjects, before a slash
 */
export const resolveRanges = async (
  db: Db | Tx,
  kind: AlertKind,
  below: string,
  { from, to }: { from?: number; to: number },
  at: Date,
): Promise<void> => {
  const after = from === undefined ? sql`` : sql`and (detail->>'from')::bigint >= ${from}`
  await sql`update alerts set resolved_at = ${at} where kind = ${kind} and resolved_at is null and subject like ${`${below}/%`}
    ${after} and (detail->>'to')::bigint <= ${to}`.execute(db)
}
