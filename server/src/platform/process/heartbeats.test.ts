import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { createClock } from '../runtime/clock.ts'
import { beat, lookForTheDead, signsOfLife, type LivingRole } from './heartbeats.ts'

const { db } = useDb()

let now = Date.UTC(2026, 0, 1)
const START = new Date(now)
const MINUTE_MS = 60_000
const lives = (id: string, ...roles: LivingRole[]) =>
  beat(db, { id, host: 'here', startedAt: START }, roles, new Date(now))
const look = () => lookForTheDead({ db, clock: createClock(() => now), newId: randomUUID }, START)
const alerts = async (): Promise<string[]> =>
  (
    await sql<{
      subject: string
    }>`select subject from alerts where kind = 'no-process' and resolved_at is null order by 1`.execute(db)
  ).rows.map(({ subject }) => subject)

test('audit O-8: any live process raises an alert for a role without a live process, and ends it when one is back', async () => {
  const [api, worker] = [randomUUID(), randomUUID()]
  await lives(api, 'api')
  await look()
  expect(await alerts()).toEqual([])
  now += MINUTE_MS + 1
  await lives(api, 'api')
  await lives(worker, 'worker', 'signer')
  await look()
  expect(await alerts()).toEqual(['watcher'])
  now += MINUTE_MS + 1
  await lives(api, 'api')
  await look()
  expect(await alerts()).toEqual(['signer', 'watcher', 'worker'])
  const { rows } = await sql<{ text: string }>`select text from alerts where subject = 'worker'`.execute(db)
  expect(rows[0]!.text).toBe(
    'No worker has reported since 2026-01-01T00:01:00.001Z: nothing is paid out, swept, notified or reconciled. Start one; its log says why it ended',
  )
  await lives(worker, 'worker', 'signer')
  await lives(randomUUID(), 'watcher')
  await look()
  expect(await alerts()).toEqual([])
})

test('audit O-8: processes are counted by role, and forgotten after a day', async () => {
  await lives(randomUUID(), 'api', 'worker', 'watcher')
  const signs = await signsOfLife(db, now + 5_000)
  expect(signs.get('worker')).toMatchObject({ ageMs: 5_000, living: 2 })
  now += 24 * 60 * MINUTE_MS + 1
  await lives(randomUUID(), 'api')
  expect([...(await signsOfLife(db, now)).keys()]).toEqual(['api'])
})
