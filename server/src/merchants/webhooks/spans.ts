import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/**
 * The period in which a range of events was created, `until` exclusive, in PostgreSQL's format. Events from before
 * spans were recorded start at -infinity.
 */
export interface Span {
  since: string
  until: string
}

/** A condition for the spans from that of a sequence on; all spans when the sequence is older than the first. */
const fromSequence = (
  merchantId: string,
  sequence: number,
) => sql`merchant_id = ${merchantId} and first_sequence >= coalesce(
  (select first_sequence from event_spans where merchant_id = ${merchantId} and first_sequence <= ${sequence} order by first_sequence desc limit 1), 0)`

/** The spans that contain a merchant's events from a sequence on, in order. */
export const spansFrom = async (db: Db | Tx, merchantId: string, sequence: number): Promise<Span[]> =>
  (
    await sql<Span>`select since::text, until::text from event_spans where ${fromSequence(merchantId, sequence)} order by first_sequence`.execute(
      db,
    )
  ).rows

/** The span that covers a range of a merchant's events, both ends included; null when none of them exists any more. */
export const spanOf = async (db: Db | Tx, merchantId: string, from: number, to: number): Promise<Span | null> => {
  const { rows } = await sql<{
    since: string | null
    until: string | null
  }>`select min(since)::text as since, max(until)::text as until
    from event_spans where ${fromSequence(merchantId, from)} and first_sequence <= ${to}`.execute(db)
  const { since, until } = rows[0]!
  return since === null || until === null ? null : { since, until }
}

/**
 * The spans that contain a merchant's events before a sequence, newest first, without those that end before a time.
 * @param timeFrom null: from the first span on
 */
export const spansBefore = async (
  db: Db | Tx,
  merchantId: string,
  sequence: number,
  timeFrom: Date | null,
): Promise<Span[]> =>
  (
    await sql<Span>`select since::text, until::text from event_spans where merchant_id = ${merchantId}
      and first_sequence < ${sequence} and (${timeFrom}::timestamptz is null or until > ${timeFrom}::timestamptz)
      order by first_sequence desc`.execute(db)
  ).rows

/**
 * A sequence of a merchant before which all its events of before a time are. It is found by halving the sequences of
 * one span, so that it takes some dozen rows of an index, however many events there are. 1 if there are none.
 */
export const sequenceBehind = async (db: Db | Tx, merchantId: string, time: Date): Promise<number> => {
  const { rows } = await sql<{ behind: number }>`with recursive span as (
      select s.first_sequence as low, s.since, s.until, coalesce(
        (select n.first_sequence - 1 from event_spans n where n.merchant_id = s.merchant_id
          and n.first_sequence > s.first_sequence order by n.first_sequence limit 1),
        (select h.sequence from event_heads h where h.merchant_id = s.merchant_id)) as high
      from event_spans s where s.merchant_id = ${merchantId} and s.since < ${time} order by s.first_sequence desc limit 1),
    search as (
      select low, high, since, until from span
      union all
      select case when m.is_before then m.middle + 1 else s.low end, case when m.is_before then s.high else m.sequence - 1 end,
        s.since, s.until
      from search s cross join lateral (
        select h.middle, e.sequence, coalesce(e.created_at < ${time}, true) as is_before
        from (select (s.low + s.high) / 2 as middle) h left join lateral (
          select e.sequence, e.created_at from events e where e.merchant_id = ${merchantId}
            and e.sequence between s.low and h.middle and e.created_at >= s.since and e.created_at < s.until
          order by e.sequence desc limit 1) e on true) m
      where s.low <= s.high)
    select low as behind from search where low > high`.execute(db)
  return rows[0]?.behind ?? 1
}

/**
 * Joins the spans after the first in groups of two, four, eight and so on, so that a page of events from many years
 * needs few queries, and most pages need one.
 * @param order of the spans
 */
export const widening = (spans: readonly Span[], order: 'oldest first' | 'newest first' = 'oldest first'): Span[] => {
  const joined: Span[] = []
  for (let i = 0, width = 1; i < spans.length; i += width, width *= 2) {
    const ends = [spans[i]!, spans[Math.min(i + width, spans.length) - 1]!] as const
    const [first, last] = order === 'oldest first' ? ends : ([ends[1], ends[0]] as const)
    joined.push({ since: first.since, until: last.until })
  }
  return joined
}
