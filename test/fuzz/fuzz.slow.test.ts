/** What `.ci/run` tries; the count goes on with `npm run fuzz -- --record`. */
import { expect, test } from 'vitest'
import { isLong } from '../setup/cases.ts'
import { createDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'
import { temporaryFolder } from '../setup/temporary.ts'
import { fuzz } from './run.ts'

const REQUESTS = isLong ? 1_000_000 : 50_000

test(`${REQUESTS} requests violate nothing`, async () => {
  const database = await createDatabase({ template: migrated })
  try {
    const result = await fuzz({
      seed: 'ci',
      requests: REQUESTS,
      databaseUrl: database.url,
      dir: temporaryFolder('fuzz'),
    })
    expect(result.problems).toEqual([])
    expect(result.requests).toBeGreaterThanOrEqual(REQUESTS)
  } finally {
    await database.drop()
  }
})
