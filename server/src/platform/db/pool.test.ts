import { sql } from 'kysely'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { createDb, createPool, connectPipelined, inTransaction, PreparedConnection } from './index.ts'

const database = useDatabase()

/** Ends every connection of this name, as an administrator's command, a failover and a restart do. */
const endAll = (name: string) =>
  withClient(database.url, (client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]),
  )

const endOf = (client: pg.ClientBase): Promise<unknown> => new Promise((resolve) => client.once('end', resolve))

test('audit O-3.2: a connection of a pool that ends while it is in use fails its query and nothing else', async () => {
  const pool = createPool({ url: database.url, applicationName: 'in use', max: 2 })
  const client = await pool.connect()
  const ended = endOf(client)
  const waiting = client.query('select pg_sleep(60)').catch((error: unknown) => error)
  await withClient(database.url, async (other) => {
    const running = "select 1 from pg_stat_activity where application_name = 'in use' and wait_event = 'PgSleep'"
    while ((await other.query(running)).rowCount === 0);
  })
  await endAll('in use')
  expect(await waiting).toMatchObject({ code: '57P01' })
  // The end is announced by an `error` event on the client, which would end the process if nothing listened.
  await ended
  client.release()
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('audit O-3.2: a connection that ends between two statements of a transaction fails the transaction and nothing else', async () => {
  const pool = createPool({ url: database.url, applicationName: 'between', max: 1 })
  const db = createDb(pool)
  const work = inTransaction(db, async (tx) => {
    await sql`select 1`.execute(tx)
    await endAll('between')
    await sql`select 2`.execute(tx)
  })
  await expect(work).rejects.toThrow(/terminat|connection/i)
  expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }])
  await pool.end()
})

test("audit O-3.2: connections that are no pool's survive their end too", async () => {
  const settings = { url: database.url, applicationName: 'alone' }
  const client = await connectPipelined(settings)
  const prepared = new PreparedConnection(settings)
  await prepared.query('one', 'select 1', [])
  const ended = endOf(client)
  await endAll('alone')
  await ended
  await expect(client.query('select 1')).rejects.toThrow()
  await prepared.query('one', 'select 1', []).catch(() => {})
  expect(
    await prepared.query('one', 'select 1 as one', []).catch(() => prepared.query('one', 'select 1 as one', [])),
  ).toEqual([{ one: 1 }])
  await prepared.close()
})

/** Far below what anything waits for by itself: an operating system gives up after a quarter of an hour. */
const ANSWER_MS = 300

test('audit M-B5: connections to a server that has gone silent are given up, in and outside transactions, and new ones are made', async () => {
  const proxy = await openSilentProxy(database.url)
  const settings = { url: proxy.url, answerMs: ANSWER_MS, max: 2 }
  const pool = createPool(settings)
  const db = createDb(pool)
  const prepared = new PreparedConnection(settings)
  const one = () => prepared.query('one', 'select 1 as one', [])
  await Promise.all([one(), pool.query('select 1')])
  const inside = inTransaction(db, async (tx) => {
    await sql`select 1`.execute(tx)
    proxy.setSilent(true)
    await sql`select 2`.execute(tx)
  })
  await expect(inside).rejects.toThrow(/did not answer|terminated|not queryable/)
  await expect(pool.query('select 1')).rejects.toThrow()
  await expect(one()).rejects.toThrow('did not answer')
  proxy.setSilent(false)
  expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }])
  expect(await one()).toEqual([{ one: 1 }])
  await Promise.all([pool.end(), prepared.close()])
  proxy.close()
})

test('a connection that answers stays open, however long all its answers take together', async () => {
  const client = await connectPipelined({ url: database.url, answerMs: ANSWER_MS })
  const answers = await Promise.all(Array.from({ length: 6 }, () => client.query("select pg_sleep(0.1), 'kept' as is")))
  expect(answers.map(({ rows }) => rows[0].is)).toEqual(Array.from({ length: 6 }, () => 'kept'))
  await client.end()
})

test('audit M-B5: D3 a connection to a server that has become a standby is given up', async () => {
  const pool = createPool({ url: database.url, max: 1 })
  // A standby refuses what writes with this very state, 25006 (PostgreSQL, src/backend/tcop/utility.c).
  await pool.query('set default_transaction_read_only = on')
  await expect(pool.query('create table refused (i int)')).rejects.toMatchObject({ code: '25006' })
  await pool.query('create table taken (i int)')
  await pool.end()
})

test('audit M-B5: the server ends statements and waits for locks, and looks whether the other end lives', async () => {
  const pool = createPool({ url: database.url, statementMs: 50 })
  await expect(pool.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' })
  await pool.end()
  const client = await connectPipelined({ url: database.url })
  const names = ['statement_timeout', 'lock_timeout', 'client_connection_check_interval']
  const { rows } = await client.query('select name, setting::int from pg_settings where name = any($1) order by name', [
    names,
  ])
  expect(rows).toEqual([
    { name: 'client_connection_check_interval', setting: 10_000 },
    { name: 'lock_timeout', setting: 10_000 },
    { name: 'statement_timeout', setting: 20_000 },
  ])
  await client.end()
})

test('audit O-3.2: a query that the driver has lost sight of ends with its connection', async () => {
  const client = await connectPipelined({ url: database.url })
  const {
    rows: [own],
  } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  // The driver's own way to end what waits (pg/lib/client.js) does nothing here.
  Object.assign(client, { _errorAllQueries: () => {} })
  const asked = [client.query('select pg_sleep(60)'), client.query('select 1')].map((query) =>
    query.then(
      () => 'answered',
      () => 'ended',
    ),
  )
  await withClient(database.url, (other) => other.query('select pg_terminate_backend($1)', [own!.pid]))
  expect(await Promise.all(asked)).toEqual(['ended', 'ended'])
})

test('no statement is compiled, although the database would compile it', async () => {
  await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name')
    await client.query(`alter database ${rows[0]!.name} set jit = on`)
  })
  const pool = createPool({ url: database.url, max: 1 })
  const client = await connectPipelined({ url: database.url })
  const shown = [await pool.query('show jit'), await client.query('show jit')].map(({ rows }) => rows[0])
  await pool.end()
  await client.end()
  expect(shown).toEqual([{ jit: 'off' }, { jit: 'off' }])
})
