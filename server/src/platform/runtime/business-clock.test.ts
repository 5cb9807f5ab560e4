import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { describe, expect, test } from 'vitest'
import { listen } from '../db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { advanceClock, followOffset, openClock, readClockOffset } from './business-clock.ts'
import { createClock, type OffsetClock } from './clock.ts'

const { db, url } = useDb()

test('moves ahead in every process that listens, and the real clock does not', async () => {
  const clock = createClock(() => 1_000)
  const follow = async (): Promise<void> => clock.setOffset(await readClockOffset(db))
  const listener = listen({ url: url }, ['business_clock'], {
    connected: () => void follow(),
    notified: () => void follow(),
  })
  expect(await readClockOffset(db)).toBe(0)
  await sleep(100)
  expect(await advanceClock(db, 3_600_000)).toBe(3_600_000)
  expect(await advanceClock(db, 1)).toBe(3_600_001)
  for (let i = 0; clock.business() !== 3_601_001 && i < 6_000; i += 1) await sleep(10)
  expect([clock.now(), clock.business()]).toEqual([1_000, 3_601_001])
  await listener.close()
})

test.each([-1, 0.5, Number.NaN, 2 ** 53])('does not move by %d', async (ms) => {
  await expect(advanceClock(db, ms)).rejects.toThrow('forward')
})

describe('outside a sandbox', () => {
  const runtime = (clock: OffsetClock) => ({
    db,
    clock,
    newId: () => randomUUID(),
    log: { error: () => {} } as unknown as Logger,
  })
  const alerts = async (): Promise<unknown[]> =>
    (await sql`select kind from alerts where resolved_at is null`.execute(db)).rows

  test('audit S-4: no role starts beside a clock that was moved, and a command goes by the real one', async () => {
    await sql`update business_clock set offset_ms = 600000`.execute(db)
    await expect(openClock(db, { sandbox: false, serves: true })).rejects.toThrow('600000 ms ahead of the real one')
    const clock = await openClock(db, { sandbox: false, serves: false })
    expect(clock.business() - clock.now()).toBe(0)
    const moved = await openClock(db, { sandbox: true, serves: true })
    expect(moved.business() - moved.now()).toBeGreaterThan(500_000)
  })

  test('audit S-4: a role that runs does not follow the clock, and an alert says that it was moved', async () => {
    await sql`update business_clock set offset_ms = 0`.execute(db)
    const clock = await openClock(db, { sandbox: false, serves: true })
    await advanceClock(db, 600_000)
    await followOffset(runtime(clock), false)
    expect(clock.business() - clock.now()).toBe(0)
    expect(await alerts()).toEqual([{ kind: 'clock-moved' }])
    await sql`update business_clock set offset_ms = 0`.execute(db)
    await followOffset(runtime(clock), false)
    expect(await alerts()).toEqual([])
  })
})
