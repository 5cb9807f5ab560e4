import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { endAlertIfOver, endEndpointAlertIfOver } from './alert.ts'
import { findDelivery } from './listing.ts'
import { spanOf } from './spans.ts'
import { OF_ENDPOINTS, OF_MERCHANTS } from './stream-tables.ts'

/** The streams of one receiver of a merchant: of an additional endpoint, or of the endpoint of its settings. */
const streamsOf = (merchantId: string, endpointId: string | undefined) => {
  const { streams, receiver } = endpointId === undefined ? OF_MERCHANTS : OF_ENDPOINTS
  const id = endpointId ?? merchantId
  return {
    streams: sql.id(streams),
    receiver: sql.id(receiver),
    mine: sql`${sql.id(receiver)} = ${id} and merchant_id = ${merchantId}`,
    endAlertIfOver: (tx: Tx, at: Date) =>
      (endpointId === undefined ? endAlertIfOver : endEndpointAlertIfOver)(tx, id, at),
  }
}

/** The events to send again. A range covers events of all objects; `from` and `to` are inclusive sequences. */
export type ReplayChoice = { from: number; to: number } | { objectId: string }

/**
 * Schedules events for delivery again, even if they were delivered, or before they are due: the same bytes with the
 * same ids. Because each object's events are sent in order, all events between a replayed one and one that is still
 * waiting are sent again too. If a worker has claimed an object, it follows when the lease ends, within a minute.
 * @param endpointId an additional endpoint of the merchant, which gets the kinds that it has chosen; undefined: the
 *   endpoint of the settings
 * @returns number of objects with events to send
 */
export const replayEvents = async (
  tx: Tx,
  merchantId: string,
  choice: ReplayChoice,
  { at }: Moment,
  endpointId?: string,
): Promise<number> => {
  const chosen = 'objectId' in choice ? sql`object_id = ${choice.objectId}` : await within(tx, merchantId, choice)
  const { streams, receiver, endAlertIfOver: endAlert } = streamsOf(merchantId, endpointId)
  const extra =
    endpointId === undefined
      ? { column: sql``, value: sql``, kinds: sql`` }
      : {
          column: sql`endpoint_id, `,
          value: sql`${endpointId}::uuid, `,
          kinds: sql`and exists (select from webhook_endpoints w where w.id = ${endpointId} and w.merchant_id = ${merchantId}
            and w.removed_at is null and (w.kinds is null or events.kind = any(w.kinds)))`,
        }
  const { rows } =
    await sql`insert into ${streams} as s (${extra.column}merchant_id, object_id, next_sequence, last_sequence, next_at, own_lane, since, until)
      select ${extra.value}merchant_id, object_id, min(sequence), max(sequence), ${at}::timestamptz, true, min(created_at), max(created_at)
      from events where merchant_id = ${merchantId} and ${chosen} ${extra.kinds}
      group by merchant_id, object_id order by merchant_id, object_id
      on conflict (${receiver}, object_id) do update set next_sequence = least(s.next_sequence, excluded.next_sequence),
        last_sequence = greatest(s.last_sequence, excluded.last_sequence),
        since = least(s.since, excluded.since), until = greatest(s.until, excluded.until), ${restarted(at)}
      returning 1`.execute(tx)
  await endAlert(tx, at)
  return rows.length
}

/**
 * - scheduled: the notification is sent again
 * - waiting: it is due already
 * - changed: it was sent since the caller has read it
 * - unknown: the merchant has no such notification, or it is archived
 */
export type Replayed = 'scheduled' | 'waiting' | 'changed' | 'unknown'

/**
 * Schedules one notification for delivery again, once for each state of it that a caller has read: a repeated call does
 * nothing. Repeated calls wait for each other by the lock of the merchant's newest sequence.
 * @param choice `lastEpoch`: that of the newest attempt which the caller has seen (`EventDetail`)
 */
