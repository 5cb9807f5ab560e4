/** What additional endpoints have got and still get: their attempts, and sending again. */
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { endEndpointAlertIfOver } from './alert.ts'
import type { Replayed } from './commands.ts'
import { findDelivery, MOST_COUNTED, type DeliveryState, type EndpointHealth } from './listing.ts'
import type { AttemptRow } from './queries.ts'

const RECENT = 200

/** Reads a bounded number of rows, however many notifications and attempts an endpoint has. */
export const endpointHealth = async (db: Db | Tx, endpointId: string): Promise<EndpointHealth> => {
  const { rows } = await sql<EndpointHealth>`select
      (select count(*) from (select from endpoint_streams where endpoint_id = ${endpointId} limit ${MOST_COUNTED}) w) as waiting,
      (select count(*) from (select from endpoint_streams where endpoint_id = ${endpointId} and own_lane
        and (attempts > 0 or state = 'exhausted') limit ${MOST_COUNTED}) f) as failing,
      count(*) as attempts, count(*) filter (where (a.status between 200 and 299) is not true) as refused,
      max(a.at) filter (where a.status between 200 and 299) as "acceptedAt",
      max(a.at) filter (where (a.status between 200 and 299) is not true) as "refusedAt"
    from (select at, status from endpoint_attempts where endpoint_id = ${endpointId}
      order by sequence desc, epoch desc limit ${RECENT}) a`.execute(db)
  return rows[0]!
}

/** Attempts at the newest notifications of an endpoint: newest notification first. */
export const listEndpointAttempts = async (
  db: Db | Tx,
  endpointId: string,
  { before, limit }: { before: { sequence: number; epoch: number } | null; limit: number },
): Promise<(AttemptRow & { epoch: number })[]> =>
  (
    await sql<
      AttemptRow & { epoch: number }
    >`select sequence, epoch, attempt, at, status, error, duration_ms as "durationMs"
      from endpoint_attempts where endpoint_id = ${endpointId}
        and (sequence, epoch) < (${before?.sequence ?? Number.MAX_SAFE_INTEGER}::bigint, ${before?.epoch ?? Number.MAX_SAFE_INTEGER}::bigint)
      order by sequence desc, epoch desc limit ${limit}`.execute(db)
  ).rows

/**
 * How one notification stands at one additional endpoint.
 * - unsent: it was not for this endpoint, because it is older or of another kind; or its attempts were deleted
 */
export interface EndpointDelivery {
  endpointId: string
  state: DeliveryState | 'unsent'
  /** business clock: of the next attempt; null: none is due */
  nextAt: Date | null
  /** identifies the newest attempt at it; 0: it has none */
  lastEpoch: number
}

/** How a notification stands at each of the given endpoints of its merchant. */
export const endpointDeliveries = async (
  db: Db | Tx,
  endpointIds: readonly string[],
  { objectId, sequence }: { objectId: string; sequence: number },
): Promise<EndpointDelivery[]> =>
  (
    await sql<EndpointDelivery>`select u.id as "endpointId",
      case when s.next_sequence is not null and s.state = 'exhausted' then 'exhausted'
        when s.next_sequence is not null then case when s.attempts > 0 then 'failing' else 'due' end
        when a.accepted then 'delivered' else 'unsent' end as state,
      s.next_at as "nextAt", coalesce(a.epoch, 0) as "lastEpoch"
    from unnest(${[...endpointIds]}::uuid[]) u(id)
    left join endpoint_streams s on s.endpoint_id = u.id and s.object_id = ${objectId} and ${sequence} between s.next_sequence and s.last_sequence
    cross join lateral (select max(a.epoch) as epoch, bool_or(a.status between 200 and 299) as accepted from endpoint_attempts a
      where a.endpoint_id = u.id and a.sequence = ${sequence}) a`.execute(db)
  ).rows

