/**
 * `events` is partitioned by month: on real data, for every role, and with any clocks. Rows are inserted raw: they
 * are of the schema before the migration, or forged.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../../test/setup/database.ts'
import { makeRoles, type TestRoles } from '../../../../test/setup/roles.ts'
import { emit, listEvents, replayEvents } from '../../merchants/webhooks/index.ts'
import { createDb, inTransaction, type Db } from './database.ts'
import { migrate, readMigrations } from './migrate.ts'
import { makeEventPartitions, monthStart } from './partitions.ts'
import { createPool } from './pool.ts'
import { applyGrants } from './roles.ts'

const OLD = randomUUID()
let database: TestDatabase
let roles: TestRoles
let owner: pg.Client
let db: Db
const closing: (() => Promise<unknown>)[] = []
const refusal = (client: pg.Client, text: string, values: unknown[] = []): Promise<unknown> =>
  client.query(text, values).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

/** A database as the build before had it, with notifications of three years of one merchant. */
beforeAll(async () => {
  database = await createDatabase()
  roles = await makeRoles(database.url, 'parts')
  owner = new pg.Client({ connectionString: roles.url('owner') })
  await owner.connect()
  closing.push(() => owner.end())
  await owner.query(
    'create table schema_migrations(name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  )
  for (const { name, sql, checksum } of await readMigrations()) {
    if (name >= '0145') continue
    await owner.query(sql)
    await owner.query('insert into schema_migrations(name, checksum) values ($1, $2)', [name, checksum])
  }
  await owner.query(
    `insert into events select $1, i, gen_random_uuid(), gen_random_uuid(), 'Replenish', 'Done', '{}', timestamptz '2023-01-01' + i * interval '1 day'
    from generate_series(1, 1000) i`,
    [OLD],
  )
  await owner.query('insert into event_heads(merchant_id, sequence) values ($1, 1000)', [OLD])
  await owner.query(
    'insert into event_streams(merchant_id, object_id, next_sequence, last_sequence, next_at) select merchant_id, object_id, 1000, 1000, now() from events where sequence = 1000',
  )
  await migrate(roles.url('owner'))
  await applyGrants(roles.url('owner'), roles.prefix)
  const pool = createPool({ url: roles.url('worker') })
  closing.push(() => pool.end())
  db = createDb(pool)
})
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
  await database?.drop()
  await roles?.drop()
})

const tell = (merchantId: string, at: Date, objectId = randomUUID()): Promise<void> =>
  inTransaction(db, (tx) =>
    emit(tx, [{ merchantId, objectId, kind: 'Replenish', status: 'Done', body: { merchantId } }], {
      at,
      newId: randomUUID,
    }),
  )
const places = async (merchantId: string): Promise<unknown[]> =>
  (
    await owner.query(
      'select sequence::int as sequence, tableoid::regclass::text as partition, created_at as at from events where merchant_id = $1 order by sequence',
      [merchantId],
    )
  ).rows
const nameOf = (month: Date): string => `events_${month.toISOString().slice(0, 7).replace('-', '_')}`

