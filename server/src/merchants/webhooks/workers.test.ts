import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../platform/db/index.ts'
import { createJobLoop } from '../../platform/jobs/index.ts'
import type { Answer, Outbound } from '../../platform/outbound/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { listAttempts, replayEvents, replayOnce } from './index.ts'
import { createWorld, MINUTE, type Receiver, type World } from './test-world.ts'

const database = useDb()
let world: World
beforeAll(() => {
  world = createWorld(database)
})
afterAll(() => world.close())

const signal = new AbortController().signal
const LEASE = MINUTE
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/**
 * A worker whose answers reach it only when it is woken: paused, or dead if it never is. Its clocks stand still, as
 * they do for a process that is stopped: it doesn't see its own lease end.
 */
const startPaused = () => {
  const answered = Promise.withResolvers<void>()
  const awake = Promise.withResolvers<void>()
  const post = async (...args: Parameters<Outbound['post']>): Promise<Answer> => {
    const answer = await world.outbound.post(...args)
    answered.resolve()
    await awake.promise
    return answer
  }
  const [now, business] = [world.runtime.clock.now(), world.runtime.clock.business()]
  const runtime = { ...world.runtime, clock: { now: () => now, business: () => business } }
  const running = world.delivery({ outbound: { post, close: async () => {} }, runtime }).job.run(signal)
  return { answered: answered.promise, wake: awake.resolve, running }
}
const ids = (receiver: Receiver) => receiver.requests.map((request) => [request.headers['webhook-id'], request.rawBody])

describe('a worker that dies between the 2xx and its record', () => {
  test('C6 the same event comes again under the same id, when the lease has ended and not before', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    await world.emitTo(merchant, randomUUID(), 2)
    const { answered, wake, running } = startPaused()
    await answered
    await world.deliver()
    expect(receiver.requests).toHaveLength(1)
    world.now += LEASE
    await world.deliver()
    expect(receiver.accepted.map((request) => request.n)).toEqual([0, 0, 1])
    const sent = ids(receiver)
    expect(sent[0]).toEqual(sent[1])
    expect(receiver.requests.map((request) => request.headers['x-delivery-attempt'])).toEqual(['1', '1', '1'])
    wake()
    await running
  })
})

describe('a worker that is paused and wakes when its claim has passed to another', () => {
  test('C8 its success does not end a notification that the other worker saw refused', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const objectId = randomUUID()
    await world.emitTo(merchant, objectId)
    const { answered, wake, running } = startPaused()
    await answered
    receiver.respond = () => 500
    world.now += LEASE
    await world.deliver()
    const before = await world.streams(merchant)
    expect(before).toMatchObject([{ attempts: 1 }])
    wake()
    await running
    expect(await world.streams(merchant)).toEqual(before)
    expect(await listAttempts(world.db, merchant, 1)).toMatchObject([{ status: 500 }])
    expect(world.logged.at(-1)).toContain('passed to another worker')
    receiver.respond = () => 200
    world.now += 10 * MINUTE
    await world.deliver()
    expect(await world.streams(merchant)).toEqual([])
  })

  test('its failure does not reset a notification that the other worker has delivered', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const objectId = randomUUID()
    await world.emitTo(merchant, objectId)
    receiver.respond = () => 500
    const { answered, wake, running } = startPaused()
    await answered
    receiver.respond = () => 200
    world.now += LEASE
    await world.deliver()
    // The object lives on in a new stream row, claimed once as the old one was: the old claim must not touch it.
    await world.emitTo(merchant, objectId, 1, 1)
    const second = startPaused()
    await second.answered
    const before = await world.streams(merchant)
    world.logged.length = 0
    wake()
    await expect.poll(() => world.logged.at(-1)).toContain('passed to another worker')
    expect(await world.streams(merchant)).toEqual(before)
    second.wake()
    await Promise.all([running, second.running])
    expect(receiver.accepted.map((request) => request.n)).toEqual([0, 1])
    expect(await world.streams(merchant)).toEqual([])
  })

  test('it sends nothing when its lease has passed while it waited for the endpoint', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    await world.emitTo(merchant, randomUUID())
    let overtaken = false
    const endpointOf = async (merchantId: string) => {
      if (!overtaken) {
        overtaken = true
        world.now += LEASE
        await world.deliver()
      }
      return world.endpoints.get(merchantId) ?? null
    }
    await world.delivery({ endpointOf }).job.run(signal)
    expect([overtaken, receiver.requests.length]).toEqual([true, 1])
    expect(await world.streams(merchant)).toEqual([])
  })

  test('it sends nothing more once its lease is nearly over', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    await world.emitTo(merchant, randomUUID(), 3)
    let overtaken = false
    receiver.respond = async () => {
      if (!overtaken) {
        overtaken = true
        world.now += LEASE
        await world.deliver()
      }
      return 200
    }
    await world.delivery().job.run(signal)
    expect(receiver.requests.map((request) => request.n)).toEqual([0, 0, 1, 2])
  })

  test('a replay while it is away is not lost', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const objectId = randomUUID()
    await world.emitTo(merchant, objectId, 2)
    const { answered, wake, running } = startPaused()
    await answered
    const moment = { at: new Date(world.runtime.clock.business()), newId: world.runtime.newId }
    await inTransaction(world.db, (tx) => replayEvents(tx, merchant, { objectId }, moment))
    // No other worker begins while the first may still be sending: the object's events would overtake each other.
    await world.deliver()
    expect(receiver.requests).toHaveLength(1)
    wake()
    await running
    world.now += LEASE
    await world.deliver()
    expect(receiver.accepted.map((request) => request.n).slice(-2)).toEqual([0, 1])
    expect(await world.streams(merchant)).toEqual([])
  })
})

