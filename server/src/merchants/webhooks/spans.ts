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
 * Joins the spans after the first in groups of two, four, eight and so on, so that a page of events from many years
 * needs few queries, and most pages need one.
 */
export const widening = (spans: readonly Span[]): Span[] => {
  const joined: Span[] = []
  for (let i = 0, width = 1; i < spans.length; i += width, width *= 2) {
    const { until } = spans[Math.min(i + width, spans.length) - 1]!
    joined.push({ since: spans[i]!.since, until })
  }
  return joined
}