export const replayOnce = async (
  tx: Tx,
  merchantId: string,
  { sequence, lastEpoch }: { sequence: number; lastEpoch: number },
  moment: Moment,
): Promise<Replayed> => {
  await sql`select from event_heads where merchant_id = ${merchantId} for update`.execute(tx)
  const event = await findDelivery(tx, merchantId, sequence)
  if (event === undefined) return 'unknown'
  if (event.nextAt !== null && event.nextAt <= moment.at) return 'waiting'
  if (event.lastEpoch !== lastEpoch) return 'changed'
  await replayEvents(tx, merchantId, { from: sequence, to: sequence }, moment)
  return 'scheduled'
}

const within = async (tx: Tx, merchantId: string, { from, to }: { from: number; to: number }) => {
  const span = await spanOf(tx, merchantId, from, to)
  return span === null
    ? sql`false`
    : sql`sequence between ${from} and ${to} and created_at >= ${span.since} and created_at < ${span.until}`
}

/**
 * Skips the first waiting event of an object, so that the next one can be sent. The event remains in the list of
 * events.
 * @param endpointId an additional endpoint of the merchant; undefined: the endpoint of the settings
 * @returns its sequence, or null when no event of the object waits
 */
export const skipEvent = async (
  tx: Tx,
  merchantId: string,
  objectId: string,
  { at }: Moment,
  endpointId?: string,
): Promise<number | null> => {
  const { streams, mine: ofReceiver, endAlertIfOver: endAlert } = streamsOf(merchantId, endpointId)
  const mine = sql`${ofReceiver} and object_id = ${objectId}`
  const { rows } = await sql<{ next: number; last: number }>`select next_sequence as next, last_sequence as last
    from ${streams} where ${mine} for update`.execute(tx)
  const [stream] = rows
  if (!stream) return null
  const { rows: first } = await sql<{ sequence: number }>`select e.sequence
    from (select * from ${streams} where ${mine}) s cross join lateral (
      select e.sequence from events e where e.merchant_id = s.merchant_id and e.object_id = s.object_id
      and e.sequence >= s.next_sequence and e.created_at between s.since and s.until order by e.sequence limit 1) e`.execute(
    tx,
  )
  const { sequence } = first[0]!
  if (sequence >= stream.last) await sql`delete from ${streams} where ${mine}`.execute(tx)
  else await sql`update ${streams} as s set next_sequence = ${sequence + 1}, ${restarted(at)} where ${mine}`.execute(tx)
  await endAlert(tx, at)
  return sequence
}

/**
 * Makes all waiting deliveries of a merchant due now, including exhausted ones, each with a full retry schedule. For a
 * merchant whose receiver was repaired or has moved.
 * @param most number of objects; null: all of them
 * @returns number of objects
 */
export const wakeMerchant = async (
  tx: Tx,
  merchantId: string,
  { at }: Moment,
  most: number | null = null,
): Promise<number> => {
  const { rows } = await sql`update event_streams as s set ${restarted(at)}
    where ctid = any(array(select ctid from event_streams
      where merchant_id = ${merchantId} and (next_at is null or next_at > ${at}) limit ${most} for update)) returning 1`.execute(
    tx,
  )
  await endAlertIfOver(tx, merchantId, at)
  return rows.length
}

/**
 * Columns of a restarted stream. Epoch 0 invalidates claims: a worker that has the stream stores nothing about it. Its
 * lease remains, so that no other worker sends the object's events at the same time.
 */
const restarted = (at: Date) => sql`state = 'active', attempts = 0, next_at = ${at}::timestamptz, epoch = 0`

/** Gap in the sequences after a restore: merchants may have seen sequences after the last one of the copy. */
const SEQUENCE_LEAP = 1_000_000

/**
 * Advances the sequence of every merchant. A merchant that has read a sequence unknown to the copy continues from
 * there, and no sequence identifies two notifications.
 * @returns number of merchants
 */
export const leapSequences = async (tx: Tx): Promise<number> => {
  const { rows } = await sql`update event_heads set sequence = sequence + ${SEQUENCE_LEAP}::bigint returning 1`.execute(
    tx,
  )
  return rows.length
}
