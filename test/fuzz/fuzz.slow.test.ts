/** 20,000 requests in `.ci/run`, 800,000 in `npm run test:long`; the count goes on with `npm run fuzz -- --record`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cases } from '../setup/cases.ts'
import { createDatabase, type TestDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'
import { temporaryFolder } from '../setup/temporary.ts'
import { openFuzz, type FuzzSession } from './run.ts'

/** Small enough that a slow machine sends them in the time of one test. */
const PART = 2_500
const PARTS = cases(16)

let database: TestDatabase
let session: FuzzSession

beforeAll(async () => {
  database = await createDatabase({ template: migrated })
  session = await openFuzz({ seed: 'ci', databaseUrl: database.url, dir: temporaryFolder('fuzz') })
})
afterAll(async () => {
  await session.close()
  await database.drop()
})

test.each(Array.from({ length: PARTS }, (_, part) => part * PART + 1))(
  'requests from the %i-th on violate nothing',
  async (first) => {
    await session.send(first, first + PART - 1)
    expect(session.result.problems).toEqual([])
  },
)

test('the books are right after all of them', async () => {
  await session.finish()
  expect(session.result.problems).toEqual([])
  expect(session.result.requests).toBeGreaterThanOrEqual(PARTS * PART)
})
