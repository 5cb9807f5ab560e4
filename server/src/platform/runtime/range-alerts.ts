/** Alerts about a range of numbers, such as heights of blocks: their details are `{ from, to }`, both included. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'

export interface RangeAlert {
  subject: string
  from: number
  to: number
}

/** The range of the open alert with a subject; null is an end that its details do not state. */
export const openRange = async (
  tx: Tx,
  kind: string,
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
 * The first open alert whose range meets another.
 * @param below what its subject begins with, before a slash
 */
export const openRangeNear = async (
  tx: Tx,
  kind: string,
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
 * Marks open alerts as over whose ranges end by `to` and do not begin before `from`, where one is given.
 * @param below what their subjects begin with, before a slash
 */
export const resolveRanges = async (
  db: Db | Tx,
  kind: string,
  below: string,
  { from, to }: { from?: number; to: number },
  at: Date,
): Promise<void> => {
  const after = from === undefined ? sql`` : sql`and (detail->>'from')::bigint >= ${from}`
  await sql`update alerts set resolved_at = ${at} where kind = ${kind} and resolved_at is null and subject like ${`${below}/%`}
    ${after} and (detail->>'to')::bigint <= ${to}`.execute(db)
}
