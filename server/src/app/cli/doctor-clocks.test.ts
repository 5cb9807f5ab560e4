import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { makeSigner } from '../../../../test/world/signer.ts'
import { readDatabaseClock, reportClock } from './doctor-clocks.ts'

const { db } = useDb()
const reported = (clock: Parameters<typeof reportClock>[1]): string => {
  const lines: string[] = []
  reportClock(
    'database',
    clock,
    (good, text) => void lines.push(`${good ? 'ok' : 'BAD'} ${text}`),
    (text) => void lines.push(`note ${text}`),
  )
  return lines.join()
}

test.each([
  [{ before: 10_000, after: 10_010, theirs: 10_005 }, "ok database: its clock agrees with this machine's"],
  [{ before: 10_000, after: 10_010, theirs: 12_010 }, "ok database: its clock agrees with this machine's"],
  // A slow answer is no difference of clocks.
  [{ before: 10_000, after: 20_000, theirs: 18_000 }, "ok database: its clock agrees with this machine's"],
  [
    { before: 10_000, after: 10_010, theirs: 12_110 },
    "BAD database: its clock is 2.1 s ahead of this machine's: run chrony or another NTP client on both machines",
  ],
  [
    { before: 10_000, after: 10_010, theirs: 4_000 },
    "BAD database: its clock is 6.0 s behind this machine's: run chrony or another NTP client on both machines",
  ],
  [
    { before: 10_000, after: 10_010, theirs: null },
    'note database: it does not say its time, because its build is older than this one',
  ],
])('%j is reported as: %s', (clock, line) => {
  expect(reported(clock)).toBe(line)
})

test('the clock of the database server is read, and compared with a machine whose clock is wrong', async () => {
  expect(reported(await readDatabaseClock(db, Date.now))).toMatch(/^ok/)
  const clock = await readDatabaseClock(db, () => Date.now() - 3_600_000)
  expect(reported(clock)).toMatch(/^BAD .* s ahead/)
  // The duration of the query does not matter: the database read its clock between our two readings. Its microseconds
  // are cut to ms, so that the time may be 1 ms less.
  const [earliest, latest] = [clock.before + 3_600_000 - 1, clock.after + 3_600_000]
  expect(clock.theirs).toBeGreaterThanOrEqual(earliest)
  expect(clock.theirs).toBeLessThanOrEqual(latest)
})

test('the signer says its time in its status', async () => {
  const { signer } = await makeSigner()
  expect(signer.status().time).toEqual(expect.any(Number))
})