describe('partitions of events', () => {
  test('audit M-C5: a database with notifications is partitioned, loses none and continues their numbers', async () => {
    expect(await owner.query('select count(*)::int as n from events_before').then(({ rows }) => rows)).toEqual([
      { n: 1000 },
    ])
    expect((await listEvents(db, OLD, 990, 100)).map(({ sequence }) => sequence)).toEqual([
      991, 992, 993, 994, 995, 996, 997, 998, 999, 1000,
    ])
    await tell(OLD, new Date())
    await tell(OLD, monthStart(new Date(), 2))
    expect((await listEvents(db, OLD, 998, 100)).map(({ sequence }) => sequence)).toEqual([999, 1000, 1001, 1002])
    expect((await places(OLD)).slice(-2)).toMatchObject([
      { partition: 'events_before' },
      { partition: nameOf(monthStart(new Date(), 2)) },
    ])
    expect(
      await inTransaction(db, (tx) =>
        replayEvents(tx, OLD, { from: 1000, to: 1002 }, { at: new Date(), newId: randomUUID }),
      ),
    ).toBe(3)
  })

  test('audit M-C5: each migration makes the missing partitions of the next six months, and the default takes later rows', async () => {
    const { rows } = await owner.query<{ name: string }>('select name from event_partitions order by until nulls last')
    expect(rows.map(({ name }) => name)).toEqual([
      'events_before',
      ...[1, 2, 3, 4, 5, 6].map((n) => nameOf(monthStart(new Date(), n))),
      'events_default',
    ])
    const merchant = randomUUID()
    const [late, later] = [monthStart(new Date(), 8), monthStart(new Date(), 12)]
    await tell(merchant, late)
    await tell(merchant, later)
    expect(await places(merchant)).toMatchObject([{ partition: 'events_default' }, { partition: 'events_default' }])
    await owner.query('update business_clock set offset_ms = $1', [monthStart(new Date(), 3).getTime() - Date.now()])
    expect(await makeEventPartitions(owner)).toEqual([7, 8, 9].map((n) => nameOf(monthStart(new Date(), n))))
    expect(await makeEventPartitions(owner)).toEqual([])
    await owner.query('update business_clock set offset_ms = 0')
    expect(await places(merchant)).toEqual([
      { sequence: 1, partition: nameOf(late), at: late },
      { sequence: 2, partition: 'events_default', at: later },
    ])
    expect((await listEvents(db, merchant, 0, 10)).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  test('audit M-C5: every partition has unique sequences and refuses to be written to, also by the owner; no role has a right to it', async () => {
    const { rows: partitions } = await owner.query<{
      name: string
      unique: boolean
    }>(`select name, exists (select from pg_index i where i.indrelid = name::regclass and i.indisunique
      and i.indkey::text = (select string_agg(attnum::text, ' ' order by attnum) from pg_attribute a where a.attrelid = name::regclass and attname in ('merchant_id', 'sequence'))) as unique from event_partitions`)
    expect(partitions.filter(({ unique }) => !unique)).toEqual([])
    for (const { name } of partitions) {
      for (const text of [
        `update ${name} set body = ''`,
        `delete from ${name}`,
        `truncate ${name}`,
        `insert into ${name} select * from events limit 1`,
      ])
        expect([text, await refusal(owner, text)]).toEqual([text, '23000'])
    }
    for (const text of [
      "update events set body = ''",
      'delete from events',
      'truncate events',
      'delete from event_heads',
    ])
      expect([text, await refusal(owner, text)]).toEqual([text, '23000'])
    const { rows: rights } = await owner.query(
      `select r, name from event_partitions, unnest($1::text[]) r
      where has_table_privilege(r, name, 'select, insert, update, delete, truncate')`,
      [['api', 'worker', 'watcher', 'operator', 'all', 'readonly'].map((kind) => roles.name(kind as 'api'))],
    )
    expect(rights).toEqual([])
  })

  test('audit M-C5: no sequence number of a merchant belongs to two notifications, not even in different months', async () => {
    const merchant = randomUUID()
    for (const month of [1, 1, 2, 3]) await tell(merchant, monthStart(new Date(), month))
    const forge = (sequence: number, at: Date) =>
      refusal(
        owner,
        `insert into events values ($1, $2, gen_random_uuid(), gen_random_uuid(), 'Replenish', 'Done', '{}', $3)`,
        [merchant, sequence, at],
      )
    // 1 and 2 are of the first month, 3 of the second, 4 of the third, in which the merchant's head stands.
    for (const sequence of [0, 1, 2, 3, 4, 5])
      for (const month of [0, 1, 2, 3, 4, 9])
        expect([sequence, month, await forge(sequence, monthStart(new Date(), month))]).toEqual([
          sequence,
          month,
          expect.stringMatching(/^2300|^23505$/),
        ])
    for (const text of [
      'sequence = sequence - 1',
      'month_first = month_first - 1',
      "month = month - interval '1 month'",
      "month = month + interval '1 month'",
      'merchant_id = gen_random_uuid()',
    ]) {
      expect([text, await refusal(owner, `update event_heads set ${text} where merchant_id = $1`, [merchant])]).toEqual(
        [text, '23000'],
      )
    }
    expect((await places(merchant)).map((row) => (row as { sequence: number }).sequence)).toEqual([1, 2, 3, 4])
  })

  test('audit M-C5: a process whose clock is behind does not take a merchant back to a month that is over', async () => {
    const merchant = randomUUID()
    const [june, july] = [monthStart(new Date(), 4), monthStart(new Date(), 5)]
    await tell(merchant, new Date(june.getTime() + 5))
    await tell(merchant, july)
    await tell(merchant, new Date(july.getTime() - 1))
    await tell(merchant, new Date(july.getTime() + 7))
    expect(await places(merchant)).toEqual([
      { sequence: 1, partition: nameOf(june), at: new Date(june.getTime() + 5) },
      { sequence: 2, partition: nameOf(july), at: july },
      { sequence: 3, partition: nameOf(july), at: july },
      { sequence: 4, partition: nameOf(july), at: new Date(july.getTime() + 7) },
    ])
    for (const limit of [1, 2, 3, 4])
      expect((await listEvents(db, merchant, 0, limit)).map(({ sequence }) => sequence)).toEqual(
        [1, 2, 3, 4].slice(0, limit),
      )
    for (const after of [1, 2, 3, 4])
      expect((await listEvents(db, merchant, after, 9)).map(({ sequence }) => sequence)).toEqual(
        [1, 2, 3, 4].slice(after),
      )
  })
})
