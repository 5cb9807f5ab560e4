/** Some orders of all pairs of operations that move money. `npm run interleave` tries more. */
import { expect, test } from 'vitest'
import { cases } from '../setup/cases.ts'
import { createDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'
import { runCampaign, textOfFailure } from './campaign.ts'
import { PAIRS } from './operations/index.ts'

/** Orders of each pair, the two serial ones among them. */
const most = cases(3)

test(
  'every two operations that move money leave the result of one of the two serial orders',
  async () => {
    const databases = [await createDatabase({ template: migrated }), await createDatabase({ template: migrated })]
    try {
      const databaseUrls = databases.map(({ url }) => url)
      const { failures, pairs, deadlocks } = await runCampaign({ databaseUrls, pairs: PAIRS, most, seed: 'slow' })
      expect(failures.map(textOfFailure)).toEqual([])
      expect({ pairs, deadlocks }).toEqual({ pairs: PAIRS.length, deadlocks: 0 })
    } finally {
      for (const { drop } of databases) await drop()
    }
  },
  30 * 60_000,
)
