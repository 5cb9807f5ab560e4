import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../../platform/db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { emit, type Notice } from './index.ts'

const { db } = useDb()

const moment = { at: new Date('2026-01-01T00:00:00Z'), newId: randomUUID }
const notice = (
  merchantId: string,
  objectId = randomUUID(),
  body: Record<string, unknown> = { kind: 'Replenish' },
): Notice => ({
  merchantId,
  objectId,
  kind: 'Replenish',
  status: 'Pending',
  body,
})
const emitAll = (notices: readonly Notice[]) => inTransaction(db, (tx) => emit(tx, notices, moment))
const eventsOf = async (merchantId: string) =>
  (
    await sql<{ sequence: number; object_id: string; body: string; id: string }>`
    select sequence, object_id, body, id from events where merchant_id = ${merchantId} order by sequence`.execute(db)
  ).rows
const streamsOf = async (merchantId: string) =>
  (
    await sql<{ object_id: string; next_sequence: number; last_sequence: number }>`
    select object_id, next_sequence, last_sequence from event_streams where merchant_id = ${merchantId} order by next_sequence`.execute(
      db,
    )
  ).rows

test('numbers notices of several merchants in the order given, without a gap', async () => {
  const [a, b, shared] = [randomUUID(), randomUUID(), randomUUID()]
  await emitAll([notice(a, shared), notice(b), notice(a), notice(a, shared)])
  await emitAll([notice(a, shared)])
  const events = await eventsOf(a)
  expect(events.map((e) => e.sequence)).toEqual([1, 2, 3, 4])
  expect(events.map((e) => e.object_id === shared)).toEqual([true, false, true, true])
  expect(new Set(events.map((e) => e.id)).size).toBe(4)
  expect((await eventsOf(b)).map((e) => e.sequence)).toEqual([1])
  expect(await streamsOf(a)).toEqual([
    { object_id: shared, next_sequence: 1, last_sequence: 4 },
    { object_id: events[1]!.object_id, next_sequence: 2, last_sequence: 2 },
  ])
})

test('stores the exact bytes that will be sent, for any content', async () => {
  const merchant = randomUUID()
  const body = { meta: 'nul \u0000, lone \ud800, quote " and newline\n', amount: '1.50', z: 1, a: [null, true] }
  await emitAll([notice(merchant, randomUUID(), body)])
  expect((await eventsOf(merchant))[0]!.body).toBe(JSON.stringify(body))
})

test('a transaction that rolls back leaves no gap and no stream', async () => {
  const merchant = randomUUID()
  await emitAll([notice(merchant)])
  const undone = inTransaction(db, async (tx) => {
    await emit(tx, [notice(merchant), notice(merchant)], moment)
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  await emitAll([notice(merchant)])
  expect((await eventsOf(merchant)).map((e) => e.sequence)).toEqual([1, 2])
  expect(await streamsOf(merchant)).toHaveLength(2)
})

test('many transactions over the same merchants and objects, in any order, never deadlock', async () => {
  const merchants = Array.from({ length: 5 }, () => randomUUID())
  const objects = Array.from({ length: 5 }, () => randomUUID())
  const shuffled = (i: number) => merchants.toSorted((x, y) => x.charCodeAt(i % 8) - y.charCodeAt(i % 8) || (i % 3) - 1)
  await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      // Not through `inTransaction`, which would run a deadlocked one again.
      db.transaction().execute((tx) =>
        emit(
          tx,
          shuffled(i).map((merchantId, n) => notice(merchantId, objects[(i * 7 + n) % 5]!)),
          moment,
        ),
      ),
    ),
  )
  for (const merchant of merchants) {
    expect((await eventsOf(merchant)).map((e) => e.sequence)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
  }
})
