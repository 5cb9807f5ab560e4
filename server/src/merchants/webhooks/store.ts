import type { Query, Row } from '../../platform/db/index.ts'
import type { StreamTables } from './stream-tables.ts'
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
const claimOf = ({ streams, receiver }: StreamTables, due: string): string => `with due as (${due}),
  taken as (
    update ${streams} s set leased_until = $3, epoch = (select nextval('event_claims')) from due d where s.ctid = d.ctid
    returning s.${receiver} as receiver_id, s.merchant_id, s.object_id, s.epoch, s.state, s.attempts, s.next_sequence, s.last_sequence, s.own_lane, s.since, s.until)
  select t.receiver_id, t.merchant_id, t.object_id, t.epoch, t.state, t.attempts, t.last_sequence, t.own_lane, (
    select string_agg(concat_ws(' ', e.sequence, e.id, e.body), e'\n') from (
      select e.sequence, e.id, e.body from events e
      where e.object_id = t.object_id and e.merchant_id = t.merchant_id and e.sequence between t.next_sequence and t.last_sequence
        and e.created_at between t.since and t.until
      order by e.sequence limit ${MOST_EVENTS}) e) as events
  from taken t order by t.object_id, t.receiver_id`

const claimOpenOf = (tables: StreamTables): string =>
  claimOf(
    tables,
    `select ctid from ${tables.streams}
    where not own_lane and next_at <= $1 and leased_until <= $2
    order by next_at limit $4 for update skip locked`,
  )

const claimLanesOf = (tables: StreamTables): string =>
  claimOf(
    tables,
    `select s.ctid from unnest($4::uuid[], $5::integer[]) lane(receiver_id, capacity) cross join lateral (
      select s.ctid from ${tables.streams} s
      where s.own_lane and s.${tables.receiver} = lane.receiver_id and s.next_at <= $1 and s.leased_until <= $2
      order by s.next_at, s.next_sequence limit lane.capacity for update skip locked) s`,
  )

/** A loose index scan: each step jumps to the next merchant in the index, however many streams the last one has. */
const scanLanesOf = ({ streams, receiver }: StreamTables): string => `with recursive lanes as (
    (select ${receiver} as receiver_id, next_at from ${streams} where own_lane and ${receiver} > $1
      order by ${receiver}, next_at limit 1)
    union all
    select n.receiver_id, n.next_at from lanes l cross join lateral (
      select s.${receiver} as receiver_id, next_at from ${streams} s where s.own_lane and s.${receiver} > l.receiver_id
      order by s.${receiver}, next_at limit 1) n)
  select receiver_id, coalesce(next_at <= $2, false) as due from lanes limit $3`

/**
 * $1 to $4 are the streams, $5 to $11 the attempts, which refer to their stream by its position. Arrays are unnested in
 * the select list, which avoids a copy of their rows. `is true` prevents a join: each attempt is then one hash lookup,
 * for any sizes that the planner assumes.
 */
const recordOf = ({ attempts, receiver }: StreamTables): string => `attempts as (
    select unnest($5::integer[]) as place, unnest($6::bigint[]) as sequence, unnest($7::integer[]) as attempt, unnest($8::float8[]) as at,
      unnest($9::smallint[]) as status, unnest($10::text[]) as error, unnest($11::integer[]) as duration_ms),
  recorded as (
    insert into ${attempts}(${receiver}, sequence, epoch, attempt, at, status, error, duration_ms)
    select ($1::uuid[])[a.place], a.sequence, ($3::bigint[])[a.place], a.attempt, to_timestamp(a.at / 1000), a.status, a.error, a.duration_ms
    from attempts a where (a.place in (select place from held)) is true)
  select place::integer from held`

/** The row is checked after it is locked: an event added in between, or another claim, keeps the stream. */
const finishOf = (tables: StreamTables): string => `with held as (
    delete from ${tables.streams} s using unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[])
      with ordinality u(receiver_id, object_id, epoch, next, place)
    where s.${tables.receiver} = u.receiver_id and s.object_id = u.object_id and s.epoch = u.epoch and s.last_sequence < u.next
    returning u.place),
  ${recordOf(tables)}`

/** Also ends the claim. If it is repeated because the response to a commit was lost, it finds nothing to write. */
const keepOf = (tables: StreamTables): string => `with held as (
    update ${tables.streams} s set next_sequence = u.next, attempts = u.attempts, state = u.state,
      next_at = case when u.as_it_was then s.next_at else u.next_at end, own_lane = u.own_lane,
      leased_until = '-infinity', epoch = 0
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $12::integer[], $13::text[],
      $14::timestamptz[], $15::boolean[], $16::boolean[])
      with ordinality u(receiver_id, object_id, epoch, next, attempts, state, next_at, as_it_was, own_lane, place)
    where s.${tables.receiver} = u.receiver_id and s.object_id = u.object_id and s.epoch = u.epoch
    returning u.place),
  ${recordOf(tables)}`

