import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createAttemptPruneJob, listAttempts, listExhausted, replayEvents, skipEvent, wakeMerchant } from './index.ts'
import { createWorld, DAY, HOUR, MINUTE, type Receiver, type World } from './test-world.ts'

const database = useDb()
let world: World
beforeAll(() => {
  world = createWorld(database)
})
afterAll(() => world.close())

const SCHEDULE = [0, 10, 25, 40, 55, 60, 60, 60, 60, 60, 60].map((minutes) => minutes * MINUTE)
const moment = () => ({ at: new Date(world.runtime.clock.business()), newId: world.runtime.newId })
const deliverAfter = async (ms: number) => {
  world.ahead += ms
  await world.deliver()
}
/** A merchant with objects whose deliveries have all run out. */
const exhausted = async (receiver: Receiver, counts: readonly number[]) => {
  const merchant = world.merchant(receiver)
  const objects = counts.map(() => randomUUID())
  receiver.respond = () => 500
  for (const [i, objectId] of objects.entries()) await world.emitTo(merchant, objectId, counts[i])
  for (const gap of SCHEDULE) await deliverAfter(gap)
  return { merchant, objects }
}
const seen = (receiver: Receiver, objectId: string): number[] =>
  receiver.accepted.filter((r) => r.objectId === objectId).map((r) => r.n)

describe('a receiver that refuses', () => {
  test('W1 is asked at exactly the times of the schedule, 11 times, then once a day for 7 days', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    receiver.respond = () => 500
    const start = world.runtime.clock.business()
    await world.emitTo(merchant, randomUUID(), 2)
    // Every minute of the schedule, and a moment before each: nothing is early.
    for (let at = 0; at <= 9 * HOUR; at += 5 * MINUTE) {
      world.ahead = start - world.now + at - 1
      await world.deliver()
      world.ahead += 1
      await world.deliver()
    }
    const times = () => receiver.requests.map((request) => request.at - start)
    const expected = SCHEDULE.map((_, i) => SCHEDULE.slice(0, i + 1).reduce((sum, gap) => sum + gap, 0))
    expect(times()).toEqual(expected)
    expect(receiver.requests.every((request) => request.n === 0)).toBe(true)
    expect(await world.streams(merchant)).toMatchObject([{ state: 'exhausted', attempts: 11 }])
    expect(await world.alerts(merchant)).toEqual([{ open: true }])
    for (let day = 1; day <= 9; day += 1) await deliverAfter(DAY)
    expect(times()).toHaveLength(11 + 7)
    expect(await world.streams(merchant)).toMatchObject([{ state: 'exhausted', attempts: 18, next_at: null }])
    expect((await listAttempts(world.db, merchant, 1)).map((a) => a.attempt)).toEqual(
      Array.from({ length: 18 }, (_, i) => 18 - i),
    )
  })

  test('is notified once an outage, in the transaction that gives up on it', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    receiver.respond = () => 500
    const notified: { objectId: string; sequence: number; error: string | null; open: number }[] = []
    let refuse = true
    const { job } = world.delivery({
      onExhausted: async (tx, { merchantId, objectId, sequence, error }) => {
        const { rows } = await sql`select 1 from alerts where subject = ${merchantId} and resolved_at is null`.execute(
          tx,
        )
        if (refuse) throw new Error('the teller fails')
        notified.push({ objectId, sequence, error, open: rows.length })
      },
    })
    const after = async (ms: number) => {
      world.ahead += ms
      await runUntilIdle([job])
    }
    const objects = [randomUUID(), randomUUID()]
    for (const objectId of objects) await world.emitTo(merchant, objectId)
    for (const gap of SCHEDULE) await after(gap)
    // Nothing of it is written when the teller fails: the attempt is repeated.
    expect(await world.alerts(merchant)).toEqual([])
    expect(await world.streams(merchant)).toMatchObject([{ state: 'active' }, { state: 'active' }])
    refuse = false
    world.now += 2 * MINUTE
    await after(0)
    expect(notified).toEqual([
      {
        objectId: expect.toSatisfy((id: string) => objects.some((one) => one === id)),
        sequence: expect.any(Number),
        error: expect.stringContaining('500'),
        open: 1,
      },
    ])
    receiver.respond = () => 200
    await after(DAY)
    expect(await world.alerts(merchant)).toEqual([{ open: false }])
    receiver.respond = () => 500
    await world.emitTo(merchant, randomUUID())
    for (const gap of SCHEDULE) await after(gap)
    expect(notified).toHaveLength(2)
  })

  test('W4 later events of the object wait, other objects flow, and the list shows it', async () => {
    const receiver = await world.receiver()
    const { merchant, objects } = await exhausted(receiver, [3])
    receiver.respond = (request) => (request.objectId === objects[0] ? 500 : 200)
    await world.emitTo(merchant, objects[0]!, 1, 3)
    await world.deliver()
    const list = await listExhausted(world.db, { merchantId: merchant })
    expect(list).toMatchObject([
      {
        merchantId: merchant,
        objectId: objects[0],
        sequence: 1,
        waiting: 4,
        attempts: 11,
        lastStatus: 500,
        lastError: 'refused with 500',
      },
    ])
    expect((await listExhausted(world.db)).some((entry) => entry.objectId === objects[0])).toBe(true)
    const fine = randomUUID()
    await world.emitTo(merchant, fine, 2)
    await world.deliver()
    expect(seen(receiver, fine)).toEqual([0, 1])
    expect(receiver.requests.filter((request) => request.n > 0 && request.objectId === objects[0])).toEqual([])
  })
})

