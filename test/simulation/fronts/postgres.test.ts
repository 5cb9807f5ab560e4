/** The simulation's PostgreSQL front: a client's view of a statement that is refused. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../setup/database.ts'
import { connectPipelined } from '../../../server/src/platform/db/index.ts'
import type { Fault, Faults } from '../faults.ts'
import { createGate } from './gate.ts'
import { startPostgresFront, type PostgresFront } from './postgres.ts'

const { url } = useDatabase()
const NO_FAULTS: Faults = {
  decide: () => undefined,
  waits: () => undefined,
  note: () => {},
  counts: new Map(),
  stepsSince: () => 0,
}
/** of all exchanges so far */
const contents: string[] = []
/** for the statements that contain this text */
let full: string | undefined
let kind: Fault = 'disk-full'
/** until when the next statement waits */
let waiting: Promise<void> | undefined
let front: PostgresFront
let client: pg.Client

beforeAll(async () => {
  const decide = (_: string, content: string): Fault | undefined => {
    contents.push(content)
    return full !== undefined && content.includes(full) ? kind : undefined
  }
  front = await startPostgresFront(url, 'database', { ...NO_FAULTS, decide, waits: () => waiting })
  client = new pg.Client({ connectionString: front.url })
  await client.connect()
  await client.query('create table filled(n int)')
})

afterAll(async () => {
  await client.end()
  await front.close()
})

const rows = async (): Promise<number> => (await client.query('select from filled')).rowCount!

test('a statement fails with 53100, alone, and the connection goes on', async () => {
  full = 'insert'
  await expect(client.query('insert into filled values (1)')).rejects.toMatchObject({ code: '53100' })
  await expect(
    client.query({ name: 'own', text: 'insert into filled values ($1)', values: [1] }),
  ).rejects.toMatchObject({
    code: '53100',
  })
  full = undefined
  expect(await rows()).toBe(0)
  await client.query({ name: 'own', text: 'insert into filled values ($1)', values: [1] })
  expect(await rows()).toBe(1)
})

test('a COMMIT that fails has not committed, and a rollback works on a full disk', async () => {
  const before = await rows()
  await client.query('begin')
  await client.query('insert into filled values (2)')
  full = ''
  await expect(client.query('commit')).rejects.toMatchObject({ code: '53100' })
  await client.query('rollback')
  full = undefined
  expect(await rows()).toBe(before)
})

test.each([
  ['deadlock', '40P01'],
  ['statement-timeout', '57014'],
] as const)('a statement that ends with a %s has code %s, and the connection goes on', async (fault, code) => {
  const before = await rows()
  ;[kind, full] = [fault, 'insert']
  await expect(client.query('insert into filled values (3)')).rejects.toMatchObject({ code })
  ;[kind, full] = ['disk-full', undefined]
  expect(await rows()).toBe(before)
})

test('a statement waits until it may go on', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  const count = async (): Promise<unknown> => (await other.query('select from waited')).rowCount
  await client.query('create table waited(n int)')
  waiting = promise
  const insert = client.query('insert into waited values (1)')
  expect(await count()).toBe(0)
  waiting = undefined
  resolve()
  await insert
  expect(await count()).toBe(1)
  await other.end()
})

test('the content of a statement is its text alone, whether it was prepared before or not', async () => {
  contents.length = 0
  for (let times = 0; times < 2; times += 1)
    await client.query({ name: 'twice', text: 'select $1::int as n', values: [1] })
  expect(contents).toEqual(['select $1::int as n', 'select $1::int as n'])
})

test('in single-step mode what follows a statement that waits for a lock is not in the way of the lock', async () => {
  const direct = new pg.Client({ connectionString: url })
  await direct.connect()
  const lockWaits = async (): Promise<number> => {
    const { rows: found } = await direct.query<{ sessions: number }>(`select count(*)::int as sessions
      from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return found[0]!.sessions
  }
  const gate = createGate(lockWaits)
  const own = await startPostgresFront(url, 'gated', { ...NO_FAULTS, gate })
  const [holder, pipelined] = [
    new pg.Client({ connectionString: own.url }),
    await connectPipelined({ url: own.url, applicationName: 'pipelined', lockWaitMs: 60_000 }),
  ]
  await holder.connect()
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock(4711)')
  const ordered: string[] = []
  const note = (name: string) => (): void => void ordered.push(name)
  const behind = [
    pipelined.query('select pg_advisory_lock(4711)').then(note('locked')),
    pipelined.query('select pg_advisory_unlock(4711)').then(note('unlocked')),
  ]
  // The last of all by its content: nothing else goes on, or goes on before it.
  ;(await gate.enter('\x7f'))()
  await holder.query('commit').then(note('committed'))
  await Promise.all(behind)
  await gate.rest()
  expect(ordered.toSorted()).toEqual(['committed', 'locked', 'unlocked'])
  await Promise.all([holder.end(), pipelined.end(), direct.end()])
  await own.close()
})

test('a front that is closed ends its connections, and accepts no others', async () => {
  const own = await startPostgresFront(url, 'closed', { ...NO_FAULTS })
  const open = new pg.Client({ connectionString: own.url })
  open.on('error', () => {})
  await open.connect()
  const ended = expect(open.query('select pg_sleep(60)')).rejects.toThrow('Connection terminated unexpectedly')
  await own.close()
  await ended
  await expect(new pg.Client({ connectionString: own.url }).connect()).rejects.toThrow()
})

test('a front that refuses closes a connection before it begins', async () => {
  const own = await startPostgresFront(url, 'refusing', { ...NO_FAULTS })
  own.refusing = true
  await expect(new pg.Client({ connectionString: own.url }).connect()).rejects.toThrow(
    'Connection terminated unexpectedly',
  )
  await own.close()
})
