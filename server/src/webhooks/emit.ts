import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'

/** A change to tell a merchant of. The body is written to its final bytes here and never again. */
export interface Notice {
  merchantId: string
  /** what the notice is about: notices of one object are delivered in order */
  objectId: string
  kind: string
  status: string
  body: Record<string, unknown>
}

/**
 * Stores notices in the transaction of the change they tell of. Numbers them without a gap per merchant: the merchant's
 * head row is locked until the commit, so call it once, last in the transaction.
 */
export const emit = async (tx: Tx, notices: readonly Notice[], { at, newId }: Moment): Promise<void> => {
  if (notices.length === 0) return
  await sql`with given as (
      select u.*, row_number() over (partition by u.merchant_id order by u.n) as place
      from unnest(${notices.map((n) => n.merchantId)}::uuid[], ${notices.map((n) => n.objectId)}::uuid[],
        ${notices.map(() => newId())}::uuid[], ${notices.map((n) => n.kind)}::text[], ${notices.map((n) => n.status)}::text[],
        ${notices.map((n) => JSON.stringify(n.body))}::text[])
        with ordinality u(merchant_id, object_id, id, kind, status, body, n)),
    heads as (
      insert into event_heads(merchant_id, sequence)
      select merchant_id, count(*) from given group by merchant_id order by merchant_id
      on conflict (merchant_id) do update set sequence = event_heads.sequence + excluded.sequence
      returning merchant_id, sequence),
    numbered as (
      select g.*, h.sequence - count(*) over (partition by g.merchant_id) + g.place as sequence
      from given g join heads h on h.merchant_id = g.merchant_id),
    stored as (
      insert into events(merchant_id, sequence, id, object_id, kind, status, body, created_at)
      select merchant_id, sequence, id, object_id, kind, status, body, ${at} from numbered),
    queued as (
      insert into event_outbox(object_id, sequence, merchant_id) select object_id, sequence, merchant_id from numbered)
    insert into event_streams(object_id, merchant_id, next_at)
      select distinct object_id, merchant_id, ${at}::timestamptz from numbered order by object_id
      on conflict (object_id) do nothing`.execute(tx)
}
