/** Old notifications go to files and out of the database, by the owner alone, and nothing that is still needed does. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../../test/setup/database.ts'
import { makeRoles, type TestRoles } from '../../../../test/setup/roles.ts'
import {
  applyGrants,
  createDb,
  createPool,
  inTransaction,
  migrate,
  monthStart,
  type Db,
} from '../../platform/db/index.ts'
import { emit, listEvents, replayEvents } from '../../merchants/webhooks/index.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const folder = mkdtempSync(join(tmpdir(), 'bursar-archive-'))
const [shop, quiet] = [randomUUID(), randomUUID()]
const month = (n: number): Date => monthStart(new Date(), n)
const nameOf = (n: number): string => `events_${month(n).toISOString().slice(0, 7).replace('-', '_')}`
let database: TestDatabase
let roles: TestRoles
let owner: Db
let worker: Db
const closing: (() => Promise<unknown>)[] = []

const open = (kind: 'owner' | 'worker'): Db => {
  const pool = createPool({ url: roles.url(kind) })
  closing.push(() => pool.end())
  return createDb(pool)
}
const tell = (merchantId: string, at: Date): Promise<void> =>
  inTransaction(worker, (tx) =>
    emit(tx, [{ merchantId, objectId: randomUUID(), kind: 'Replenish', status: 'Done', body: { about: 'çà', at } }], {
      at,
      newId: randomUUID,
    }),
  )

beforeAll(async () => {
  database = await createDatabase()
  roles = await makeRoles(database.url, 'archive')
  await migrate(roles.url('owner'))
  await applyGrants(roles.url('owner'), roles.prefix)
  owner = open('owner')
  worker = open('worker')
  for (const n of [0, 1, 1, 2, 3]) await tell(shop, new Date(month(n).getTime() + 5))
  await tell(quiet, month(0))
  writeFileSync(join(folder, 'key'), 'ab'.repeat(32), { mode: 0o600 })
  await sql`update business_clock set offset_ms = ${month(14).getTime() - Date.now()}::bigint + 60000`.execute(owner)
})
afterAll(async () => {
  for (const close of closing) await close()
  await database?.drop()
  await roles?.drop()
  rmSync(folder, { recursive: true })
})

const type = (kind: 'owner' | 'worker' | 'operator', ...words: string[]) => {
  const env = {
    DATABASE_URL: roles.url(kind),
    BURSAR_DATA_KEY_FILE: join(folder, 'key'),
    BURSAR_LOG_LEVEL: 'silent',
    BURSAR_SANDBOX: 'true',
  }
  return captured(() => runCommand(words, env, null))
}
const archive = (kind: 'owner' | 'worker' | 'operator' = 'owner', keep = '12') =>
  type(kind, 'archive', 'events', '--keep-months', keep, '--to', folder, '--yes')
const partitions = async (): Promise<string[]> =>
  (
    await sql<{ name: string }>`select name from event_partitions where not is_default order by until`.execute(owner)
  ).rows.map(({ name }) => name)

test('audit M-C5: only the owner archives, at least a year stays, and so does a month with undelivered notifications', async () => {
  const before = await partitions()
  for (const kind of ['worker', 'operator'] as const) expect(await archive(kind)).toMatchObject({ code: 1 })
  for (const keep of ['11', '0', 'all']) expect(await archive('owner', keep)).toMatchObject({ code: 2 })
  expect(await archive()).toMatchObject({
    code: 1,
    text: expect.stringContaining('events_before has notifications that wait to be delivered'),
  })
  expect(await partitions()).toEqual(before)
})

test('audit M-C5: old delivered notifications are in files as they were sent, and no longer in the database', async () => {
  const rows = (
    await sql<{
      body: string
    }>`select body from events where created_at < ${month(1)} order by merchant_id, sequence`.execute(owner)
  ).rows
  await sql`delete from event_streams where until < ${month(1)}`.execute(worker)
  const endpointId = randomUUID()
  // Raw: a delivery to an endpoint that was removed from the other tables of this old month.
  await sql`insert into endpoint_streams(endpoint_id, object_id, merchant_id, next_sequence, last_sequence, since, until)
    select ${endpointId}, object_id, merchant_id, sequence, sequence, created_at, created_at from events
    where created_at < ${month(1)} limit 1`.execute(worker)
  expect(await archive()).toMatchObject({ code: 1, text: expect.stringContaining(` --endpoint ${endpointId}`) })
  await sql`delete from endpoint_streams where endpoint_id = ${endpointId}`.execute(worker)
  // The month after still waits: what is older goes without it.
  expect(await archive()).toMatchObject({
    code: 1,
    text: expect.stringContaining(`${nameOf(1)} has notifications that wait`),
  })
  expect((await partitions())[0]).toBe(nameOf(1))
  await sql`delete from event_streams where until < ${month(2)}`.execute(worker)
  expect(await archive()).toMatchObject({ code: 0 })
  expect(await archive()).toMatchObject({ code: 0, text: 'nothing is older than 12 months\n' })
  expect((await partitions())[0]).toBe(nameOf(2))

  expect(
    execFileSync('sha256sum', ['-c', 'events_before.jsonl.gz.sha256', `${nameOf(1)}.jsonl.gz.sha256`], {
      cwd: folder,
      encoding: 'utf8',
    }).match(/OK/g),
  ).toHaveLength(2)
  const lines = gunzipSync(readFileSync(join(folder, 'events_before.jsonl.gz')))
    .toString()
    .trimEnd()
    .split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { body: string }).body)).toEqual(rows.map(({ body }) => body))
  expect(JSON.parse((await type('operator', 'archive', 'list', '--json')).text).archives).toMatchObject([
    {
      name: 'events_before',
      events: 2,
      file: join(folder, 'events_before.jsonl.gz'),
      sha256: readFileSync(join(folder, 'events_before.jsonl.gz.sha256'), 'utf8').slice(0, 64),
    },
    { name: nameOf(1), events: 2 },
  ])
})

test('audit M-C5: merchants list the notifications that stay, sequences continue, and archived ones can not be sent again', async () => {
  expect((await listEvents(worker, shop, 0, 100)).map(({ sequence }) => sequence)).toEqual([4, 5])
  expect(await listEvents(worker, quiet, 0, 100)).toEqual([])
  expect(
    await inTransaction(worker, (tx) =>
      replayEvents(tx, shop, { from: 1, to: 3 }, { at: new Date(), newId: randomUUID }),
    ),
  ).toBe(0)
  expect((await type('operator', 'events', 'replay', shop, '1', '3')).text).toContain('bursar archive list')
  // Raw: no command writes an event of another month.
  const forged = (at: Date) =>
    sql`insert into events values (${quiet}, 1, gen_random_uuid(), gen_random_uuid(), 'Replenish', 'Done', '{}', ${at})`.execute(
      worker,
    )
  for (const n of [-1, 0, 1, 2]) await expect(forged(month(n))).rejects.toThrow('newest month and sequence')
  // A process whose clock is a year behind reports the same.
  await tell(quiet, month(0))
  await tell(shop, month(4))
  expect(await listEvents(worker, quiet, 0, 100)).toMatchObject([{ sequence: 2, createdAt: month(2) }])
  expect((await listEvents(worker, shop, 0, 100)).map(({ sequence }) => sequence)).toEqual([4, 5, 6])
})

test('audit M-C5: a dump that reads notifications keeps a month from being dropped, and is not disturbed', async () => {
  await sql`delete from event_streams`.execute(worker)
  await sql`update business_clock set offset_ms = ${month(15).getTime() - Date.now()}::bigint + 60000`.execute(owner)
  await inTransaction(owner, async (tx) => {
    await sql`select count(*) from events`.execute(tx)
    expect(await archive()).toMatchObject({ code: 1, text: expect.stringContaining('events is in use') })
    expect((await sql<{ n: number }>`select count(*) as n from events`.execute(tx)).rows[0]!.n).toBe(4)
  })
  expect((await partitions())[0]).toBe(nameOf(2))
  expect(await archive()).toMatchObject({ code: 0 })
  expect((await partitions())[0]).toBe(nameOf(3))
})
