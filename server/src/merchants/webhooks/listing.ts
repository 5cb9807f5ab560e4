/** The notifications of one merchant as a list, newest first, and how their deliveries stand. */
import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import {
  examination,
  isAnyOf,
  isInTime,
  isValue,
  pageOf,
  rowsOfPage,
  type Examined,
  type Listed,
} from '../../platform/lists/page.ts'
import { sequenceBehind, spanOf, spansBefore, widening } from './spans.ts'

/**
 * - delivered: the endpoint has accepted it, or it was skipped
 * - due: it waits for its first attempt
 * - failing: its attempts have failed so far, or it waits behind such a one of the same object
 * - exhausted: the scheduled attempts are used up, of it or of one before it of the same object
 */
export const DELIVERY_STATES = ['delivered', 'due', 'failing', 'exhausted'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** The list of notifications does not read bodies. */
export interface ListedEvent {
  sequence: number
  id: string
  objectId: string
  kind: string
  status: string
  /** business clock */
  createdAt: Date
  state: DeliveryState
  /** business clock: of the next attempt; null: delivered, or not before it is started again */
  nextAt: Date | null
}

/** Conditions on notifications, all of which hold; null: any. */
export interface EventFilter {
  kind: string | null
  state: DeliveryState | null
  objectId: string | null
  timeFrom: Date | null
  timeTo: Date | null
}

const HIGHEST = Number.MAX_SAFE_INTEGER
/** A notification may be dated this long before or after one of a near sequence: clocks of processes differ. */
const SLACK_MS = 5 * 60_000

/** The state of an event `e` with its stream `s`, of a left join. */
const STATE = sql`case when s.next_sequence is null or e.sequence < s.next_sequence or e.sequence > s.last_sequence then 'delivered'
  when s.state = 'exhausted' then 'exhausted' when s.attempts > 0 then 'failing' else 'due' end`
const JOINED = sql`left join event_streams s on s.merchant_id = e.merchant_id and s.object_id = e.object_id`
const COLUMNS = sql`e.sequence, e.id, e.object_id as "objectId", e.kind, e.status, e.created_at as "createdAt", ${STATE} as state,
  case when e.sequence between s.next_sequence and s.last_sequence then s.next_at end as "nextAt"`

/**
 * A page of a merchant's notifications, newest first. A statement examines a bounded number of them.
 * @param page `before`: the sequence of the last one of the page before it; null: the newest page
 */
export const listDeliveries = async (
  db: Db | Tx,
  merchantId: string,
  filter: EventFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<Listed<ListedEvent>> => {
  const { timeFrom, timeTo } = filter
  const end = timeTo === null ? HIGHEST : await sequenceBehind(db, merchantId, new Date(timeTo.getTime() + SLACK_MS))
  const first = timeFrom === null ? 0 : await sequenceBehind(db, merchantId, new Date(timeFrom.getTime() - SLACK_MS))
  const highest = Math.min(before ?? HIGHEST, end)
  const rows: ListedEvent[] = []
  const spans = await spansBefore(db, merchantId, highest, timeFrom)
  for (const { since, until } of widening(spans, 'newest first')) {
    const condition = sql`${isValue(sql`e.kind`, filter.kind)} and ${isValue(STATE, filter.state)}
      and ${isInTime(sql`e.created_at`, filter)}`
    const order = sql`e.sequence desc`
    const select = sql`select ${COLUMNS}, ${examination(order, condition)} from events e ${JOINED}
      where e.merchant_id = ${merchantId} and e.sequence < ${highest} and e.sequence >= ${first} and e.created_at >= ${since} and e.created_at < ${until}
        and ${isAnyOf(sql`e.object_id`, filter.objectId === null ? null : [filter.objectId])}
      order by ${order}`
    const found = await pageIn(db, select, limit - rows.length)
    rows.push(...found.rows)
    if (found.next !== null) return { rows, next: found.next }
    if (rows.length === limit) return { rows, next: String(rows.at(-1)!.sequence) }
  }
  return { rows, next: null }
}

const pageIn = async (db: Db | Tx, select: RawBuilder<unknown>, limit: number): Promise<Listed<ListedEvent>> => {
  const { rows } = await sql<ListedEvent & Examined>`${rowsOfPage(select, sql`sequence desc`, { limit })}`.execute(db)
  return pageOf(rows, limit, ({ sequence }) => String(sequence))
}

/** A notification with its body, which is JSON as it is sent. */
export interface EventDetail extends ListedEvent {
  body: string
  /** identifies the newest attempt at it; 0: it has none */
  lastEpoch: number
}

/** A notification of a merchant by its sequence; undefined if there is none, or it is archived. */
export const findDelivery = async (
  db: Db | Tx,
  merchantId: string,
  sequence: number,
): Promise<EventDetail | undefined> => {
  const span = await spanOf(db, merchantId, sequence, sequence)
  if (span === null) return undefined
  const { rows } = await sql<EventDetail>`select ${COLUMNS}, e.body, coalesce((select max(a.epoch) from event_attempts a
      where a.merchant_id = e.merchant_id and a.sequence = e.sequence), 0) as "lastEpoch"
    from events e ${JOINED} where e.merchant_id = ${merchantId} and e.sequence = ${sequence}
      and e.created_at >= ${span.since} and e.created_at < ${span.until}`.execute(db)
  return rows[0]
}

/** How an endpoint has answered lately. */
export interface EndpointHealth {
  /** objects with notifications to deliver, at most MOST_COUNTED */
  waiting: number
  /** objects of these whose attempts fail, or are used up, at most MOST_COUNTED */
  failing: number
  /** attempts among the newest notifications: at most RECENT */
  attempts: number
  /** of these attempts, how many were not accepted */
  refused: number
  /** business clock; of these attempts, the newest that was accepted, and the newest that was not */
  acceptedAt: Date | null
  refusedAt: Date | null
}

export const MOST_COUNTED = 1_000
const RECENT = 200

/** SQL: how many objects of a merchant have notifications whose attempts fail, or are used up, at most `most`. */
export const countFailing = (merchantId: string, most: number): RawBuilder<number> =>
  sql`(select count(*) from (select from event_streams where merchant_id = ${merchantId} and own_lane
    and (attempts > 0 or state = 'exhausted') limit ${most}) f)`

/** SQL: how many additional endpoints of a merchant have notifications whose attempts fail, or are used up. */
export const countFailingEndpoints = (merchantId: string): RawBuilder<number> =>
  sql`(select count(*) from webhook_endpoints e where e.merchant_id = ${merchantId} and e.removed_at is null
    and exists (select from endpoint_streams s where s.endpoint_id = e.id and s.own_lane
      and (s.attempts > 0 or s.state = 'exhausted')))`

/** SQL: the newest notification of a merchant; null without one. @param merchant SQL of the merchant's id */
export const newestSequence = (merchant: RawBuilder<string>): RawBuilder<number | null> =>
  sql`(select sequence from event_heads where merchant_id = ${merchant})`

/** Reads a bounded number of rows, however many notifications and attempts a merchant has. */
export const healthOf = async (db: Db | Tx, merchantId: string): Promise<EndpointHealth> => {
  const { rows } = await sql<EndpointHealth>`select
      (select count(*) from (select from event_streams where merchant_id = ${merchantId} limit ${MOST_COUNTED}) w) as waiting,
      ${countFailing(merchantId, MOST_COUNTED)} as failing,
      count(*) as attempts, count(*) filter (where (a.status between 200 and 299) is not true) as refused,
      max(a.at) filter (where a.status between 200 and 299) as "acceptedAt",
      max(a.at) filter (where (a.status between 200 and 299) is not true) as "refusedAt"
    from (select at, status from event_attempts where merchant_id = ${merchantId}
      order by sequence desc, epoch desc limit ${RECENT}) a`.execute(db)
  return rows[0]!
}