describe('after the last retry', () => {
  test('audit C-23: the first 2xx to an ordinary delivery sends everything of that endpoint, in order, and ends the alert', async () => {
    const receiver = await world.receiver()
    const other = await exhausted(await world.receiver(), [1])
    const { merchant, objects } = await exhausted(receiver, [3, 1])
    receiver.respond = () => 200
    const fine = randomUUID()
    await world.emitTo(merchant, fine)
    await world.deliver()
    await world.deliver()
    expect([seen(receiver, fine), ...objects.map((id) => seen(receiver, id))]).toEqual([[0], [0, 1, 2], [0]])
    expect(await world.streams(merchant)).toEqual([])
    expect(await world.alerts(merchant)).toEqual([{ open: false }])
    expect(await world.streams(other.merchant)).toMatchObject([{ state: 'exhausted' }])
  })

  test('the first 2xx to a daily try sends everything of that endpoint, in order, and ends the alert', async () => {
    const receiver = await world.receiver()
    const other = await exhausted(await world.receiver(), [1])
    const { merchant, objects } = await exhausted(receiver, [3, 1, 5])
    receiver.respond = () => 200
    await deliverAfter(DAY - 8 * HOUR)
    expect(receiver.accepted).toEqual([])
    await deliverAfter(8 * HOUR)
    expect(objects.map((id) => seen(receiver, id))).toEqual([[0, 1, 2], [0], [0, 1, 2, 3, 4]])
    expect(await world.streams(merchant)).toEqual([])
    expect(await world.alerts(merchant)).toEqual([{ open: false }])
    expect(await world.streams(other.merchant)).toMatchObject([{ state: 'exhausted' }])
  })

  test('one that was given up for good goes with the first that succeeds', async () => {
    const receiver = await world.receiver()
    const { merchant, objects } = await exhausted(receiver, [2])
    for (let day = 1; day <= 8; day += 1) await deliverAfter(DAY)
    const late = randomUUID()
    await world.emitTo(merchant, late)
    for (const gap of SCHEDULE) await deliverAfter(gap)
    receiver.respond = () => 200
    await deliverAfter(DAY)
    expect([seen(receiver, late), seen(receiver, objects[0]!)]).toEqual([[0], [0, 1]])
  })

  test('a notification that is refused again gets the whole schedule again, and a new alert at its end', async () => {
    const receiver = await world.receiver()
    const { merchant, objects } = await exhausted(receiver, [1])
    objects.push(randomUUID())
    await deliverAfter(HOUR)
    await world.emitTo(merchant, objects[1]!)
    for (const gap of SCHEDULE) await deliverAfter(gap)
    receiver.respond = (request) => (request.objectId === objects[0] ? 200 : 500)
    await deliverAfter(DAY - 9 * HOUR)
    expect(await world.streams(merchant)).toMatchObject([{ state: 'active' }])
    for (const gap of [...SCHEDULE.slice(1), HOUR]) await deliverAfter(gap)
    expect(await world.streams(merchant)).toMatchObject([{ state: 'exhausted', object_id: objects[1] }])
    expect(await world.alerts(merchant)).toEqual([{ open: false }, { open: true }])
  })
})