describe('several workers', () => {
  test('share the work: each event once, in order', async () => {
    const receiver = await world.receiver()
    const merchants = upTo(10).map(() => world.merchant(receiver))
    const objects = upTo(200).map((i) => ({ id: randomUUID(), merchant: merchants[i % 10]! }))
    for (const { id, merchant } of objects) await world.emitTo(merchant, id, 4)
    const workers = upTo(3).map(() => world.delivery())
    while ((await Promise.all(workers.map(({ job }) => job.run(signal)))).some(Boolean));
    expect(receiver.requests).toHaveLength(800)
    for (const { id } of objects) {
      expect(receiver.accepted.filter((request) => request.objectId === id).map((request) => request.n)).toEqual([
        0, 1, 2, 3,
      ])
    }
  })

  test('go on after their database connections break', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const objects = upTo(50).map(() => randomUUID())
    for (const id of objects) await world.emitTo(merchant, id, 3)
    let broken = 0
    receiver.respond = async () => {
      // In the middle of it, twice.
      if (receiver.requests.length === 20 || receiver.requests.length === 80) {
        const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'victim' and datname = current_database()`.execute(world.db)
        broken += rows.length
      }
      return 200
    }
    const { job } = world.delivery({ database: { url: world.url, applicationName: 'victim' } })
    for (let i = 0; i < 20; i += 1) {
      await job.run(signal).catch(() => {})
      world.now += LEASE
    }
    expect(broken).toBeGreaterThan(0)
    for (const id of objects) {
      const order = receiver.accepted.filter((request) => request.objectId === id).map((request) => request.n)
      // A delivery that was not recorded comes again; new notifications come in order.
      expect([...new Set(order)]).toEqual([0, 1, 2])
    }
    expect(await world.streams(merchant)).toEqual([])
  })
})

describe('receivers that hang', () => {
  test('W3 do not delay other receivers, in a worker with fewer slots than hanging receivers', async () => {
    const [fine, dead] = [await world.receiver(), await world.receiver()]
    dead.respond = () => 'answered'
    const deadMerchants = upTo(40).map(() => world.merchant(dead))
    for (const merchant of deadMerchants)
      for (const objectId of [randomUUID(), randomUUID(), randomUUID()]) await world.emitTo(merchant, objectId)
    const fineMerchants = upTo(10).map(() => world.merchant(fine))
    const from = world.now
    const realStart = Date.now()
    // Real time here: what is tested is that waiting takes no slots.
    const clock = {
      now: () => from + Date.now() - realStart,
      business: () => from + world.ahead + Date.now() - realStart,
    }
    const delivery = world.delivery({ slots: 8, untilSettled: false, runtime: { ...world.runtime, clock } })
    const loop = createJobLoop([delivery.job], world.runtime.log)
    await expect.poll(() => dead.requests.length).toBeGreaterThanOrEqual(40)
    for (const merchant of fineMerchants)
      for (const objectId of upTo(20).map(() => randomUUID())) await world.emitTo(merchant, objectId)
    await expect.poll(() => fine.accepted.length).toBe(200)
    // Two streams each at first, however many wait.
    expect(dead.requests.length).toBeLessThanOrEqual(80)
    dead.close()
    await loop.stop()
    await delivery.close()
  })
})

test('others are delivered to while an acknowledgement waits for a row that a transaction has locked', async () => {
  const [receiver, others] = [await world.receiver(), await world.receiver()]
  const [locked, other] = [world.merchant(receiver), world.merchant(others)]
  let release = (): void => {}
  let transaction: Promise<void> | undefined
  receiver.respond = async () => {
    await new Promise<void>((has) => {
      transaction = world.db.transaction().execute(async (tx) => {
        await sql`select 1 from event_streams where merchant_id = ${locked} for update`.execute(tx)
        has()
        await new Promise<void>((resolve) => (release = resolve))
      })
    })
    return 200
  }
  const delivery = world.delivery({ untilSettled: false })
  const loop = createJobLoop([delivery.job], world.runtime.log)
  await world.emitTo(locked, randomUUID())
  await expect.poll(() => receiver.accepted.length).toBe(1)
  for (let n = 0; n < 5; n += 1) {
    await world.emitTo(other, randomUUID())
    await expect.poll(() => others.accepted.length).toBe(n + 1)
  }
  expect(await world.streams(locked)).toHaveLength(1)
  release()
  await transaction
  await expect.poll(() => world.streams(locked)).toEqual([])
  await loop.stop()
  await delivery.close()
  expect(receiver.accepted).toHaveLength(1)
})

test('of two requests at once to send a notification again, the second finds that it waits', async () => {
  const merchant = world.merchant(await world.receiver())
  await world.emitTo(merchant, randomUUID())
  await world.deliver()
  const choice = { sequence: 1, lastEpoch: (await lastAttempt(merchant)).epoch }
  const moment = { at: new Date(world.runtime.clock.business()), newId: world.runtime.newId }
  let second: Promise<string> | undefined
  const first = await inTransaction(world.db, async (tx) => {
    const replayed = await replayOnce(tx, merchant, choice, moment)
    second = inTransaction(world.db, (other) => replayOnce(other, merchant, choice, moment))
    await expect.poll(() => isWaitingForLock(world.db)).toBe(true)
    return replayed
  })
  expect([first, await second]).toEqual(['scheduled', 'waiting'])
})

const lastAttempt = async (merchantId: string): Promise<{ epoch: number }> =>
  (
    await sql<{ epoch: number }>`select max(epoch) as epoch from event_attempts
      where merchant_id = ${merchantId}`.execute(world.db)
  ).rows[0]!
