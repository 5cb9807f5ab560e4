import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PreparedConnection } from '../../platform/db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { Acknowledger } from './acknowledger.ts'
import { endAlertIfOver } from './alert.ts'
import { listAttempts } from './index.ts'
import { createStreamStore } from './store.ts'
import { OF_MERCHANTS } from './stream-tables.ts'
import { settle, type Attempt, type ClaimedStream } from './stream.ts'
import { createWorld, MINUTE, type World } from './test-world.ts'

const store = createStreamStore(OF_MERCHANTS)
const { claimOpen, finishStreams, keepStreams } = store
const database = useDb()
let world: World
let connection: PreparedConnection
beforeAll(() => {
  world = createWorld(database)
  connection = new PreparedConnection({ url: database.url })
})
afterAll(async () => {
  await connection.close()
  await world.close()
})

const claimOf = async (merchantId: string): Promise<ClaimedStream> => {
  const business = world.runtime.clock.business()
  const claimed = await claimOpen(connection.query, { business, now: world.now, leaseUntil: world.now + MINUTE }, 10)
  return claimed.find((stream) => stream.merchantId === merchantId)!
}
const attemptAt = (stream: ClaimedStream, status: number): Attempt => ({
  sequence: stream.events[0]!.sequence,
  number: 1,
  at: world.runtime.clock.business(),
  status,
  error: null,
  durationMs: 1,
})

test('a failure written twice, because the answer to the commit was lost, is stored once', async () => {
  const merchant = world.merchant(null)
  await world.emitTo(merchant, randomUUID(), 2)
  const stream = await claimOf(merchant)
  const failed = settle(stream, [attemptAt(stream, 500)], { kind: 'failed' })
  expect(await keepStreams(connection.query, [failed])).toEqual([])
  const after = await world.streams(merchant)
  expect(await keepStreams(connection.query, [failed])).toEqual([failed])
  expect(await world.streams(merchant)).toEqual(after)
  expect(await listAttempts(world.db, merchant, 1)).toHaveLength(1)
})

test('a success written twice is stored once, and does not end later notifications', async () => {
  const merchant = world.merchant(null)
  const objectId = randomUUID()
  await world.emitTo(merchant, objectId)
  const stream = await claimOf(merchant)
  const delivered = settle(stream, [attemptAt(stream, 200)], { kind: 'delivered' })
  expect(await finishStreams(connection.query, [delivered])).toEqual([])
  await world.emitTo(merchant, objectId, 1, 1)
  const after = await world.streams(merchant)
  expect(await finishStreams(connection.query, [delivered])).toEqual([delivered])
  expect(await keepStreams(connection.query, [delivered])).toEqual([delivered])
  expect(await world.streams(merchant)).toEqual(after)
  expect(after).toMatchObject([{ next_sequence: 2, last_sequence: 2, attempts: 0 }])
})

test('rows written before one that another session has locked do not count as claimed by another worker', async () => {
  const [free, locked] = [world.merchant(null), world.merchant(null)]
  await world.emitTo(free, randomUUID())
  const delivered = await claimOf(free)
  await world.emitTo(locked, randomUUID())
  const refused = await claimOf(locked)
  const impatient = new PreparedConnection({ url: database.url, lockWaitMs: 50 })
  const acknowledger = new Acknowledger(
    { store, endAlertIfOver, isAdditional: false },
    world.runtime,
    impatient.query,
    () => {},
    async () => {},
  )
  await world.db.transaction().execute(async (tx) => {
    await sql`select 1 from event_streams where merchant_id = ${locked} for update`.execute(tx)
    acknowledger.submit(settle(delivered, [attemptAt(delivered, 200)], { kind: 'delivered' }))
    acknowledger.submit(settle(refused, [attemptAt(refused, 500)], { kind: 'failed' }))
    acknowledger.flush()
    await expect.poll(() => world.streams(free)).toEqual([])
    // Long enough for several refusals because the row is locked.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(acknowledger.pending).toBe(2)
  })
  await expect.poll(() => acknowledger.pending).toBe(0)
  expect(await world.streams(locked)).toMatchObject([{ attempts: 1, own_lane: true }])
  expect(world.logged).toEqual([])
  await impatient.close()
})

test('a claimed notification is claimed again when its lease has ended, and not before', async () => {
  const merchant = world.merchant(null)
  await world.emitTo(merchant, randomUUID())
  expect(await claimOf(merchant)).toBeDefined()
  world.now += MINUTE - 1
  expect(await claimOf(merchant)).toBeUndefined()
  world.now += 1
  expect(await claimOf(merchant)).toBeDefined()
})
