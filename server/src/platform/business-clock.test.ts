import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, createPool, listen, type Db } from '../db/index.ts'
import { useDatabase } from '../../../test/setup/database.ts'
import { migrated } from '../../../test/setup/migrated.ts'
import { advanceClock, readClockOffset } from './business-clock.ts'
import { createClock } from './clock.ts'

const database = useDatabase({ template: migrated })
let pool: pg.Pool
let db: Db
beforeAll(() => {
  pool = createPool({ url: database.url })
  db = createDb(pool)
})
afterAll(() => pool.end())

test('moves ahead for everyone who listens, and the real clock does not', async () => {
  const clock = createClock(() => 1_000)
  const follow = async (): Promise<void> => clock.setOffset(await readClockOffset(db))
  const listener = listen({ url: database.url }, ['business_clock'], { connected: () => void follow(), notified: () => void follow() })
  expect(await readClockOffset(db)).toBe(0)
  await sleep(100)
  expect(await advanceClock(db, 3_600_000)).toBe(3_600_000)
  expect(await advanceClock(db, 1)).toBe(3_600_001)
  for (let i = 0; clock.business() !== 3_601_001 && i < 200; i += 1) await sleep(10)
  expect([clock.now(), clock.business()]).toEqual([1_000, 3_601_001])
  await listener.close()
})

test.each([-1, 0.5, Number.NaN, 2 ** 53])('does not move by %d', async (ms) => {
  await expect(advanceClock(db, ms)).rejects.toThrow('forward')
})
