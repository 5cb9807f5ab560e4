import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PreparedConnection } from '../db/index.ts'
import { useDatabase } from '../../../test/setup/database.ts'
import { migrated } from '../../../test/setup/migrated.ts'
import { listAttempts } from './index.ts'
import { claimOpen, finishStreams, keepStreams } from './store.ts'
import { settle, type Attempt, type ClaimedStream } from './stream.ts'
import { createWorld, MINUTE, type World } from './test-world.ts'

const database = useDatabase({ template: migrated })
let world: World
let connection: PreparedConnection
beforeAll(() => {
  world = createWorld(database.url)
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
  sequence: stream.events[0]!.sequence, number: 1, at: world.runtime.clock.business(), status, error: null, durationMs: 1,
})

test('a failure written twice, after a commit nobody heard of, stands once', async () => {
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

test('a success written twice stands once, and does not end what came after it', async () => {
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
