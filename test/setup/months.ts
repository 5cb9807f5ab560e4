/**
 * Partitions of `events` for years, as an installation has them that is migrated often enough. Spans are inserted raw:
 * the program writes them month by month.
 */
import { sql } from 'kysely'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { makeEventPartitions, type Tx } from '../../server/src/platform/db/index.ts'

/** Makes partitions for so many months from a time on, as if that time had come. */
export const makeMonths = (url: string, from: string, months: number): Promise<void> =>
  withClient(url, async (client) => {
    const offset = `extract(epoch from timestamptz '${from}' + ${months} * interval '1 month' - now())::bigint * 1000`
    await client.query(`update business_clock set offset_ms = ${offset}`)
    await makeEventPartitions(client)
    await client.query('update business_clock set offset_ms = 0')
  })

/** Notes which months the stored events of each merchant are of, as `emit` would have. */
export const fillEventSpans = async (tx: Tx): Promise<void> => {
  await sql`delete from event_spans`.execute(tx)
  await sql`insert into event_spans(merchant_id, first_sequence, since, until)
    select merchant_id, min(sequence), month, (month at time zone 'UTC' + interval '1 month') at time zone 'UTC'
    from (select merchant_id, sequence, date_trunc('month', created_at, 'UTC') as month from events) e group by merchant_id, month`.execute(
    tx,
  )
}
