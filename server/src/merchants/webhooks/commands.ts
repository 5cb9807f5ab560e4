import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { endAlertIfOver } from './alert.ts'
import { spanOf } from './spans.ts'

/** What to send again. A range holds events of many objects; `from` and `to` are sequences, both included. */
export type ReplayChoice = { from: number; to: number } | { objectId: string }

/**
 * Sends events again although they were delivered, or before their time. The same bytes under the same ids; in order
 * per object, so that whatever lies between a replayed event and one that still waits is sent again too. An object that
 * a worker is busy with follows when the worker's lease has ended, within a minute.
 * @returns objects with something to send
 */
export const replayEvents = async (
  tx: Tx,
  merchantId: string,
  choice: ReplayChoice,
  { at }: Moment,
): Promise<number> => {
  const chosen = 'objectId' in choice ? sql`object_id = ${choice.objectId}` : await within(tx, merchantId, choice)
  const { rows } =
    await sql`insert into event_streams as s (merchant_id, object_id, next_sequence, last_sequence, next_at, own_lane, since, until)
      select merchant_id, object_id, min(sequence), max(sequence), ${at}::timestamptz, true, min(created_at), max(created_at)
      from events where merchant_id = ${merchantId} and ${chosen}
      group by merchant_id, object_id order by merchant_id, object_id
      on conflict (merchant_id, object_id) do update set next_sequence = least(s.next_sequence, excluded.next_sequence),
        last_sequence = greatest(s.last_sequence, excluded.last_sequence),
        since = least(s.since, excluded.since), until = greatest(s.until, excluded.until), ${restarted(at)}
      returning 1`.execute(tx)
  await endAlertIfOver(tx, merchantId, at)
  return rows.length
}

const within = async (tx: Tx, merchantId: string, { from, to }: { from: number; to: number }) => {
  const span = await spanOf(tx, merchantId, from, to)
  return span === null
    ? sql`false`
    : sql`sequence between ${from} and ${to} and created_at >= ${span.since} and created_at < ${span.until}`
}

/**
 * Gives up the first event of an object that still waits, so that the next can go. It stays in the list of events.
 * @returns its sequence, or null when nothing of the object waits
 */
export const skipEvent = async (
  tx: Tx,
  merchantId: string,
  objectId: string,
  { at }: Moment,
): Promise<number | null> => {
  const mine = sql`merchant_id = ${merchantId} and object_id = ${objectId}`
  const { rows } = await sql<{ next: number; last: number }>`select next_sequence as next, last_sequence as last
    from event_streams where ${mine} for update`.execute(tx)
  const [stream] = rows
  if (!stream) return null
  const { rows: first } = await sql<{ sequence: number }>`select e.sequence
    from (select * from event_streams where ${mine}) s cross join lateral (
      select e.sequence from events e where e.merchant_id = s.merchant_id and e.object_id = s.object_id
      and e.sequence >= s.next_sequence and e.created_at between s.since and s.until order by e.sequence limit 1) e`.execute(
    tx,
  )
  const { sequence } = first[0]!
  if (sequence >= stream.last) await sql`delete from event_streams where ${mine}`.execute(tx)
  else
    await sql`update event_streams as s set next_sequence = ${sequence + 1}, ${restarted(at)} where ${mine}`.execute(tx)
  await endAlertIfOver(tx, merchantId, at)
  return sequence
}

/**
 * Makes everything that waits for a later try due now, exhausted deliveries too, each with the whole schedule before
 * it: for a merchant whose receiver is mended or has moved.
 * @returns how many objects that is
 */
export const wakeMerchant = async (tx: Tx, merchantId: string, { at }: Moment): Promise<number> => {
  const { rows } = await sql`update event_streams as s set ${restarted(at)}
    where merchant_id = ${merchantId} and (next_at is null or next_at > ${at}) returning 1`.execute(tx)
  await endAlertIfOver(tx, merchantId, at)
  return rows.length
}

/**
 * No claim is in force any more: a worker that has the stream now writes nothing about it. Its lease stands, so that no
 * other worker sends events of the object at the same time as that one.
 */
const restarted = (at: Date) => sql`state = 'active', attempts = 0, next_at = ${at}::timestamptz, epoch = 0`

/**
 * After a restore, sequences go on so far behind the last that the copy knows: merchants may have seen more of them.
 */
const SEQUENCE_LEAP = 1_000_000

/**
 * Moves every merchant's sequence on. A merchant who has read to a sequence that the copy does not know reads on from
 * there, and no sequence stands for two notifications. @returns how many merchants
 */
export const leapSequences = async (tx: Tx): Promise<number> => {
  const { rows } = await sql`update event_heads set sequence = sequence + ${SEQUENCE_LEAP}::bigint returning 1`.execute(
    tx,
  )
  return rows.length
}
