/**
 * Reads of notifications read only their months, however many months there are: counted in buffers, without
 * a clock. Rows are inserted raw: hundreds of thousands, of years.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { explain } from '../../../../test/setup/explaining.ts'
import { fill } from '../../../../test/setup/filling.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { fillEventSpans, makeMonths } from '../../../../test/setup/months.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import { createDb, createPool, inTransaction, throughTx, type Db, type Tx } from '../../platform/db/index.ts'
import { skipEvent, replayEvents } from './commands.ts'
import { emit } from './emit.ts'
import {
  attemptsAtEndpoints,
  endpointDeliveries,
  endpointHealth,
  listEndpointAttempts,
  replayToEndpoint,
  waitingAt,
  wakeEndpoint,
} from './endpoint-deliveries.ts'
import { readMonths } from './months.ts'
import { listEvents, listExhausted, selectEvents, wasNotified } from './queries.ts'
import { createStreamStore } from './store.ts'
import { OF_ENDPOINTS, OF_MERCHANTS } from './stream-tables.ts'

const MERCHANT = '00000000-0000-4000-8000-000000000001'
/** Of this one is what was there before months were kept. */
const ANOTHER = '00000000-0000-4000-8000-000000000002'
const ENDPOINT = '00000000-0000-4000-8000-000000000003'
const BEFORE = 1_000_000
const MONTHS = 48
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const A_MONTH = 200
const FROM = '2027-01-01'
const HOUR_MS = 3_600_000
const { claimLanes, claimOpen } = createStreamStore(OF_MERCHANTS)
const ofEndpoints = createStreamStore(OF_ENDPOINTS)
const database = useDatabase({ template: migrated })

test('audit M-C5: delivering, listing, resending and emitting read no more partitions when there are more', async () => {
  const pool = createPool({ url: database.url, statementMs: 600_000 })
  const db = createDb(pool)
  const seen = new Map<string, Statement>()
  const watchedPool = createWatchedPool(database.url, (statement) => seen.set(statement.text, statement))
  const watched = createDb(watchedPool)
  await makeMonths(database.url, FROM, MONTHS)

  const grow = async (first: number, last: number): Promise<void> => {
    await withoutTriggers(db, async (tx) => {
      await fill(tx, 'events', first, last, {
        merchant_id: `'${MERCHANT}'::uuid`,
        sequence: 'i',
        kind: "'Replenish'",
        status: "'Done'",
        created_at: `timestamptz '${FROM}' + i * interval '30 days' / ${A_MONTH}`,
      })
      await fill(tx, 'events', BEFORE + first, BEFORE + last, {
        merchant_id: `'${ANOTHER}'::uuid`,
        sequence: 'i',
        kind: "'Replenish'",
        status: "'Done'",
        created_at: "timestamptz '2020-01-01' + i * interval '1 second'",
      })
      await fillEventSpans(tx)
      await sql`delete from event_heads`.execute(tx)
      await sql`insert into event_heads(merchant_id, sequence, month, month_first)
        select merchant_id, ${last}::bigint, max(since), max(first_sequence) from event_spans group by 1`.execute(tx)
      // As many notifications wait in an old installation as in a young one, all of the last days.
      await sql`delete from event_streams`.execute(tx)
      await sql`insert into event_streams(merchant_id, object_id, next_sequence, last_sequence, next_at, own_lane, state, since, until)
        select merchant_id, object_id, sequence, sequence, created_at, sequence % 3 > 0, case sequence % 3 when 2 then 'exhausted' else 'active' end, created_at, created_at
        from events where merchant_id = ${MERCHANT} and sequence > ${last}::bigint - 12`.execute(tx)
      await sql`insert into webhook_endpoints(id, merchant_id, url, description, sealed, created_by, created_at)
        values (${ENDPOINT}, ${MERCHANT}, 'https://shop.example/', '', '', 'test', ${FROM}) on conflict do nothing`.execute(
        tx,
      )
      await sql`delete from endpoint_streams`.execute(tx)
      await sql`insert into endpoint_streams(endpoint_id, object_id, merchant_id, next_sequence, last_sequence, next_at, own_lane, state, since, until)
        select ${ENDPOINT}, object_id, merchant_id, next_sequence, last_sequence, next_at, own_lane, state, since, until from event_streams`.execute(
        tx,
      )
      await sql`insert into endpoint_attempts(endpoint_id, sequence, epoch, attempt, at, status, duration_ms)
        select ${ENDPOINT}, sequence, sequence, 1, created_at, 200, 5 from events
        where merchant_id = ${MERCHANT} and sequence between ${first} and ${last}`.execute(tx)
    })
    await sql`vacuum analyze`.execute(db)
  }
  const buffersOf = async (last: number): Promise<Map<string, number>> => {
    const { rows } = await sql<{
      objectId: string
      at: Date
    }>`select object_id as "objectId", created_at as at from events
      where merchant_id = ${MERCHANT} and sequence = ${last}`.execute(db)
    seen.clear()
    await askAll(watched, rows[0]!, last)
    const read = new Map<string, number>()
    for (const { text, values } of seen.values()) {
      if (!/^\s*(select|with|insert|update|delete)/i.test(text)) continue
      const plan = await explain(db, text, values)
      read.set(text, plan!['Shared Hit Blocks'] + plan!['Shared Read Blocks'])
    }
    return read
  }

  await grow(1, 2 * A_MONTH)
  const young = await buffersOf(2 * A_MONTH)
  await grow(2 * A_MONTH + 1, MONTHS * A_MONTH)
  const old = await buffersOf(MONTHS * A_MONTH)
  await watchedPool.end()
  await pool.end()

  expect(old.size).toBeGreaterThan(12)
  const findings = [...old].flatMap(([text, buffers]) =>
    buffers > young.get(text)! * 1.5 + 20
      ? [`${young.get(text)} buffers grew to ${buffers}: ${text.replace(/\s+/g, ' ')}`]
      : [],
  )
  expect(findings).toEqual([])
})