/** The newest attempts at one notification at each of some endpoints, newest first. */
export const attemptsAtEndpoints = async (
  db: Db | Tx,
  endpointIds: readonly string[],
  sequence: number,
  each = 20,
): Promise<(AttemptRow & { endpointId: string })[]> =>
  (
    await sql<
      AttemptRow & { endpointId: string }
    >`select u.id as "endpointId", a.sequence, a.attempt, a.at, a.status, a.error, a.duration_ms as "durationMs"
      from unnest(${[...endpointIds]}::uuid[]) u(id) cross join lateral (select * from endpoint_attempts a
        where a.endpoint_id = u.id and a.sequence = ${sequence} order by a.epoch desc limit ${each}) a
      order by u.id, a.epoch desc`.execute(db)
  ).rows

/** How many objects wait at each of some endpoints, and how many of these fail: at most MOST_COUNTED. */
export const waitingAt = async (
  db: Db | Tx,
  endpointIds: readonly string[],
): Promise<Map<string, Pick<EndpointHealth, 'waiting' | 'failing'>>> => {
  const { rows } = await sql<Pick<EndpointHealth, 'waiting' | 'failing'> & { id: string }>`select u.id,
      (select count(*) from (select from endpoint_streams s where s.endpoint_id = u.id limit ${MOST_COUNTED}) w) as waiting,
      (select count(*) from (select from endpoint_streams s where s.endpoint_id = u.id and s.own_lane
        and (s.attempts > 0 or s.state = 'exhausted') limit ${MOST_COUNTED}) f) as failing
    from unnest(${[...endpointIds]}::uuid[]) u(id)`.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/**
 * Schedules one notification of a merchant for delivery to one of its additional endpoints, once for each state of it
 * that a caller has read: `replayOnce` for an endpoint. The kinds that the endpoint has chosen do not matter.
 * @param choice `lastEpoch`: that of the newest attempt which the caller has seen (`EndpointDelivery`)
 */
export const replayToEndpoint = async (
  tx: Tx,
  merchantId: string,
  { endpointId, sequence, lastEpoch }: { endpointId: string; sequence: number; lastEpoch: number },
  { at }: Moment,
): Promise<Replayed> => {
  await sql`select from event_heads where merchant_id = ${merchantId} for update`.execute(tx)
  const event = await findDelivery(tx, merchantId, sequence)
  if (event === undefined) return 'unknown'
  const [delivery] = await endpointDeliveries(tx, [endpointId], event)
  if (delivery!.nextAt !== null && delivery!.nextAt <= at) return 'waiting'
  if (delivery!.lastEpoch !== lastEpoch) return 'changed'
  await sql`insert into endpoint_streams as s (endpoint_id, object_id, merchant_id, next_sequence, last_sequence, next_at, own_lane, since, until)
    values (${endpointId}, ${event.objectId}, ${merchantId}, ${sequence}, ${sequence}, ${at}, true, ${event.createdAt}, ${event.createdAt})
    on conflict (endpoint_id, object_id) do update set next_sequence = least(s.next_sequence, excluded.next_sequence),
      last_sequence = greatest(s.last_sequence, excluded.last_sequence), since = least(s.since, excluded.since),
      until = greatest(s.until, excluded.until), state = 'active', attempts = 0, next_at = excluded.next_at, epoch = 0`.execute(
    tx,
  )
  await endEndpointAlertIfOver(tx, endpointId, at)
  return 'scheduled'
}

/**
 * Makes waiting deliveries of an additional endpoint due now, each with a full retry schedule.
 * @param most number of objects; null: all of them
 * @returns number of objects
 */
export const wakeEndpoint = async (
  tx: Tx,
  endpointId: string,
  { at }: Moment,
  most: number | null = null,
): Promise<number> => {
  const { rows } =
    await sql`update endpoint_streams set state = 'active', attempts = 0, next_at = ${at}::timestamptz, epoch = 0
    where ctid = any(array(select ctid from endpoint_streams
      where endpoint_id = ${endpointId} and (next_at is null or next_at > ${at}) limit ${most} for update)) returning 1`.execute(
      tx,
    )
  await endEndpointAlertIfOver(tx, endpointId, at)
  return rows.length
}
