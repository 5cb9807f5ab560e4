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

/** Events of a merchant after a sequence, in order. A reader that has seen N has missed no earlier event. */
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
 * Whether the merchant has been notified of this status of an object. The clock that set `madeAt` may have been ahead
 * by up to a day.
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
 * Events of certain kinds and statuses after one sequence and up to another: the first `limit` of them, and their total
 * number.
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

/** An object whose deliveries are exhausted, with its first waiting event. */
export interface ExhaustedDelivery {
  merchantId: string
  /** the additional endpoint that refuses it; null: the endpoint of the merchant's settings */
  endpointId: string | null
  objectId: string
  sequence: number
  kind: string
  status: string
  createdAt: Date
  attempts: number
  /** number of waiting events of this object, this one included */
  waiting: number
  /** business clock; null: not before an operator restarts it */
  nextAt: Date | null
  lastError: string | null
  lastStatus: number | null
}

/** Exhausted deliveries at all endpoints, oldest event first; of one merchant or of all. */
export const listExhausted = async (
  db: Db | Tx,
  { merchantId, limit = 100 }: { merchantId?: string; limit?: number } = {},
): Promise<ExhaustedDelivery[]> => {
  const whose = merchantId === undefined ? sql`` : sql`and s.merchant_id = ${merchantId}`
  const { rows } = await sql<ExhaustedDelivery>`select s.merchant_id as "merchantId", s.endpoint_id as "endpointId",
      s.object_id as "objectId", e.sequence, e.kind, e.status, e.created_at as "createdAt", s.attempts,
      s.next_at as "nextAt", a.error as "lastError", a.status as "lastStatus",
      (select count(*) from events w where w.object_id = s.object_id and w.merchant_id = s.merchant_id
        and w.sequence between s.next_sequence and s.last_sequence and w.created_at between s.since and s.until) as waiting
    from (
      select merchant_id, null::uuid as endpoint_id, object_id, attempts, next_at, next_sequence, last_sequence, since, until
        from event_streams where state = 'exhausted'
      union all
      select merchant_id, endpoint_id, object_id, attempts, next_at, next_sequence, last_sequence, since, until
        from endpoint_streams where state = 'exhausted') s
    cross join lateral (select * from events e where e.object_id = s.object_id and e.merchant_id = s.merchant_id
      and e.sequence >= s.next_sequence and e.created_at between s.since and s.until order by e.sequence limit 1) e
    left join lateral (
      select t.error, t.status, t.epoch from event_attempts t
        where s.endpoint_id is null and t.merchant_id = s.merchant_id and t.sequence = e.sequence
      union all
      select t.error, t.status, t.epoch from endpoint_attempts t
        where t.endpoint_id = s.endpoint_id and t.sequence = e.sequence
      order by epoch desc limit 1) a on true
    where true ${whose}
    order by e.created_at, s.merchant_id, e.sequence, s.endpoint_id nulls first limit ${limit}`.execute(db)
  return rows
}

export interface AttemptRow {
  sequence: number
  attempt: number
  /** business clock */
  at: Date
  /** null when there was no response */
  status: number | null
  /** the error, or the start of the receiver's response */
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

/** A notification of an object with its delivery. Times are of the business clock. */
export interface EventDelivery {
  sequence: number
  kind: string
  status: string
  createdAt: Date
  /** waiting: not accepted yet. exhausted: its scheduled attempts are used up */
  state: 'delivered' | 'waiting' | 'exhausted'
  /** the last attempts, oldest first; attempts are deleted after some time */
  attempts: { at: Date; status: number | null; error: string | null }[]
}

const SHOWN_ATTEMPTS = 10
const SHOWN_DELIVERIES = 100

/**
 * The notifications of a merchant's objects, oldest first.
 * @param since a time before all of them, which limits the months that are read
 */
export const deliveriesOf = async (
  db: Db,
  merchantId: string,
  objectIds: readonly string[],
  since: Date,
): Promise<EventDelivery[]> => {
  const { rows } = await sql<
    Omit<EventDelivery, 'attempts'> & { attempts: { at: string; status: number | null; error: string | null }[] }
  >`select e.sequence, e.kind, e.status, e.created_at as "createdAt",
      case when s.next_sequence is null or e.sequence < s.next_sequence or e.sequence > s.last_sequence then 'delivered'
        when s.state = 'exhausted' then 'exhausted' else 'waiting' end as state,
      a.attempts
    from events e
    left join event_streams s on s.merchant_id = e.merchant_id and s.object_id = e.object_id
    cross join lateral (select coalesce(jsonb_agg(jsonb_build_object('at', o.at, 'status', o.status, 'error', o.error)
        order by o.epoch), '[]'::jsonb) as attempts
      from (select t.epoch, t.at, t.status, t.error from event_attempts t
        where t.merchant_id = e.merchant_id and t.sequence = e.sequence
        order by t.epoch desc limit ${SHOWN_ATTEMPTS}) o) a
    where e.object_id = any(${[...objectIds]}::uuid[]) and e.merchant_id = ${merchantId}
      and e.created_at > ${new Date(since.getTime() - DAY_MS)}
    order by e.sequence limit ${SHOWN_DELIVERIES}`.execute(db)
  return rows.map((row) => ({
    ...row,
    attempts: row.attempts.map(({ at, status, error }) => ({ at: new Date(at), status, error })),
  }))
}

/** A notification as it is sent, with the state of its delivery. */
export interface SentEvent extends EventRow {
  state: EventDelivery['state']
}

/** Events of a merchant after one sequence and up to another, in order, with the states of their deliveries. */
export const listSent = async (
  db: Db,
  merchantId: string,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<SentEvent[]> => {
  const events = (await listEvents(db, merchantId, after, limit)).filter(({ sequence }) => sequence <= upTo)
  const { rows } = await sql<{
    objectId: string
    state: string
    next: number
    last: number
  }>`select object_id as "objectId", state, next_sequence as next, last_sequence as last from event_streams
    where merchant_id = ${merchantId} and object_id = any(${[...new Set(events.map(({ objectId }) => objectId))]}::uuid[])`.execute(
    db,
  )
  const open = new Map(rows.map((row) => [row.objectId, row]))
  return events.map((event) => {
    const stream = open.get(event.objectId)
    const isOpen = stream !== undefined && event.sequence >= stream.next && event.sequence <= stream.last
    return { ...event, state: !isOpen ? 'delivered' : stream.state === 'exhausted' ? 'exhausted' : 'waiting' }
  })
}

/** A query of the number of objects with undelivered notifications, as a gauge: `state`, `value`. */
export const BACKLOG_COUNTS = sql`select state, count(*) as value from event_streams group by state`

/** The same for additional endpoints of merchants. */
export const ENDPOINT_BACKLOG_COUNTS = sql`select state, count(*) as value from endpoint_streams group by state`
