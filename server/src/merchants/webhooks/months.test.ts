import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction, makeEventPartitions, monthStart } from '../../platform/db/index.ts'
import { createMonthsJob, emit, readMonths } from './index.ts'
import { createWorld, type World } from './test-world.ts'

const database = useDb()
let world: World
beforeAll(() => {
  world = createWorld(database)
})
afterAll(() => world.close())

const open = async (): Promise<unknown[]> =>
  (
    await sql<{
      text: string
    }>`select text from alerts where kind = 'event-partitions' and resolved_at is null`.execute(world.db)
  ).rows.map(({ text }) => text)
const migrateIn = (months: number): Promise<unknown> =>
  withClient(database.url, async (client) => {
    await client.query('update business_clock set offset_ms = $1', [
      monthStart(new Date(), months).getTime() - Date.now(),
    ])
    await makeEventPartitions(client)
    await client.query('update business_clock set offset_ms = 0')
  })
const inMonths = (months: number): Date => monthStart(new Date(), months)

test('audit M-C5: an alert is open from two months before the last partition ends until new partitions are made', async () => {
  // Made for six months behind this one.
  expect(await readMonths(world.db, new Date())).toMatchObject({ good: true })
  expect(await readMonths(world.db, inMonths(5))).toMatchObject({ good: true })
  expect(await readMonths(world.db, new Date(inMonths(5).getTime() + 1))).toMatchObject({
    good: false,
    text: expect.stringContaining('bursar migrate'),
  })
  expect(await readMonths(world.db, inMonths(9))).toMatchObject({ good: false })

  const merchantId = randomUUID()
  const at = inMonths(8)
  const job = createMonthsJob({ ...world.runtime, clock: { now: Date.now, business: Date.now } })
  await job.run(new AbortController().signal)
  expect(await open()).toEqual([])
  await inTransaction(world.db, (tx) =>
    emit(tx, [{ merchantId, objectId: randomUUID(), kind: 'Replenish', status: 'Done', body: {} }], {
      at,
      newId: randomUUID,
    }),
  )
  await job.run(new AbortController().signal)
  expect(await open()).toEqual([expect.stringContaining('events_default')])
  await migrateIn(3)
  await job.run(new AbortController().signal)
  expect(await open()).toEqual([])
})
