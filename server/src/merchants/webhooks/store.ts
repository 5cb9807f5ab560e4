import type { Query, Row } from '../../platform/db/index.ts'
import type { StreamState } from './machine.ts'
import type { ClaimedEvent, ClaimedStream, Settlement } from './stream.ts'

/** Maximum number of events of one object in one claim, so that its delivery fits the lease. */
const MOST_EVENTS = 16
const UUID_LENGTH = 36

/** Times of a claim, in ms. The business clock decides which rows are due, the real clock when leases end. */
export interface ClaimTimes {
  business: number
  now: number
  leaseUntil: number
}

/**
 * $1 business time, $2 real time, $3 end of the lease. Returns one row for each stream, with its events in one text, a
 * line for each: a body was written by JSON.stringify and contains no line feed. A row that changed after the snapshot
 * is not found by its `ctid`; the next claim gets it.
 */
const claimOf = (due: string): string => `with due as (${due}),
  taken as (
    update event_streams s set leased_until = $3, epoch = (select nextval('event_claims')) from due d where s.ctid = d.ctid
    returning s.merchant_id, s.object_id, s.epoch, s.state, s.attempts, s.next_sequence, s.last_sequence, s.own_lane, s.since, s.until)
  select t.merchant_id, t.object_id, t.epoch, t.state, t.attempts, t.last_sequence, t.own_lane, (
    select string_agg(concat_ws(' ', e.sequence, e.id, e.body), e'\n') from (
      select e.sequence, e.id, e.body from events e
      where e.object_id = t.object_id and e.merchant_id = t.merchant_id and e.sequence between t.next_sequence and t.last_sequence
        and e.created_at between t.since and t.until
      order by e.sequence limit ${MOST_EVENTS}) e) as events
  from taken t order by t.object_id, t.merchant_id`

const CLAIM_OPEN = claimOf(`select ctid from event_streams
    where not own_lane and next_at <= $1 and leased_until <= $2
    order by next_at limit $4 for update skip locked`)

const CLAIM_LANES =
  claimOf(`select s.ctid from unnest($4::uuid[], $5::integer[]) lane(merchant_id, room) cross join lateral (
      select s.ctid from event_streams s
      where s.own_lane and s.merchant_id = lane.merchant_id and s.next_at <= $1 and s.leased_until <= $2
      order by s.next_at, s.next_sequence limit lane.room for update skip locked) s`)

/** Claims streams of the common queue, longest due first. */
export const claimOpen = async (query: Query, times: ClaimTimes, most: number): Promise<ClaimedStream[]> =>
  streamsOf(await query('webhooks-claim-open', CLAIM_OPEN, [...instants(times), most]), times)

/** Claims streams of merchants' own lanes, at most `room` of each. */
export const claimLanes = async (
  query: Query,
  times: ClaimTimes,
  lanes: readonly { merchantId: string; room: number }[],
): Promise<ClaimedStream[]> =>
  streamsOf(
    await query('webhooks-claim-lanes', CLAIM_LANES, [
      ...instants(times),
      lanes.map((lane) => lane.merchantId),
      lanes.map((lane) => lane.room),
    ]),
    times,
  )

/** A loose index scan: each step jumps to the next merchant in the index, however many streams the last one has. */
const SCAN_LANES = `with recursive lanes as (
    (select merchant_id, next_at from event_streams where own_lane and merchant_id > $1
      order by merchant_id, next_at limit 1)
    union all
    select n.merchant_id, n.next_at from lanes l cross join lateral (
      select merchant_id, next_at from event_streams s where s.own_lane and s.merchant_id > l.merchant_id
      order by merchant_id, next_at limit 1) n)
  select merchant_id, coalesce(next_at <= $2, false) as due from lanes limit $3`

/** Merchants with streams in their own lane, in the order of ids, and whether a stream is due. */
export const scanLanes = async (
  query: Query,
  after: string,
  business: number,
  most: number,
): Promise<{ merchantId: string; due: boolean }[]> => {
  const rows = await query('webhooks-scan-lanes', SCAN_LANES, [after, instant(business), most])
  return rows.map((row) => ({ merchantId: row.merchant_id as string, due: row.due as boolean }))
}

/**
 * $1 to $4 are the streams, $5 to $11 the attempts, which refer to their stream by its position. Arrays are unnested in
 * the select list, which avoids a copy of their rows. `is true` prevents a join: each attempt is then one hash lookup,
 * for any sizes that the planner assumes.
 */
const RECORD_ATTEMPTS = `attempts as (
    select unnest($5::integer[]) as place, unnest($6::bigint[]) as sequence, unnest($7::integer[]) as attempt, unnest($8::float8[]) as at,
      unnest($9::smallint[]) as status, unnest($10::text[]) as error, unnest($11::integer[]) as duration_ms),
  recorded as (
    insert into event_attempts(merchant_id, sequence, epoch, attempt, at, status, error, duration_ms)
    select ($1::uuid[])[a.place], a.sequence, ($3::bigint[])[a.place], a.attempt, to_timestamp(a.at / 1000), a.status, a.error, a.duration_ms
    from attempts a where (a.place in (select place from held)) is true)
  select place::integer from held`

/** The row is checked after it is locked: an event added in between, or another claim, keeps the stream. */
const FINISH = `with held as (
    delete from event_streams s using unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[])
      with ordinality u(merchant_id, object_id, epoch, next, place)
    where s.merchant_id = u.merchant_id and s.object_id = u.object_id and s.epoch = u.epoch and s.last_sequence < u.next
    returning u.place),
  ${RECORD_ATTEMPTS}`

