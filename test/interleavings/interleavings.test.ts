/** Few orders of every two of the operations that most often meet; interleavings.slow.test.ts tries more of all. */
import { expect, test } from 'vitest'
import { createDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'
import { runCampaign, textOfFailure } from './campaign.ts'
import { OFTEN_MEETING } from './operations/index.ts'

/** The two serial orders, and others. */
const MOST = 3

test(
  'two operations that meet leave the result of one of the two serial orders',
  async () => {
    const databases = [await createDatabase({ template: migrated }), await createDatabase({ template: migrated })]
    try {
      const databaseUrls = databases.map(({ url }) => url)
      const { failures, ...counts } = await runCampaign({
        databaseUrls,
        pairs: OFTEN_MEETING,
        most: MOST,
        seed: 'test',
      })
      expect(failures.map(textOfFailure)).toEqual([])
      expect(counts).toMatchObject({ pairs: 36, deadlocks: 0 })
      expect(counts.schedules).toBe(36 * MOST)
    } finally {
      for (const { drop } of databases) await drop()
    }
  },
  15 * 60_000,
)