/**
 * Each question about notifications but those about one object of any age, as often as it has forms, at the newest and
 * the oldest of them.
 */
const askAll = async (db: Db, { objectId, at }: { objectId: string; at: Date }, last: number): Promise<void> => {
  const business = at.getTime() + HOUR_MS
  const moment = { at: new Date(business), newId: () => randomUUID() }
  const undone = async (work: (tx: Tx) => Promise<unknown>): Promise<void> => {
    const undo = new Error('undone')
    await inTransaction(db, async (tx) => {
      await work(tx)
      throw undo
    }).catch((error: unknown) => {
      if (error !== undo) throw error
    })
  }
  const times = { business, now: business, leaseUntil: business + HOUR_MS }
  await undone(async (tx) => expect(await claimOpen(throughTx(tx), times, 10)).toHaveLength(4))
  await undone(async (tx) =>
    expect(await claimLanes(throughTx(tx), times, [{ receiverId: MERCHANT, capacity: 10 }])).toHaveLength(8),
  )
  await undone((tx) =>
    emit(tx, [{ merchantId: MERCHANT, objectId, kind: 'Replenish', status: 'Done', body: {} }], moment),
  )
  await undone(async (tx) => expect(await ofEndpoints.claimOpen(throughTx(tx), times, 10)).toHaveLength(4))
  await undone(async (tx) =>
    expect(await ofEndpoints.claimLanes(throughTx(tx), times, [{ receiverId: ENDPOINT, capacity: 10 }])).toHaveLength(
      8,
    ),
  )
  await undone(async (tx) => expect(await ofEndpoints.scanLanes(throughTx(tx), FIRST_ID, business, 10)).toHaveLength(1))
  expect(await endpointHealth(db, ENDPOINT)).toMatchObject({ waiting: 12, attempts: 200 })
  expect((await waitingAt(db, [ENDPOINT])).get(ENDPOINT)).toMatchObject({ waiting: 12 })
  expect(await listEndpointAttempts(db, ENDPOINT, { before: null, limit: 10 })).toHaveLength(10)
  const early = { sequence: 12, epoch: 12 }
  expect(await listEndpointAttempts(db, ENDPOINT, { before: early, limit: 10 })).toHaveLength(10)
  expect(await endpointDeliveries(db, [ENDPOINT], { objectId, sequence: last })).toHaveLength(1)
  expect(await attemptsAtEndpoints(db, [ENDPOINT], last)).toHaveLength(1)
  const again = { endpointId: ENDPOINT, sequence: last - 50, lastEpoch: last - 50 }
  await undone(async (tx) => expect(await replayToEndpoint(tx, MERCHANT, again, moment)).toBe('scheduled'))
  await undone((tx) => wakeEndpoint(tx, ENDPOINT, moment, 10))
  expect(await listEvents(db, MERCHANT, 0, 10)).toHaveLength(10)
  expect(await listEvents(db, MERCHANT, last - 10, 100)).toHaveLength(10)
  expect(await listExhausted(db, { merchantId: MERCHANT })).toHaveLength(8)
  expect(await listExhausted(db)).toHaveLength(8)
  expect(await readMonths(db, new Date())).toMatchObject({ good: true })
  expect(await wasNotified(db, { id: objectId, madeAt: at }, 'Done')).toBe(true)
  expect(
    await selectEvents(
      db,
      MERCHANT,
      { after: last - 20, upTo: last, among: [{ kind: 'Replenish', status: 'Done' }] },
      5,
    ),
  ).toMatchObject({ count: 20 })
  await undone(async (tx) =>
    expect(await replayEvents(tx, MERCHANT, { from: last - 20, to: last - 10 }, moment)).toBe(11),
  )
  await undone(async (tx) => expect(await skipEvent(tx, MERCHANT, objectId, moment)).toBe(last))
}
