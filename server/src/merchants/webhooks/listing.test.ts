/** The list of notifications against a model of its rows, by pages, and the rows that it reads. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { explain } from '../../../../test/setup/explaining.ts'
import { fill } from '../../../../test/setup/filling.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { fillEventSpans, makeMonths } from '../../../../test/setup/months.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import { createDb, createPool, type Db } from '../../platform/db/index.ts'
import {
  countFailing,
  DELIVERY_STATES,
  findDelivery,
  healthOf,
  listDeliveries,
  type EventFilter,
  type ListedEvent,
} from './listing.ts'
import { sequenceBehind } from './spans.ts'

const MERCHANT = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'
const FROM = '2027-01-01'
const MONTHS = 24
const DAY_MS = 86_400_000
const NO_FILTER: EventFilter = { kind: null, state: null, objectId: null, timeFrom: null, timeTo: null }
const database = useDatabase({ template: migrated })
let db: Db
const pools: { end(): Promise<void> }[] = []
const seen = new Map<string, Statement>()

beforeAll(async () => {
  const pool = createPool({ url: database.url, statementMs: 600_000 })
  pools.push(pool)
  db = createDb(pool)
  await makeMonths(database.url, FROM, MONTHS)
})
afterAll(async () => {
  for (const pool of pools) await pool.end()
})

/** Events of both merchants, `perMonth` of each in each month; every third object has two. */
const grow = async (perMonth: number, months: number): Promise<void> => {
  await withoutTriggers(db, async (tx) => {
    for (const table of ['events', 'event_streams', 'event_attempts', 'event_heads'])
      await sql`delete from ${sql.table(table)}`.execute(tx)
    const last = perMonth * months
    for (const merchant of [MERCHANT, OTHER])
      await fill(tx, 'events', 1, last, {
        merchant_id: `'${merchant}'::uuid`,
        // With gaps, as after a restore.
        sequence: `i + (i / (${last} / 2)) * 1000000`,
        object_id: `md5('${merchant}' || (i - (i % 3 = 0)::int))::uuid`,
        kind: "case i % 4 when 0 then 'Withdraw' else 'Replenish' end",
        status: "'Done'",
        created_at: `timestamptz '${FROM}' + i * interval '30 days' / ${perMonth}`,
      })
    await fillEventSpans(tx)
    // Raw: heads of events that are inserted raw.
    await sql`insert into event_heads(merchant_id, sequence, month, month_first)
      select merchant_id, max(sequence), (select max(since) from event_spans), 1 from events group by 1`.execute(tx)
    // Raw: objects of every fifth event wait, in each state, without a worker.
    await sql`insert into event_streams(merchant_id, object_id, next_sequence, last_sequence, next_at, own_lane, state, attempts, since, until)
      select merchant_id, object_id, max(sequence), max(sequence), case max(sequence) % 4 when 1 then null else max(created_at) end, max(sequence) % 3 > 0,
        case max(sequence) % 4 when 1 then 'exhausted' else 'active' end, (max(sequence) % 4)::int, max(created_at), max(created_at)
      from events where sequence % 5 = 0 group by merchant_id, object_id`.execute(tx)
    // Raw: attempts of events that no worker has sent.
    await sql`insert into event_attempts(merchant_id, sequence, epoch, attempt, at, status, error, duration_ms)
      select merchant_id, sequence, sequence * 10 + n, n, created_at + n * interval '10 minutes', case when sequence % 5 = 0 then 500 else 200 end, null, 10
      from events, generate_series(1, 2) n where sequence % 2 = 0`.execute(tx)
  })
  await sql`vacuum analyze`.execute(db)
}

/** The list as its definition says, of all rows. */
const modelOf = async (filter: EventFilter): Promise<number[]> => {
  const { rows } = await sql<{ sequence: number; kind: string; objectId: string; createdAt: Date; state: string }>`
    select e.sequence, e.kind, e.object_id as "objectId", e.created_at as "createdAt",
      case when s.object_id is null or not e.sequence between s.next_sequence and s.last_sequence then 'delivered'
        when s.state = 'exhausted' then 'exhausted' when s.attempts > 0 then 'failing' else 'due' end as state
    from events e left join event_streams s using (merchant_id, object_id) where e.merchant_id = ${MERCHANT}
    order by e.sequence desc`.execute(db)
  return rows
    .filter(
      (row) =>
        (filter.kind === null || row.kind === filter.kind) &&
        (filter.state === null || row.state === filter.state) &&
        (filter.objectId === null || row.objectId === filter.objectId) &&
        (filter.timeFrom === null || row.createdAt >= filter.timeFrom) &&
        (filter.timeTo === null || row.createdAt < filter.timeTo),
    )
    .map(({ sequence }) => sequence)
}

const walk = async (filter: EventFilter, limit: number): Promise<ListedEvent[]> => {
  const all: ListedEvent[] = []
  for (let before: number | null = null; ;) {
    const { rows, next }: { rows: ListedEvent[]; next: string | null } = await listDeliveries(db, MERCHANT, filter, {
      before,
      limit,
    })
    all.push(...rows)
    if (next === null) return all
    before = Number(next)
  }
}

const dayAt = (days: number): Date => new Date(Date.parse(`${FROM}T00:00:00Z`) + days * DAY_MS)

