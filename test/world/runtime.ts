/** What jobs and routes are handed in a test: a clock of the test's, ids of its time, and a log that is silent. */
import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import type { Db } from '../../server/src/platform/db/index.ts'
import { createClock } from '../../server/src/platform/runtime/clock.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'

/** @param now ms; the business clock shows the same */
export const createTestRuntime = (db: Db, now: () => number = Date.now): Runtime => ({
  db,
  clock: createClock(now),
  newId: () => uuidv7(now(), randomBytes(10)),
  log: pino({ enabled: false }),
})
