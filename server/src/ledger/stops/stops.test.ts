import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { covers, createStop, isCovered, liftStop, listStops, readStops, type Reach } from './index.ts'

const { db } = useDb()
const moment = { at: new Date(), newId: () => uuidv7(Date.now(), randomBytes(10)) }
const [MERCHANT, ANOTHER] = [randomUUID(), randomUUID()]

const text = (one: string | null) => (one === null ? undefined : sql`${one}::text`)
const reaches: Reach[] = ['BTC', 'ETH', null].flatMap((asset) =>
  [MERCHANT, ANOTHER, null].flatMap((merchantId) =>
    ['BITCOIN', 'ETHEREUM', null].map((network) => ({ asset, merchantId, network })),
  ),
)
const isStopped = async ({ asset, merchantId, network }: Reach): Promise<boolean> => {
  const reach = {
    asset: text(asset),
    merchantId: merchantId === null ? undefined : sql`${merchantId}::uuid`,
    network: text(network),
  }
  const defined = Object.fromEntries(Object.entries(reach).filter(([, one]) => one !== undefined))
  return (await sql<{ stopped: boolean }>`select ${isCovered(defined)} as stopped`.execute(db)).rows[0]!.stopped
}

const stops = ['BTC', null].flatMap((asset) =>
  [MERCHANT, null].flatMap((merchantId) =>
    (['BITCOIN', null] as const).map((network) => ({ asset, merchantId, network })),
  ),
)
test.each(stops)(
  'a stop of $asset, $merchantId, $network covers the same money in SQL and in TypeScript, until it is lifted',
  async (stop) => {
    await inTransaction(db, (tx) => createStop(tx, { ...stop, reason: 'a test' }, moment))
    const [term] = await readStops(db)
    const expected = reaches.map((reach) => {
      const within = (stopped: string | null, here: string | null): boolean => stopped === null || stopped === here
      return (
        within(stop.asset, reach.asset) &&
        within(stop.merchantId, reach.merchantId) &&
        within(stop.network, reach.network)
      )
    })
    expect(reaches.map((reach) => covers(term!, reach))).toEqual(expected)
    expect(await Promise.all(reaches.map(isStopped))).toEqual(expected)
    for (const { id } of await listStops(db)) await liftStop(db, id, { actor: 'a test', reason: null }, moment.at)
    expect(await Promise.all(reaches.map(isStopped))).toEqual(reaches.map(() => false))
  },
)

test('the same stop is made once; one with another reason, or after it was lifted, is made again', async () => {
  const stop = { asset: 'BTC', merchantId: null, reason: 'one' }
  const made = async (reason: string): Promise<number> => {
    await inTransaction(db, (tx) => createStop(tx, { ...stop, reason }, moment))
    return (await listStops(db)).length
  }
  expect([await made('one'), await made('one'), await made('two')]).toEqual([1, 1, 2])
  for (const { id } of await listStops(db)) await liftStop(db, id, { actor: 'a test', reason: 'over' }, moment.at)
  expect(await made('one')).toBe(1)
})
