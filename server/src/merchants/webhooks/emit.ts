import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { makesWork, monthStart, type Tx } from '../../platform/db/index.ts'

/** A notification before it is stored. `emit` serialises its body once, and those bytes are never changed. */
export interface Notice {
  merchantId: string
  /** the object of the notification: notifications of one object are delivered in order */
  objectId: string
  kind: string
  status: string
  body: Record<string, unknown>
}

/**
 * Stores notifications in the transaction of the change that they report, numbered without gaps for each merchant. Call
 * it once, with all notifications, at the end of the transaction: the merchant's head row stays locked until the
 * commit. The stream row is locked too, so that a delivery that is just ending sees the added events. A merchant's
 * events are never dated to an earlier month than its newest one, even when a process's clock is behind: each month has
 * its own range of sequence numbers, which keeps them unique across partitions. Merchants with additional endpoints
 * need a second statement, which adds what these endpoints get.
 */
export const emit = async (tx: Tx, notices: readonly Notice[], { at, newId }: Moment): Promise<void> => {
  if (notices.length === 0) return
  makesWork(tx)
  const month = monthStart(at)
  // The inserts lock in the order of their keys, for any order of the notices, so that no two calls can deadlock.
  const { rows } = await sql<{
    merchantId: string
    objectId: string
    kind: string
    sequence: number
    createdAt: string
  }>`with given as (
      select u.*, row_number() over (partition by u.merchant_id order by u.n) as place
      from unnest(${notices.map((n) => n.merchantId)}::uuid[], ${notices.map((n) => n.objectId)}::uuid[],
        ${notices.map(() => newId())}::uuid[], ${notices.map((n) => n.kind)}::text[], ${notices.map((n) => n.status)}::text[],
        ${notices.map((n) => JSON.stringify(n.body))}::text[])
        with ordinality u(merchant_id, object_id, id, kind, status, body, n)),
    heads as (
      insert into event_heads as h (merchant_id, sequence, month, month_first)
      select merchant_id, count(*), ${month}::timestamptz, 1 from given group by merchant_id order by merchant_id
      on conflict (merchant_id) do update set sequence = h.sequence + excluded.sequence, month = greatest(h.month, excluded.month),
        month_first = case when excluded.month > h.month then h.sequence + 1 else h.month_first end
      returning merchant_id, sequence, month, month_first),
    numbered as (
      select g.*, h.sequence - count(*) over (partition by g.merchant_id) + g.place as sequence, greatest(${at}::timestamptz, h.month) as created_at, h.month, h.month_first
      from given g join heads h on h.merchant_id = g.merchant_id),
    spans as (
      insert into event_spans(merchant_id, first_sequence, since, until)
      select merchant_id, sequence, month, (month at time zone 'UTC' + interval '1 month') at time zone 'UTC' from numbered where sequence = month_first),
    stored as (
      insert into events(merchant_id, sequence, id, object_id, kind, status, body, created_at)
      select merchant_id, sequence, id, object_id, kind, status, body, created_at from numbered),
    streams as (
      insert into event_streams as s (merchant_id, object_id, next_sequence, last_sequence, next_at, since, until)
      select merchant_id, object_id, min(sequence), max(sequence), ${at}::timestamptz, min(created_at), max(created_at)
      from numbered group by merchant_id, object_id order by merchant_id, object_id
      on conflict (merchant_id, object_id) do update set last_sequence = excluded.last_sequence,
        since = least(s.since, excluded.since), until = greatest(s.until, excluded.until))
    select n.merchant_id as "merchantId", n.object_id as "objectId", n.kind, n.sequence, n.created_at::text as "createdAt"
    from numbered n where exists (select from webhook_endpoints w where w.merchant_id = n.merchant_id and w.removed_at is null)`.execute(
    tx,
  )
  if (rows.length === 0) return
  // All notifications of an object have one kind, so a stream has only such as its endpoint has chosen.
  await sql`insert into endpoint_streams as s (endpoint_id, object_id, merchant_id, next_sequence, last_sequence, next_at, since, until)
    select w.id, n.object_id, w.merchant_id, min(n.sequence), max(n.sequence), ${at}::timestamptz, min(n.created_at), max(n.created_at)
    from unnest(${rows.map((row) => row.merchantId)}::uuid[], ${rows.map((row) => row.objectId)}::uuid[], ${rows.map((row) => row.kind)}::text[],
      ${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.createdAt)}::timestamptz[])
      n(merchant_id, object_id, kind, sequence, created_at)
    join webhook_endpoints w on w.merchant_id = n.merchant_id and w.removed_at is null and (w.kinds is null or n.kind = any(w.kinds))
    group by w.id, w.merchant_id, n.object_id order by w.id, n.object_id
    on conflict (endpoint_id, object_id) do update set last_sequence = excluded.last_sequence,
      since = least(s.since, excluded.since), until = greatest(s.until, excluded.until)`.execute(tx)
}
