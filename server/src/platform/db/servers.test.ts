import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgres, type Postgres } from '../../../../sandbox/postgres/index.ts'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { makeScratch, type Scratch } from '../../../../test/setup/scratch.ts'
import { openSilentProxy, type SilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { createDb, createPool, DatabaseClient, inTransaction, listen, NoPrimary, splitDatabaseUrl } from './index.ts'

let scratch: Scratch
/** The first is a primary at the start, the second a standby with the same contents. */
const servers: Postgres[] = []
const proxies: SilentProxy[] = []

const start = async (name: string): Promise<Postgres> => {
  const settings = { cluster_name: name, fsync: 'off', shared_buffers: '16MB', max_connections: '40' }
  const server = await startPostgres({ dataDir: join(scratch.dir, name), settings })
  scratch.owns(name, server)
  return server
}

beforeAll(async () => {
  scratch = await makeScratch('servers')
  const first = await start('first')
  await first.stop()
  cpSync(join(scratch.dir, 'first'), join(scratch.dir, 'second'), { recursive: true })
  chmodSync(join(scratch.dir, 'second'), 0o700)
  writeFileSync(join(scratch.dir, 'second', 'standby.signal'), '')
  servers.push(await start('first'), await start('second'))
  for (const { url } of servers) proxies.push(await openSilentProxy(url))
})

afterAll(async () => {
  for (const proxy of proxies) proxy.close()
  await Promise.all(servers.map((server) => server.stop()))
  scratch.remove()
})

/**
 * @param order positions of the servers in the URL
 * @param name makes the URL one that no other test uses
 */
const urlOf = (order: readonly number[], name: string): string => {
  const hosts = order.map((at) => `127.0.0.1:${/:(\d+)\//.exec(proxies[at]!.url)![1]}`)
  return `postgres://postgres@${hosts.join()}/bursar?target_session_attrs=read-write&fallback_application_name=${name}`
}

const WHO = "select current_setting('cluster_name') as name"

test('a URL is split into one for each server', () => {
  expect(splitDatabaseUrl('postgres://u:p@a:1,b.example,[::1]:3/n?target_session_attrs=primary')).toEqual({
    urls: ['a:1', 'b.example', '[::1]:3'].map((host) => `postgres://u:p@${host}/n?target_session_attrs=primary`),
    needsPrimary: true,
  })
  const socket = 'postgres:///n?host=/run/a,b&user=u'
  expect(splitDatabaseUrl(socket)).toEqual({ urls: [socket], needsPrimary: false })
})

test.each([[[0, 1]], [[1, 0]]])('D9 of two servers the one that accepts writes is used: order %j', async (order) => {
  const pool = createPool({ url: urlOf(order, `order${order.join('')}`) })
  expect((await pool.query(WHO)).rows).toEqual([{ name: 'first' }])
  await pool.end()
})

test('D9 a standby alone is refused when the URL asks for a server that accepts writes', async () => {
  await expect(new DatabaseClient({ connectionString: urlOf([1], 'alone') }).connect()).rejects.toThrow('standby')
  const reading = new DatabaseClient({ connectionString: servers[1]!.url })
  await reading.connect()
  expect((await reading.query(WHO)).rows).toEqual([{ name: 'second' }])
  await reading.end()
})

test('a URL without a primary fails, and names the reason of each server', async () => {
  const closed = await openSilentProxy(servers[0]!.url)
  closed.close()
  const hosts = [closed.url, proxies[1]!.url].map((url) => /@([^/]+)/.exec(url)![1])
  const url = `postgres://postgres@${hosts.join()}/bursar?target_session_attrs=read-write`
  const error = await new DatabaseClient({ connectionString: url }).connect().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NoPrimary)
  expect((error as Error).message).toMatch(/server 1: .*ECONNREFUSED.*; server 2: .*standby/)
})

test('D5 a commit whose wait for the standby was cancelled is not acknowledged', async () => {
  const pool = createPool({ url: urlOf([0, 1], 'cancelled'), applicationName: 'committing' })
  const direct = servers[0]!.url
  const set = (names: string) =>
    withClient(direct, async (client) => {
      await client.query(`alter system set synchronous_standby_names = ${names}`)
      await client.query('select pg_reload_conf()')
    })
  await pool.query('create table written (i int)')
  await set("'absent'")
  const commit = () =>
    inTransaction(createDb(pool), async (tx) => {
      await sql`insert into written values (1)`.execute(tx)
    })
  let isCancelled = false
  // The setting counts once the server's checkpointer has read it: commits before that do not wait.
  const work = (async () => {
    for (let commits = 0; ; commits += 1) {
      await commit()
      if (isCancelled) return `acknowledged after ${commits}`
    }
  })().catch(() => 'unknown')
  await withClient(direct, async (client) => {
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
      where application_name = 'committing' and wait_event = 'SyncRep'`
    while ((await client.query(cancel)).rowCount === 0);
    isCancelled = true
  })
  expect(await work).toBe('unknown')
  await set("''")
  expect((await pool.query('select from written')).rowCount).toBeGreaterThan(0)
  await pool.end()
})

test('D1 D2 connections leave a silent primary when another server is promoted, long before their time limits', async () => {
  const url = urlOf([0, 1], 'moves')
  const pool = createPool({ url, max: 2, answerMs: 3_600_000 })
  expect((await pool.query(WHO)).rows).toEqual([{ name: 'first' }])
  let connected = 0
  const listener = listen({ url }, ['anything'], { connected: () => (connected += 1), notified: () => {} })
  await expect.poll(() => connected).toBe(1)
  proxies[0]!.setSilent(true)
  const waiting = pool.query(WHO).then(
    () => 'answered',
    (error: Error) => error.message,
  )
  await withClient(servers[1]!.url, (client) => client.query('select pg_promote()'))
  expect(await waiting).toBe('another server has become the primary of the database')
  await expect.poll(() => connected).toBe(2)
  expect((await pool.query(WHO)).rows).toEqual([{ name: 'second' }])
  proxies[0]!.setSilent(false)
  await Promise.all([pool.end(), listener.close()])
})

test('D3 of two servers that accept writes the one that was promoted last is used', async () => {
  const pool = createPool({ url: urlOf([0, 1], 'both') })
  expect((await pool.query(WHO)).rows).toEqual([{ name: 'second' }])
  await pool.end()
})

test('the next connection finds the new primary after the end of the previous one', async () => {
  const pool = createPool({ url: urlOf([0, 1], 'ends') })
  await pool.query(WHO)
  await servers[1]!.stop()
  await expect
    .poll(() =>
      pool.query(WHO).then(
        ({ rows }) => rows,
        () => [],
      ),
    )
    .toEqual([{ name: 'first' }])
  await pool.end()
})
