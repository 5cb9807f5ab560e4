/**
 * Notifications of kind `Test`. They stand beside the stream of events: they have no sequence, no order and no retries,
 * and `GET /merchants/events` does not list them.
 */
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import { makesWork, type Db, type Tx } from '../../platform/db/index.ts'

/** Tests that a merchant may send within an hour. */
const MOST_AN_HOUR = 30
const HOUR_MS = 3_600_000
/** A test that this many workers have taken without a result is not sent any more. */
export const MOST_CLAIMS = 3

/**
 * - asked: the worker sends it
 * - repeated: a test of this id was asked for before
 * - limited: the merchant has asked for too many within an hour
 */
export type AskedTest = 'asked' | 'repeated' | 'limited'

/**
 * Asks the worker to send a test. Calls for one merchant happen one after another, so that their number stays within
 * its limit.
 * @param asked `id`: of a form; a form that is submitted again asks for nothing. `endpointId`: an additional endpoint
 * of the merchant; null: that of its settings
 */
export const askTest = async (
  tx: Tx,
  { merchantId, id, endpointId = null }: { merchantId: string; id: string; endpointId?: string | null },
  { at }: Moment,
): Promise<AskedTest> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook tests of ${merchantId}`}, 0))`.execute(tx)
  const { rows: earlier } = await sql<{ count: number }>`select count(*) as count from (
    select from webhook_tests where merchant_id = ${merchantId} and asked_at > ${new Date(at.getTime() - HOUR_MS)}
    limit ${MOST_AN_HOUR}) t`.execute(tx)
  const { rows: same } = await sql`select from webhook_tests where id = ${id}`.execute(tx)
  if (same.length > 0) return 'repeated'
  if (earlier[0]!.count >= MOST_AN_HOUR) return 'limited'
  const body = JSON.stringify({ kind: 'Test', id, merchantId, status: 'Test', time: at.getTime() })
  const { rows } = await sql`insert into webhook_tests(id, merchant_id, endpoint_id, body, asked_at)
    values (${id}, ${merchantId}, ${endpointId}, ${body}, ${at}) on conflict do nothing returning 1`.execute(tx)
  makesWork(tx)
  return rows.length > 0 ? 'asked' : 'repeated'
}

/** The newest test of an endpoint. */
export interface TestNotification {
  id: string
  body: string
  askedAt: Date
  /** waiting: a worker sends it, or will. unsent: no worker could finish it */
  state: 'waiting' | 'unsent' | 'sent'
  /** business clock */
  sentAt: Date | null
  /** null: there was no response */
  status: number | null
  /** the beginning of the response, or why there was none */
  answer: string | null
  durationMs: number | null
}

/** @param endpointId an additional endpoint; null: that of the merchant's settings */
export const newestTest = async (
  db: Db | Tx,
  merchantId: string,
  endpointId: string | null = null,
): Promise<TestNotification | undefined> =>
  (
    await sql<TestNotification>`select id, body, asked_at as "askedAt",
      case when sent_at is not null then 'sent' when claims >= ${MOST_CLAIMS} then 'unsent' else 'waiting' end as state,
      sent_at as "sentAt", status, answer, duration_ms as "durationMs"
      from webhook_tests where merchant_id = ${merchantId} and endpoint_id is not distinct from ${endpointId}::uuid order by asked_at desc, id desc limit 1`.execute(
      db,
    )
  ).rows[0]
