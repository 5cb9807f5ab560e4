import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { startHedging, stopHedging } from '../../exchange/hedging/index.ts'
import { createTestVenue } from '../../../../test/world/venue.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { reportHedge, reportVenue } from './doctor-hedging.ts'
import type { Opened } from '../installation/open.ts'

const { db } = useDb({ max: 2 })

const lines = async (ask: (report: (good: boolean, text: string) => void) => Promise<void>): Promise<string[]> => {
  const reported: string[] = []
  await ask((good, text) => void reported.push(`${good ? 'ok' : 'BAD'} ${text}`))
  return reported
}
const at = new Date(1_800_000_000_000)

test('nothing is hedged', async () => {
  const opened = { config: { exchange: null }, runtime: { db } } as unknown as Opened
  expect(await lines((report) => reportHedge(opened, report))).toEqual([expect.stringMatching(/^ok hedging: none/)])
})

test('a venue that answers, one that does not, and a stop', async () => {
  const venue = createTestVenue(() => at.getTime())
  venue.held.set('BTC', 5n)
  expect(await lines((report) => reportVenue(db, venue, report))).toEqual([
    'ok hedging: test accepts our key, has 3 markets, and holds BTC',
  ])
  await inTransaction(db, (tx) => stopHedging(tx, { reason: 'drill', actor: 'ops' }, { at, newId }))
  venue.down = true
  expect(await lines((report) => reportVenue(db, venue, report))).toEqual([
    'BAD hedging: test: it is down',
    `BAD hedging is stopped since ${at.toISOString()} by ops: drill`,
  ])
  await startHedging(db, 'ops', at)
  venue.down = false
  expect(await lines((report) => reportVenue(db, venue, report))).toHaveLength(1)
})
