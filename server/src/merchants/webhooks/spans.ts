import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/**
 * Times between which events were made, `until` excluded, as PostgreSQL writes them: what was there before spans were
 * kept is from -infinity.
 */
export interface Span {
  since: string
  until: string
}

/** The first span that has events from a sequence on; the first of all that are kept when it is older than that. */
const fromSequence = (
  merchantId: string,
  sequence: number,
) => sql`merchant_id = ${merchantId} and first_sequence >= coalesce(
  (select first_sequence from event_spans where merchant_id = ${merchantId} and first_sequence <= ${sequence} order by first_sequence desc limit 1), 0)`

/** Spans of a merchant's events from a sequence on, in order. */
export const spansFrom = async (db: Db | Tx, merchantId: string, sequence: number): Promise<Span[]> =>
  (
    await sql<Span>`select since::text, until::text from event_spans where ${fromSequence(merchantId, sequence)} order by first_sequence`.execute(
      db,
    )
  ).rows

/** The one span of a range of a merchant's events, ends included; null when nothing is kept of it. */
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
 * Spans joined two, four, eight at a time: a page of events that were made over years takes few queries, and most pages
 * take one.
 */
export const widening = (spans: readonly Span[]): Span[] => {
  const joined: Span[] = []
  for (let i = 0, width = 1; i < spans.length; i += width, width *= 2) {
    const { until } = spans[Math.min(i + width, spans.length) - 1]!
    joined.push({ since: spans[i]!.since, until })
  }
  return joined
}
