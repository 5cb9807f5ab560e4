import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { monthStart, type Tx } from '../../platform/db/index.ts'

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
 * its own range of sequence numbers, which keeps them unique across partitions.
 */
export const emit = async (tx: Tx, notices: readonly Notice[], { at, newId }: Moment): Promise<void> => {
  if (notices.length === 0) return
  const month = monthStart(at)
  // Both inserts lock in the order of their keys, for any order of the notices, so that no two calls can deadlock.
  await sql`with given as (
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
      select merchant_id, sequence, id, object_id, kind, status, body, created_at from numbered)
    insert into event_streams as s (merchant_id, object_id, next_sequence, last_sequence, next_at, since, until)
      select merchant_id, object_id, min(sequence), max(sequence), ${at}::timestamptz, min(created_at), max(created_at)
      from numbered group by merchant_id, object_id order by merchant_id, object_id
      on conflict (merchant_id, object_id) do update set last_sequence = excluded.last_sequence,
        since = least(s.since, excluded.since), until = greatest(s.until, excluded.until)`.execute(tx)
}
