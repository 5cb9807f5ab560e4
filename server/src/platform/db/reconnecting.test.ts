import { expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { type DatabaseClient, openClient } from './client.ts'
import { ReconnectingConnection, type ReconnectingSettings } from './reconnecting.ts'

const database = useDatabase()

const connect = ({ url = database.url, ...settings }: Partial<ReconnectingSettings> & { url?: string } = {}) => {
  const clients: DatabaseClient[] = []
  let prepared = 0
  let ended = 0
  const connection = new ReconnectingConnection({
    open: () => openClient({ connectionString: url, application_name: 'reconnecting' }),
    ...settings,
    prepare: async (client) => {
      clients.push(client)
      await settings.prepare?.(client)
      prepared += 1
    },
    ended: () => {
      ended += 1
      settings.ended?.()
    },
  })
  return { connection, clients, counts: () => ({ prepared, ended }) }
}

const asOwner = async (text: string) => (await withClient(database.url, (client) => client.query(text))).rows
const SESSIONS = "from pg_stat_activity where application_name = 'reconnecting'"
const endSessions = () => asOwner(`select pg_terminate_backend(pid) ${SESSIONS}`)
const sessions = async () => (await asOwner(`select pid ${SESSIONS}`)).length

test('all callers get one connection; its owner learns of its end once, and the next caller gets another', async () => {
  const { connection, counts } = connect()
  const [first, same] = await Promise.all([connection.get(), connection.get()])
  expect([same === first, connection.isCurrent(first), await sessions()]).toEqual([true, true, 1])
  await endSessions()
  await expect.poll(counts).toEqual({ prepared: 1, ended: 1 })
  expect(connection.isCurrent(first)).toBe(false)
  const second = await connection.get()
  expect(second).not.toBe(first)
  connection.drop(first)
  expect([connection.isCurrent(second), counts()]).toEqual([true, { prepared: 2, ended: 1 }])
  await connection.close()
  expect(counts()).toEqual({ prepared: 2, ended: 2 })
  await expect.poll(sessions).toBe(0)
})

test('the owner learns of a dropped connection before the call returns', async () => {
  const { connection, counts } = connect()
  connection.drop(await connection.get())
  expect(counts()).toEqual({ prepared: 1, ended: 1 })
  await connection.close()
})

test('a connection that is not prepared is closed, and is no session of its owner', async () => {
  let fails = true
  const prepare = async (client: DatabaseClient) => void (await client.query(fails ? 'select from nothing' : 'select'))
  const { connection, counts } = connect({ prepare })
  await expect(connection.get()).rejects.toThrow('nothing')
  await expect.poll(sessions).toBe(0)
  fails = false
  await connection.get()
  expect(counts()).toEqual({ prepared: 1, ended: 0 })
  await connection.close()
})

test('a connection that ends while it is prepared is not used', async () => {
  let isFirst = true
  const prepare = async (client: DatabaseClient) => {
    if (!isFirst) return
    isFirst = false
    const hasEnded = new Promise((resolve) => client.once('end', resolve))
    await endSessions()
    await hasEnded
  }
  const { connection, counts } = connect({ prepare })
  await expect(connection.get()).rejects.toThrow('ended before its first use')
  expect(await (await connection.get()).query('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] })
  expect(counts()).toEqual({ prepared: 2, ended: 0 })
  await connection.close()
})

test('a connection that is kept open comes back after each end and each failed attempt, until it is closed', async () => {
  let fails = 2
  const open = async () => {
    if (fails-- > 0) throw new Error('refused')
    return openClient({ connectionString: database.url, application_name: 'reconnecting' })
  }
  const { connection, counts } = connect({ open })
  connection.keepOpen(10)
  await expect.poll(counts).toEqual({ prepared: 1, ended: 0 })
  await endSessions()
  await expect.poll(counts).toEqual({ prepared: 2, ended: 1 })
  await connection.close()
  await expect.poll(sessions).toBe(0)
  expect(counts()).toEqual({ prepared: 2, ended: 2 })
})

test('a connection that is closed while it opens is closed once it is open', async () => {
  const { connection, counts } = connect()
  connection.keepOpen(10)
  const opening = connection.get()
  await Promise.all([expect(opening).rejects.toThrow('closed before its first use'), connection.close()])
  await expect.poll(sessions).toBe(0)
  expect(counts().ended).toBe(0)
  await connection.get()
  expect(await sessions()).toBe(1)
  await connection.close()
})

test('a session that does not answer a heartbeat is given up; one that answers stays', async () => {
  const proxy = await openSilentProxy(database.url)
  const { connection, counts } = connect({ url: proxy.url, heartbeat: { everyMs: 5, answerMs: 60_000 } })
  const first = await connection.get()
  const beats: unknown[] = []
  const send = first.query.bind(first) as (...args: unknown[]) => unknown
  first.query = ((...args: unknown[]) => (beats.push(args[0]), send(...args))) as typeof first.query
  await expect.poll(() => beats.length).toBeGreaterThan(3)
  expect(connection.isCurrent(first)).toBe(true)
  await connection.close()

  const strict = connect({ url: proxy.url, heartbeat: { everyMs: 5, answerMs: 300 } })
  await strict.connection.get()
  proxy.setSilent(true)
  await expect.poll(strict.counts, { timeout: 60_000 }).toEqual({ prepared: 1, ended: 1 })
  await strict.connection.close()
  expect(counts()).toEqual({ prepared: 1, ended: 1 })
  proxy.close()
})

test('a session that gets no answer while it is prepared is given up', async () => {
  const proxy = await openSilentProxy(database.url)
  const prepare = async (client: DatabaseClient) => {
    proxy.setSilent(true)
    await client.query('listen something')
  }
  const { connection, counts } = connect({ url: proxy.url, prepare, prepareMs: 50 })
  await expect(connection.get()).rejects.toThrow('did not answer while a session was prepared')
  expect(counts()).toEqual({ prepared: 0, ended: 0 })
  await connection.close()
  proxy.close()
})

test('a connection that was closed is not opened by an earlier attempt to open it again', async () => {
  const { connection, counts } = connect()
  connection.keepOpen(40)
  // Each end starts a pause of at most 60 ms.
  for (let n = 0; n < 2; n += 1) connection.drop(await connection.get())
  await connection.close()
  const before = counts()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(counts()).toEqual(before)
  await expect.poll(sessions).toBe(0)
})