const exhaustedOf = ({
  streams,
  receiver,
}: StreamTables): string => `select distinct ${receiver} as receiver_id from ${streams}
  where ${receiver} = any($1::uuid[]) and state = 'exhausted' and leased_until <= $2`

const restartOf = ({
  streams,
  receiver,
}: StreamTables): string => `update ${streams} set state = 'active', attempts = 0, next_at = $2, own_lane = true,
    leased_until = '-infinity', epoch = 0
  where ${receiver} = $1 and state = 'exhausted' and leased_until <= $3`

/** The statements of the deliveries to one kind of receiver; `query` executes each. */
export interface StreamStore {
  /** Claims streams of the common queue, longest due first. */
  claimOpen(query: Query, times: ClaimTimes, most: number): Promise<ClaimedStream[]>
  /** Claims streams of receivers' own lanes, at most `capacity` of each. */
  claimLanes(
    query: Query,
    times: ClaimTimes,
    lanes: readonly { receiverId: string; capacity: number }[],
  ): Promise<ClaimedStream[]>
  /** Receivers with streams in their own lane, in the order of ids, and whether a stream is due. */
  scanLanes(
    query: Query,
    after: string,
    business: number,
    most: number,
  ): Promise<{ receiverId: string; due: boolean }[]>
  /**
   * Deletes streams whose events are all delivered.
   * @returns those that have more events, or that another worker has claimed
   */
  finishStreams(query: Query, settlements: readonly Settlement[]): Promise<Settlement[]>
  /**
   * Releases streams that have events left to deliver.
   * @returns those that another worker has claimed: nothing was written for them
   */
  keepStreams(query: Query, settlements: readonly Settlement[]): Promise<Settlement[]>
  /**
   * The given receivers that have exhausted streams which no worker is trying now. Uses the partial index of exhausted
   * streams.
   */
  withExhausted(query: Query, receiverIds: readonly string[], now: number): Promise<string[]>
  /**
   * Makes the exhausted streams of a receiver due, oldest event first, each with a full retry schedule. Streams that a
   * worker is trying now are not changed.
   */
  restartExhausted(query: Query, receiverId: string, times: Pick<ClaimTimes, 'business' | 'now'>): Promise<void>
}

export const createStreamStore = (tables: StreamTables): StreamStore => {
  // Prepared statements of both kinds share a connection.
  const named = (name: string): string => `${name} ${tables.streams}`
  const [open, lanes, scan] = [claimOpenOf(tables), claimLanesOf(tables), scanLanesOf(tables)]
  const [finish, keep] = [finishOf(tables), keepOf(tables)]
  const [exhausted, restart] = [exhaustedOf(tables), restartOf(tables)]
  return {
    claimOpen: async (query, times, most) =>
      streamsOf(await query(named('claim-open'), open, [...instants(times), most]), times),
    claimLanes: async (query, times, taken) =>
      streamsOf(
        await query(named('claim-lanes'), lanes, [
          ...instants(times),
          taken.map((lane) => lane.receiverId),
          taken.map((lane) => lane.capacity),
        ]),
        times,
      ),
    scanLanes: async (query, after, business, most) => {
      const rows = await query(named('scan-lanes'), scan, [after, instant(business), most])
      return rows.map((row) => ({ receiverId: row.receiver_id as string, due: row.due as boolean }))
    },
    finishStreams: async (query, settlements) =>
      settlements.length === 0
        ? []
        : withoutHeld(settlements, await query(named('finish'), finish, ackColumns(settlements))),
    keepStreams: async (query, settlements) =>
      settlements.length === 0
        ? []
        : withoutHeld(settlements, await query(named('keep'), keep, retainedColumns(settlements))),
    withExhausted: async (query, receiverIds, now) =>
      (await query(named('exhausted'), exhausted, [`{${receiverIds.join(',')}}`, instant(now)])).map((row) =>
        String(row['receiver_id']),
      ),
    restartExhausted: async (query, receiverId, { business, now }) => {
      await query(named('restart'), restart, [receiverId, instant(business), instant(now)])
    },
  }
}

const retainedColumns = (settlements: readonly Settlement[]): unknown[] => [
  ...ackColumns(settlements),
  plainArray(settlements, (s) => s.failures),
  plainArray(settlements, (s) => s.state),
  plainArray(settlements, (s) => (typeof s.nextAt === 'number' ? instant(s.nextAt) : null)),
  plainArray(settlements, (s) => s.nextAt === undefined),
  plainArray(settlements, (s) => s.ownLane),
]

const ackColumns = (settlements: readonly Settlement[]): unknown[] => {
  const attempts = settlements.flatMap((settlement) => settlement.attempts)
  const places = settlements.flatMap((settlement, i) => settlement.attempts.map(() => i + 1))
  return [
    plainArray(settlements, (s) => s.stream.receiverId),
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
    receiverId: row.receiver_id as string,
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
