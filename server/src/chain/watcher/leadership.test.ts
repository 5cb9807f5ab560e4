import pg from 'pg'
import { expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { startPostgresFront } from '../../../../test/simulation/fronts/postgres.ts'
import type { Faults } from '../../../../test/simulation/faults.ts'
import { createLeadership } from './leadership.ts'

const database = useDatabase()

test('a session whose first statement fails is closed, and the next one leads', async () => {
  let fails = true
  const faults = {
    decide: (_name: string, content: string) =>
      fails && content.includes('idle_session_timeout') ? 'statement-timeout' : undefined,
    waits: () => undefined,
  } as unknown as Faults
  const front = await startPostgresFront(database.url, 'watcher', faults)
  const leadership = createLeadership({ url: front.url, network: 'BITCOIN' })
  for (let attempt = 0; attempt < 5; attempt += 1) await expect(leadership.lead()).rejects.toThrow('statement timeout')
  const observer = new pg.Client({ connectionString: database.url })
  await observer.connect()
  const sessions = async (): Promise<number> => {
    const { rows } = await observer.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where application_name = 'bursar watcher BITCOIN'`,
    )
    return rows[0]!.count
  }
  await expect.poll(sessions).toBe(0)
  fails = false
  expect(await leadership.lead()).toBe(true)
  expect(await sessions()).toBe(1)
  await leadership.release()
  await observer.end()
  await front.close()
})

/** @returns how many sessions of watchers of this network it ended */
const endSessions = (network: string): Promise<number | null> =>
  withClient(database.url, async (client) => {
    const { rowCount } = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [`bursar watcher ${network}`],
    )
    return rowCount
  })

test('a leader whose session is ended no longer leads, without a question, and another process can lead', async () => {
  const first = createLeadership({ url: database.url, network: 'ETHEREUM', silenceMs: 3_600_000 })
  const second = createLeadership({ url: database.url, network: 'ETHEREUM', silenceMs: 3_600_000 })
  expect(await first.lead()).toBe(true)
  expect(await endSessions('ETHEREUM')).toBe(1)
  await expect.poll(() => first.held()).toBe(false)
  expect(await second.lead()).toBe(true)
  expect(await first.lead()).toBe(false)
  await second.release()
  await expect.poll(() => first.lead()).toBe(true)
  await first.release()
  expect(first.held()).toBe(false)
})

test('a process that waits for the lead asks in a new session after its session was ended', async () => {
  const leader = createLeadership({ url: database.url, network: 'TRON' })
  const waiting = createLeadership({ url: database.url, network: 'TRON' })
  expect(await leader.lead()).toBe(true)
  expect(await waiting.lead()).toBe(false)
  expect(await endSessions('TRON')).toBe(2)
  await expect.poll(() => leader.held()).toBe(false)
  await expect.poll(() => waiting.lead().catch((error: Error) => error.message)).toBe(true)
  await waiting.release()
})

test('a leader whose database has gone silent no longer leads', async () => {
  const proxy = await openSilentProxy(database.url)
  const leadership = createLeadership({ url: proxy.url, network: 'BINANCE_SMART_CHAIN', silenceMs: 400 })
  expect(await leadership.lead()).toBe(true)
  proxy.setSilent(true)
  await expect.poll(() => leadership.held(), { timeout: 60_000 }).toBe(false)
  proxy.setSilent(false)
  await expect.poll(() => leadership.lead(), { timeout: 60_000 }).toBe(true)
  await leadership.release()
  proxy.close()
})
