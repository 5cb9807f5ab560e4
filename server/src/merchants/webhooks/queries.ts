import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { spanOf, spansFrom, widening } from './spans.ts'

/** A stored notification; `body` is the JSON text as sent. */
export interface EventRow {
  sequence: number
  id: string
  objectId: string
  kind: string
  status: string
  createdAt: Date
  body: string
}

/** Events of a merchant behind a sequence, in order. A reader that has seen N has missed nothing before it. */
export const listEvents = async (
  db: Db | Tx,
  merchantId: string,
  after: number,
  limit: number,
): Promise<EventRow[]> => {
  const events: EventRow[] = []
  for (const { since, until } of widening(await spansFrom(db, merchantId, after + 1))) {
    const { rows } =
      await sql<EventRow>`select sequence, id, object_id as "objectId", kind, status, created_at as "createdAt", body
      from events where merchant_id = ${merchantId} and sequence > ${after} and created_at >= ${since} and created_at < ${until}
      order by sequence limit ${limit - events.length}`.execute(db)
    events.push(...rows)
    if (events.length >= limit) break
  }
  return events
}

const DAY_MS = 24 * 60 * 60_000

/**
 * Whether the merchant of an object that was made at a time has a notification of this status. The clock that made it
 * may have been ahead.
 */
export const wasNotified = async (
  db: Db | Tx,
  { id, madeAt }: { id: string; madeAt: Date },
  status: string,
): Promise<boolean> =>
  (
    await sql`select from events where object_id = ${id} and status = ${status} and created_at > ${new Date(madeAt.getTime() - DAY_MS)} limit 1`.execute(
      db,
    )
  ).rows.length > 0

/** The sequence of a merchant's newest event; 0 before its first. */
export const lastSequence = async (db: Db | Tx, merchantId: string): Promise<number> =>
  (await sql<{ sequence: number }>`select sequence from event_heads where merchant_id = ${merchantId}`.execute(db))
    .rows[0]?.sequence ?? 0

/**
 * Events of certain kinds in certain statuses behind one sequence and up to another: the first of them, and how many
 * there are.
 */
export const selectEvents = async (
  db: Db | Tx,
  merchantId: string,
  { after, upTo, among }: { after: number; upTo: number; among: readonly { kind: string; status: string }[] },
  limit: number,
): Promise<{ events: Pick<EventRow, 'objectId' | 'kind' | 'status' | 'createdAt' | 'body'>[]; count: number }> => {
  const span = await spanOf(db, merchantId, after + 1, upTo)
  if (span === null) return { events: [], count: 0 }
  const { rows } = await sql<
    Pick<EventRow, 'objectId' | 'kind' | 'status' | 'createdAt' | 'body'> & { count: number }
  >`select object_id as "objectId", kind, status, created_at as "createdAt", body, count(*) over () as count
    from events where merchant_id = ${merchantId} and sequence > ${after} and sequence <= ${upTo} and created_at >= ${span.since} and created_at < ${span.until}
      and (kind, status) in (select * from unnest(${among.map((one) => one.kind)}::text[], ${among.map((one) => one.status)}::text[]))
    order by sequence limit ${limit}`.execute(db)
  return { events: rows, count: rows[0]?.count ?? 0 }
}

/** An object whose deliveries have run out, with the first event that waits. */
export interface ExhaustedDelivery {
  merchantId: string
  objectId: string
  sequence: number
  kind: string
  status: string
  createdAt: Date
  attempts: number
  /** of events of this object, this one included */
  waiting: number
  /** business clock; null: not before its owner says so */
  nextAt: Date | null
  lastError: string | null
  lastStatus: number | null
}

/** Exhausted deliveries, oldest event first; of one merchant or of all. */
export const listExhausted = async (
  db: Db | Tx,
  { merchantId, limit = 100 }: { merchantId?: string; limit?: number } = {},
): Promise<ExhaustedDelivery[]> => {
  const whose = merchantId === undefined ? sql`` : sql`and s.merchant_id = ${merchantId}`
  const { rows } =
    await sql<ExhaustedDelivery>`select s.merchant_id as "merchantId", s.object_id as "objectId", e.sequence, e.kind, e.status,
      e.created_at as "createdAt", s.attempts, s.next_at as "nextAt", a.error as "lastError", a.status as "lastStatus",
      (select count(*) from events w where w.object_id = s.object_id and w.merchant_id = s.merchant_id
        and w.sequence between s.next_sequence and s.last_sequence and w.created_at between s.since and s.until) as waiting
    from event_streams s
    cross join lateral (select * from events e where e.object_id = s.object_id and e.merchant_id = s.merchant_id
      and e.sequence >= s.next_sequence and e.created_at between s.since and s.until order by e.sequence limit 1) e
    left join lateral (select * from event_attempts a where a.merchant_id = s.merchant_id and a.sequence = e.sequence
      order by a.epoch desc limit 1) a on true
    where s.state = 'exhausted' ${whose}
    order by e.created_at, s.merchant_id, e.sequence limit ${limit}`.execute(db)
  return rows
}

export interface AttemptRow {
  sequence: number
  attempt: number
  /** business clock */
  at: Date
  /** null when there was no answer */
  status: number | null
  /** what went wrong, or the start of what the receiver answered */
  error: string | null
  durationMs: number
}

/** Attempts at one event of a merchant, newest first. */
export const listAttempts = async (
  db: Db | Tx,
  merchantId: string,
  sequence: number,
  limit = 100,
): Promise<AttemptRow[]> =>
  (
    await sql<AttemptRow>`select sequence, attempt, at, status, error, duration_ms as "durationMs" from event_attempts
    where merchant_id = ${merchantId} and sequence = ${sequence} order by epoch desc limit ${limit}`.execute(db)
  ).rows

/** Objects with notifications that are not delivered yet, as a gauge shows them: `state`, `value`. */
export const BACKLOG_COUNTS = sql`select state, count(*) as value from event_streams group by state`
