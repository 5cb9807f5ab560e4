import pg from 'pg'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
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