describe('operations of the owner', () => {
  const run = <T>(work: Parameters<typeof inTransaction<T>>[1]): Promise<T> => inTransaction(world.db, work)

  test('skip the event that blocks an object', async () => {
    const receiver = await world.receiver()
    const {
      merchant,
      objects: [object],
    } = await exhausted(receiver, [3])
    receiver.respond = (request) => (request.n === 0 ? 500 : 200)
    expect(await run((tx) => skipEvent(tx, merchant, object!, moment()))).toBe(1)
    await world.deliver()
    expect(seen(receiver, object!)).toEqual([1, 2])
    expect(await world.alerts(merchant)).toEqual([{ open: false }])
    expect(await run((tx) => skipEvent(tx, merchant, object!, moment()))).toBeNull()
  })

  test('skip the last event', async () => {
    const {
      merchant,
      objects: [object],
    } = await exhausted(await world.receiver(), [1])
    expect(await run((tx) => skipEvent(tx, merchant, object!, moment()))).toBe(1)
    expect(await world.streams(merchant)).toEqual([])
    expect(await world.alerts(merchant)).toEqual([{ open: false }])
  })

  test('replay one event, a range, or all of an object: the same bytes under the same ids', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const [a, b] = [randomUUID(), randomUUID()]
    await world.emitTo(merchant, a, 3)
    await world.emitTo(merchant, b, 2)
    await world.deliver()
    const first = [...receiver.accepted]
    const replayed = async (choice: Parameters<typeof replayEvents>[2]) => {
      receiver.accepted.length = 0
      const objects = await run((tx) => replayEvents(tx, merchant, choice, moment()))
      await world.deliver()
      return {
        objects,
        sent: receiver.accepted.map((r) => Number(r.headers['x-event-sequence'])).toSorted((x, y) => x - y),
      }
    }
    expect(await replayed({ from: 2, to: 2 })).toEqual({ objects: 1, sent: [2] })
    expect(await replayed({ from: 3, to: 4 })).toEqual({ objects: 2, sent: [3, 4] })
    expect(await replayed({ objectId: a })).toEqual({ objects: 1, sent: [1, 2, 3] })
    for (const again of receiver.accepted) {
      const original = first.find((r) => r.headers['x-event-sequence'] === again.headers['x-event-sequence'])!
      expect([again.rawBody, again.headers['webhook-id']]).toEqual([original.rawBody, original.headers['webhook-id']])
    }
    expect(await replayed({ from: 90, to: 99 })).toEqual({ objects: 0, sent: [] })
    expect(await run((tx) => replayEvents(tx, randomUUID(), { objectId: a }, moment()))).toBe(0)
  })

  test('W4 replay an exhausted notification: now, in order, with the whole schedule before it', async () => {
    const receiver = await world.receiver()
    const {
      merchant,
      objects: [object],
    } = await exhausted(receiver, [3])
    receiver.respond = () => 200
    await run((tx) => replayEvents(tx, merchant, { from: 1, to: 1 }, moment()))
    await world.deliver()
    expect(seen(receiver, object!)).toEqual([0, 1, 2])
    expect(await world.alerts(merchant)).toEqual([{ open: false }])
  })

  test('wake a merchant: all that waits for a later time is due now', async () => {
    const receiver = await world.receiver()
    const { merchant, objects } = await exhausted(receiver, [1, 2])
    const waiting = randomUUID()
    await world.emitTo(merchant, waiting)
    await world.deliver()
    receiver.respond = () => 200
    expect(await run((tx) => wakeMerchant(tx, merchant, moment()))).toBe(3)
    await world.deliver()
    expect([...objects, waiting].map((id) => seen(receiver, id))).toEqual([[0], [0, 1], [0]])
    expect(await world.alerts(merchant)).toEqual([{ open: false }])
  })
})

test('attempts are pruned by age; events stay', async () => {
  const receiver = await world.receiver()
  const merchant = world.merchant(receiver)
  await world.emitTo(merchant, randomUUID(), 2)
  await world.deliver()
  await deliverAfter(10 * DAY)
  const later = randomUUID()
  await world.emitTo(merchant, later)
  await world.deliver()
  while (await createAttemptPruneJob(world.runtime, 5 * DAY).run(new AbortController().signal));
  expect([1, 2, 3].map((sequence) => listAttempts(world.db, merchant, sequence))).toHaveLength(3)
  const left = await Promise.all([1, 2, 3].map((sequence) => listAttempts(world.db, merchant, sequence)))
  expect(left.map((rows) => rows.length)).toEqual([0, 0, 1])
})