/** Also ends the claim. If it is repeated because the response to a commit was lost, it finds nothing to write. */
const KEEP = `with held as (
    update event_streams s set next_sequence = u.next, attempts = u.attempts, state = u.state,
      next_at = case when u.as_it_was then s.next_at else u.next_at end, own_lane = u.own_lane,
      leased_until = '-infinity', epoch = 0
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $12::integer[], $13::text[],
      $14::timestamptz[], $15::boolean[], $16::boolean[])
      with ordinality u(merchant_id, object_id, epoch, next, attempts, state, next_at, as_it_was, own_lane, place)
    where s.merchant_id = u.merchant_id and s.object_id = u.object_id and s.epoch = u.epoch
    returning u.place),
  ${RECORD_ATTEMPTS}`

/**
 * Deletes streams whose events are all delivered.
 * @returns those that have more events, or that another worker has claimed
 */
export const finishStreams = async (query: Query, settlements: readonly Settlement[]): Promise<Settlement[]> => {
  if (settlements.length === 0) return []
  return withoutHeld(settlements, await query('webhooks-finish', FINISH, ackColumns(settlements)))
}

/**
 * Releases streams that have events left to deliver.
 * @returns those that another worker has claimed: nothing was written for them
 */
export const keepStreams = async (query: Query, settlements: readonly Settlement[]): Promise<Settlement[]> => {
  if (settlements.length === 0) return []
  const values = [
    ...ackColumns(settlements),
    plainArray(settlements, (s) => s.failures),
    plainArray(settlements, (s) => s.state),
    plainArray(settlements, (s) => (typeof s.nextAt === 'number' ? instant(s.nextAt) : null)),
    plainArray(settlements, (s) => s.nextAt === undefined),
    plainArray(settlements, (s) => s.ownLane),
  ]
  return withoutHeld(settlements, await query('webhooks-keep', KEEP, values))
}

const WITH_EXHAUSTED = `select distinct merchant_id as "merchantId" from event_streams
  where merchant_id = any($1::uuid[]) and state = 'exhausted' and leased_until <= $2`

/**
 * The given merchants that have exhausted streams which no worker is trying now. Uses the partial index of exhausted
 * streams.
 */
export const withExhausted = async (query: Query, merchantIds: readonly string[], now: number): Promise<string[]> =>
  (await query('webhooks-exhausted', WITH_EXHAUSTED, [`{${merchantIds.join(',')}}`, instant(now)])).map((row) =>
    String(row['merchantId']),
  )

const RESTART = `update event_streams set state = 'active', attempts = 0, next_at = $2, own_lane = true,
    leased_until = '-infinity', epoch = 0
  where merchant_id = $1 and state = 'exhausted' and leased_until <= $3`

/**
 * Makes the exhausted streams of a merchant due, oldest event first, each with a full retry schedule. Streams that a
 * worker is trying now are not changed.
 */
export const restartExhausted = async (
  query: Query,
  merchantId: string,
  { business, now }: Pick<ClaimTimes, 'business' | 'now'>,
): Promise<void> => {
  await query('webhooks-restart', RESTART, [merchantId, instant(business), instant(now)])
}

const ackColumns = (settlements: readonly Settlement[]): unknown[] => {
  const attempts = settlements.flatMap((settlement) => settlement.attempts)
  const places = settlements.flatMap((settlement, i) => settlement.attempts.map(() => i + 1))
  return [
    plainArray(settlements, (s) => s.stream.merchantId),
    plainArray(settlements, (s) => s.stream.objectId),
    plainArray(settlements, (s) => s.stream.epoch),
    plainArray(settlements, (s) => s.nextSequence),
    plainArray(places, (place) => place),
    plainArray(attempts, (a) => a.sequence),
    plainArray(attempts, (a) => a.number),
    plainArray(attempts, (a) => a.at),
    plainArray(attempts, (a) => a.status),
    attempts.map((a) => a.error),
    plainArray(attempts, (a) => a.durationMs),
  ]
}

/** Formats a PostgreSQL array of values that need no quotes. The driver would quote and escape each of them. */
const plainArray = <T>(items: readonly T[], of: (item: T) => string | number | boolean | null): string =>
  `{${items.map((item) => of(item) ?? 'NULL').join(',')}}`

const withoutHeld = (settlements: readonly Settlement[], held: readonly Row[]): Settlement[] => {
  const places = new Set(held.map((row) => row.place))
  return settlements.filter((_, i) => !places.has(i + 1))
}

const streamsOf = (rows: readonly Row[], { leaseUntil }: ClaimTimes): ClaimedStream[] =>
  rows.map((row) => ({
    merchantId: row.merchant_id as string,
    objectId: row.object_id as string,
    epoch: row.epoch as number,
    state: row.state as StreamState,
    failures: row.attempts as number,
    lastSequence: row.last_sequence as number,
    ownLane: row.own_lane as boolean,
    leaseUntil,
    events: (row.events as string).split('\n').map(eventOf),
  }))

const eventOf = (line: string): ClaimedEvent => {
  const id = line.indexOf(' ') + 1
  const body = id + UUID_LENGTH + 1
  return { sequence: Number(line.slice(0, id - 1)), id: line.slice(id, body - 1), body: line.slice(body) }
}

const instant = (ms: number): string => new Date(ms).toISOString()
const instants = ({ business, now, leaseUntil }: ClaimTimes): string[] => [
  instant(business),
  instant(now),
  instant(leaseUntil),
]
