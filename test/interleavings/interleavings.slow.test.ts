/**
 * Some orders of all pairs of operations that can meet, but those of interleavings.test.ts, which `.ci/run` runs too.
 * `npm run interleave` tries more, and all pairs.
 */
import { expect, test } from 'vitest'
import { createDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'
import { runCampaign, textOfFailure } from './campaign.ts'
import { CHOSEN, MEETING, nameOf, OFTEN_MEETING, OPERATIONS, PAIRS } from './operations/index.ts'
import { openBench } from './pair.ts'

/** Orders of each pair, the two serial ones among them. */
const most = 3
const pairs = CHOSEN.filter((pair) => !OFTEN_MEETING.includes(pair))

test(
  'every two operations that can meet leave the result of one of the two serial orders',
  async () => {
    const databases = [await createDatabase({ template: migrated }), await createDatabase({ template: migrated })]
    try {
      const databaseUrls = databases.map(({ url }) => url)
      const { failures, ...counts } = await runCampaign({ databaseUrls, pairs, most, seed: 'slow' })
      expect(failures.map(textOfFailure)).toEqual([])
      expect(counts).toMatchObject({ pairs: pairs.length, deadlocks: 0 })
    } finally {
      for (const { drop } of databases) await drop()
    }
  },
  30 * 60_000,
)

/** Balances of the platform, which nearly every operation changes, limit none. */
const isCommon = (line: string): boolean => line.startsWith('- balances: ') && !line.includes('kind "merchant"')

test('two operations that change one row are among the pairs that can meet', async () => {
  const database = await createDatabase({ template: migrated })
  const bench = await openBench(database.url)
  try {
    const changed = new Map<string, string[]>()
    for (const operation of OPERATIONS) {
      const lines = [...(await bench.changedBy(operation))]
      changed.set(
        operation.name,
        lines.filter((line) => !isCommon(line)),
      )
    }
    const shared = PAIRS.filter(([one, other]) =>
      changed.get(one.name)!.some((line) => changed.get(other.name)!.includes(line)),
    )
    expect(shared.length).toBeGreaterThan(100)
    expect(shared.filter((pair) => !MEETING.includes(pair)).map(nameOf)).toEqual([])
  } finally {
    await bench.close()
    await database.drop()
  }
})
