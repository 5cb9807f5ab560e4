/** The runtime of jobs and routes in a test: a clock of the test's, ids of its time, and a log that is silent. */
import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { uuidv7, type NewId } from '../../server/src/platform/base/id.ts'
import type { Db } from '../../server/src/platform/db/index.ts'
import { createClock } from '../../server/src/platform/runtime/clock.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'

let count = 0

/**
 * Ids that increase while the clock of a test does not change. In production, some milliseconds pass between two rows.
 */
const increasingIds =
  (now: () => number): NewId =>
  () => {
    const bytes = randomBytes(10)
    // Bits 12 to 15 of the first two bytes and the first two bits of the third belong to the format.
    bytes.writeUInt16BE(count >>> 16, 0)
    bytes.writeUInt8(0, 2)
    bytes.writeUInt16BE(count & 0xffff, 3)
    count += 1
    return uuidv7(now(), bytes)
  }

/** Rows that are made one after the other have increasing ids. @param now ms; the business clock shows the same */
export const createTestRuntime = (db: Db, now: () => number = Date.now): Runtime => ({
  db,
  clock: createClock(now),
  newId: increasingIds(now),
  log: pino({ enabled: false }),
})