describe('the list of notifications', () => {
  beforeAll(() => grow(30, 8))

  test('has each notification that fits once, newest first, for any size of a page', async () => {
    const { rows } = await sql<{ id: string }>`select object_id as id from events
      where merchant_id = ${MERCHANT} group by 1 having count(*) = 2 limit 1`.execute(db)
    const filters: Partial<EventFilter>[] = [
      {},
      { kind: 'Withdraw' },
      ...DELIVERY_STATES.map((state) => ({ state })),
      { objectId: rows[0]!.id },
      { objectId: randomUUID() },
      { timeFrom: dayAt(100), timeTo: dayAt(101) },
      { timeFrom: dayAt(33), kind: 'Replenish' },
      { timeTo: dayAt(90), state: 'due' },
      { timeTo: dayAt(-10) },
      { timeFrom: dayAt(5_000) },
    ]
    for (const more of filters) {
      const filter = { ...NO_FILTER, ...more }
      const model = await modelOf(filter)
      for (const limit of [1, 7, 500])
        expect([more, (await walk(filter, limit)).map(({ sequence }) => sequence)]).toEqual([more, model])
    }
    expect((await modelOf(NO_FILTER)).length).toBe(240)
    for (const state of DELIVERY_STATES) expect((await modelOf({ ...NO_FILTER, state })).length).toBeGreaterThan(3)
  })

  test('finds the sequence behind which no earlier event is, for every time', async () => {
    const { rows } = await sql<{ sequence: number; at: Date }>`select sequence, created_at as at from events
      where merchant_id = ${MERCHANT} order by sequence`.execute(db)
    for (const { at } of rows.filter((_, i) => i % 7 === 0))
      for (const time of [at, new Date(at.getTime() + 1), new Date(at.getTime() - 1)]) {
        const behind = await sequenceBehind(db, MERCHANT, time)
        expect(rows.filter((row) => row.sequence < behind).length).toBe(rows.filter((row) => row.at < time).length)
      }
    expect(await sequenceBehind(db, randomUUID(), dayAt(10))).toBe(1)
  })

  test('one notification is found by the merchant that has it only, and says which attempt is its newest', async () => {
    const { rows } = await sql<{ sequence: number }>`select sequence from events
      where merchant_id = ${MERCHANT} and sequence % 2 = 0 limit 1`.execute(db)
    const { sequence } = rows[0]!
    expect(await findDelivery(db, MERCHANT, sequence)).toMatchObject({ sequence, lastEpoch: sequence * 10 + 2 })
    expect(await findDelivery(db, MERCHANT, 999_999)).toBeUndefined()
    expect(await findDelivery(db, randomUUID(), sequence)).toBeUndefined()
  })

  test('the health counts what waits, and names the newest attempts of both kinds', async () => {
    const { rows } = await sql<{ waiting: number; failing: number }>`select count(*) as waiting,
      count(*) filter (where own_lane and (attempts > 0 or state = 'exhausted')) as failing
      from event_streams where merchant_id = ${MERCHANT}`.execute(db)
    const health = await healthOf(db, MERCHANT)
    expect(health).toMatchObject({ ...rows[0], attempts: 200 })
    expect(health.acceptedAt!.getTime()).toBeGreaterThan(0)
    expect(health.refused).toBeGreaterThan(0)
    expect(await healthOf(db, randomUUID())).toMatchObject({ waiting: 0, attempts: 0, acceptedAt: null })
  })
})

test('a page reads no more rows when there are more notifications and months', async () => {
  const pool = createWatchedPool(database.url, (statement) => seen.set(statement.text, statement))
  pools.push(pool)
  const watched = createDb(pool)
  const questions: [string, Partial<EventFilter>, number | null][] = [
    ['the newest', {}, null],
    ['an older page', {}, 50],
    ['a kind', { kind: 'Withdraw' }, null],
    ['a state', { state: 'exhausted' }, null],
    ['a kind that is nowhere', { kind: 'Exchange' }, null],
    ['days', { timeFrom: dayAt(10), timeTo: dayAt(20) }, null],
  ]
  const buffersOf = async (): Promise<Map<string, number>> => {
    const all = new Map<string, number>()
    const measure = async (name: string, ask: () => Promise<unknown>): Promise<void> => {
      seen.clear()
      await ask()
      let buffers = 0
      for (const { text, values } of seen.values()) {
        const plan = await explain(db, text, values)
        if (plan) buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      }
      all.set(name, buffers)
    }
    for (const [name, more, before] of questions)
      await measure(name, () => listDeliveries(watched, MERCHANT, { ...NO_FILTER, ...more }, { before, limit: 30 }))
    await measure('health', () => healthOf(watched, MERCHANT))
    await measure('one', () => findDelivery(watched, MERCHANT, 40))
    return all
  }
  await grow(2_500, 4)
  const young = await buffersOf()
  await grow(2_500, MONTHS)
  const old = await buffersOf()
  const findings = [...old].filter(([name, buffers]) => buffers > young.get(name)! * 1.5 + 150)
  expect(findings).toEqual([])
})

test('the failing objects of a merchant without a URL are counted without those that only wait', async () => {
  const merchantId = randomUUID()
  await withoutTriggers(db, async (tx) => {
    // Raw: thousands of objects that wait for a URL.
    await sql`insert into event_streams (merchant_id, object_id, next_sequence, last_sequence, next_at, own_lane, attempts, since, until)
      select ${merchantId}::uuid, gen_random_uuid(), i, i, now(), true, case when i = 1 then 1 else 0 end, now(), now()
      from generate_series(1, 20000) i`.execute(tx)
  })
  await sql`vacuum analyze event_streams`.execute(db)
  const { sql: text, parameters } = sql`select ${countFailing(merchantId, 100)} as failing`.compile(db)
  const { rows } = await sql<{ failing: number }>`select ${countFailing(merchantId, 100)} as failing`.execute(db)
  expect(rows).toEqual([{ failing: 1 }])
  const plan = (await explain(db, text, parameters))!
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(20)
})
