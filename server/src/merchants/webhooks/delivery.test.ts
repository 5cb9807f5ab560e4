import { randomUUID } from 'node:crypto'
import { verifyStandardWebhook, verifyWebhook } from '@bursar/sdk'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { emit, listAttempts } from './index.ts'
import { createWorld, MINUTE, secret, type Receiver, type World } from './test-world.ts'

const database = useDb()
let world: World
beforeAll(() => {
  world = createWorld(database)
})
afterAll(() => world.close())

const numbers = (receiver: Receiver, objectId: string): number[] =>
  receiver.accepted.filter((request) => request.objectId === objectId).map((request) => request.n)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

describe('one delivery', () => {
  test('sends the stored bytes with headers that the SDK and Standard Webhooks accept', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    await world.emitTo(merchant, randomUUID(), 2)
    await world.deliver()
    const stored = await sql<{
      body: string
      id: string
    }>`select body, id from events where merchant_id = ${merchant} order by sequence`.execute(world.db)
    expect(receiver.accepted.map((request) => request.rawBody)).toEqual(stored.rows.map((row) => row.body))
    for (const [i, { headers, rawBody, url }] of receiver.accepted.entries()) {
      expect(url).toBe('/hooks/bursar?shop=1')
      const received = { headers, rawBody, now: () => world.now }
      expect(verifyWebhook({ ...received, url: receiver.url, privateKeys: 'private-key' })).toEqual(JSON.parse(rawBody))
      expect(verifyStandardWebhook({ ...received, secrets: secret('one') })).toEqual(JSON.parse(rawBody))
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-id': stored.rows[i]!.id,
        'x-delivery-attempt': '1',
        'x-event-sequence': String(i + 1),
        timestamp: String(world.now / 1_000),
        'webhook-timestamp': String(world.now / 1_000),
      })
    }
    expect(await world.streams(merchant)).toEqual([])
  })

  test('the reference implementation of Standard Webhooks agrees', async () => {
    const receiver = await world.receiver()
    const before = world.now
    world.now = Date.now()
    await world.emitTo(world.merchant(receiver), randomUUID())
    await world.deliver()
    world.now = before
    const [request] = receiver.accepted
    expect(new Webhook(secret('one')).verify(request!.rawBody, request!.headers as Record<string, string>)).toEqual(
      JSON.parse(request!.rawBody),
    )
  })

  test('W6 is stamped with the real clock, never ahead of it, regardless of the business clock', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const [now, ahead] = [world.now, world.ahead]
    world.ahead += 40 * 24 * 60 * MINUTE
    await world.emitTo(merchant, randomUUID())
    world.now += 999
    await world.deliver()
    const stamp = Number(receiver.accepted[0]!.headers.timestamp)
    expect(stamp * 1_000).toBeLessThanOrEqual(world.now)
    expect(stamp * 1_000).toBeGreaterThan(world.now - 1_000)
    Object.assign(world, { now, ahead })
  })

  test('each attempt is recorded with its outcome', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    let n = 0
    receiver.respond = (_request, response) => {
      n += 1
      if (n === 1) {
        response.writeHead(503, { connection: 'close' }).end(`busy\u0000\n${'x'.repeat(1_000)}`)
        return 'answered'
      }
      return n === 2 ? 'reset' : 204
    }
    const start = world.runtime.clock.business()
    await world.emitTo(merchant, randomUUID())
    await world.deliver()
    world.now += 10 * MINUTE
    await world.deliver()
    world.now += 25 * MINUTE
    await world.deliver()
    const attempts = await listAttempts(world.db, merchant, 1)
    expect(attempts.map(({ attempt, status, error }) => ({ attempt, status, error }))).toEqual([
      { attempt: 3, status: 204, error: null },
      { attempt: 2, status: null, error: expect.stringMatching(/^connection: /) },
      { attempt: 1, status: 503, error: `busy ${'x'.repeat(194)}` },
    ])
    expect(attempts.at(-1)!.at.getTime()).toBe(start)
    expect(receiver.requests.map((request) => request.headers['x-delivery-attempt'])).toEqual(['1', '2', '3'])
    expect(new Set(receiver.requests.map((request) => request.headers['webhook-id'])).size).toBe(1)
  })
})

describe('order', () => {
  test('W2 stays the same for each object under random failures, with nothing lost and nothing twice', async () => {
    const receiver = await world.receiver()
    const merchants = upTo(5).map(() => world.merchant(receiver))
    const objects = upTo(40).map((i) => ({ id: randomUUID(), merchant: merchants[i % 5]!, count: 1 + ((i * 7) % 40) }))
    // A fixed sequence, so that a failure of this test comes again.
    let seed = 1
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    receiver.respond = () => {
      const dice = random()
      return dice < 0.15 ? 500 : dice < 0.25 ? 'reset' : dice < 0.3 ? 302 : 200
    }
    await Promise.all(objects.map(({ id, merchant, count }) => world.emitTo(merchant, id, count)))
    for (let i = 0; i < 60; i += 1) {
      await world.deliver()
      world.now += 60 * MINUTE
    }
    for (const { id, count } of objects) expect(numbers(receiver, id)).toEqual(upTo(count))
  })

  test('other objects of a merchant pass one that is refused', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const [refused, fine] = [randomUUID(), randomUUID()]
    receiver.respond = (request) => (request.objectId === refused ? 400 : 200)
    await world.emitTo(merchant, refused, 3)
    await world.emitTo(merchant, fine, 3)
    await world.deliver()
    expect(numbers(receiver, fine)).toEqual([0, 1, 2])
    expect(receiver.requests.filter((request) => request.objectId === refused)).toHaveLength(1)
  })

  test('an event stored while the one before it is delivered goes too', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const objectId = randomUUID()
    receiver.respond = async (request) => {
      if (request.n < 20) await world.emitTo(merchant, objectId, 1, request.n + 1)
      return 200
    }
    await world.emitTo(merchant, objectId)
    await world.deliver()
    expect(numbers(receiver, objectId)).toEqual(upTo(21))
    expect(await world.streams(merchant)).toEqual([])
  })

  test('an event whose transaction is still open when the one before it is acknowledged goes too', async () => {
    const receiver = await world.receiver()
    const merchant = world.merchant(receiver)
    const objectId = randomUUID()
    const moment = { at: new Date(world.runtime.clock.business()), newId: world.runtime.newId }
    let committed: Promise<void> | undefined
    receiver.respond = async (request) => {
      if (request.n > 0) return 200
      // Stored before the answer, committed well after it: the acknowledgement has to wait for it.
      await new Promise<void>((stored) => {
        committed = world.db.transaction().execute(async (tx) => {
          const body = { kind: 'Replenish', status: 'Done', objectId, n: 1 }
          await emit(tx, [{ merchantId: merchant, objectId, kind: 'Replenish', status: 'Done', body }], moment)
          stored()
          await new Promise((resolve) => setTimeout(resolve, 300))
        })
      })
      return 200
    }
    await world.emitTo(merchant, objectId)
    await world.deliver()
    await committed
    await world.deliver()
    expect(numbers(receiver, objectId)).toEqual([0, 1])
    expect(await world.streams(merchant)).toEqual([])
  })
})

describe('where and how it is sent is asked before each attempt', () => {
  test('a new URL and a new key serve from the next attempt on', async () => {
    const [old, moved] = [await world.receiver(), await world.receiver()]
    const merchant = world.merchant(old)
    old.respond = () => 500
    await world.emitTo(merchant, randomUUID())
    await world.deliver()
    world.endpoints.set(merchant, {
      url: moved.url,
      signingKey: 'another-key',
      webhookSecrets: [secret('two'), secret('one')],
    })
    world.now += 10 * MINUTE
    await world.deliver()
    expect(old.requests).toHaveLength(1)
    const { headers, rawBody } = moved.accepted[0]!
    expect(headers['x-delivery-attempt']).toBe('2')
    const received = { headers, rawBody, now: () => world.now }
    expect(verifyWebhook({ ...received, url: moved.url, privateKeys: 'another-key' })).toBeTruthy()
    for (const name of ['one', 'two'])
      expect(verifyStandardWebhook({ ...received, secrets: secret(name) })).toBeTruthy()
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2)
  })

  test('between two events of one claim', async () => {
    const [old, moved] = [await world.receiver(), await world.receiver()]
    const merchant = world.merchant(old)
    old.respond = () => {
      world.endpoints.set(merchant, { ...world.endpoints.get(merchant)!, url: moved.url })
      return 200
    }
    await world.emitTo(merchant, randomUUID(), 3)
    await world.deliver()
    expect([old.accepted.length, moved.accepted.length]).toEqual([1, 2])
  })

  test('without a URL nothing is sent, counted or lost', async () => {
    const merchant = world.merchant(null)
    const objects = upTo(5).map(() => randomUUID())
    for (const objectId of objects) await world.emitTo(merchant, objectId, 4)
    await world.deliver()
    world.now += 30 * 24 * 60 * MINUTE
    await world.deliver()
    expect(await world.streams(merchant)).toHaveLength(5)
    const receiver = await world.receiver()
    world.endpoints.set(merchant, { url: receiver.url, signingKey: 'k', webhookSecrets: [] })
    await world.deliver()
    for (const objectId of objects) expect(numbers(receiver, objectId)).toEqual(upTo(4))
    expect(receiver.accepted[0]!.headers).not.toHaveProperty('webhook-signature')
    expect(receiver.accepted.every((request) => request.headers['x-delivery-attempt'] === '1')).toBe(true)
  })

  test('a URL that can not be requested is a failed attempt with its reason', async () => {
    const merchant = world.merchant(null)
    world.endpoints.set(merchant, { url: 'https://user:pass@shop.example/', signingKey: 'k', webhookSecrets: [] })
    await world.emitTo(merchant, randomUUID())
    await world.deliver()
    const [attempt] = await listAttempts(world.db, merchant, 1)
    expect(attempt).toMatchObject({ status: null, error: expect.stringContaining('bad-url') })
    expect(attempt!.error).not.toContain('pass@')
    expect(await world.streams(merchant)).toMatchObject([{ attempts: 1 }])
  })

  test('when our own side fails to say where, others go on and it is tried again soon', async () => {
    const receiver = await world.receiver()
    const [broken, fine] = [world.merchant(receiver), world.merchant(receiver)]
    await world.emitTo(broken, randomUUID())
    await world.emitTo(fine, randomUUID())
    const delivery = world.delivery({
      endpointOf: async (id) => {
        if (id === broken) throw new Error('sealed with another key')
        return world.endpoints.get(id) ?? null
      },
    })
    await delivery.job.run(new AbortController().signal)
    expect(receiver.accepted).toHaveLength(1)
    expect(world.logged.some((line) => line.includes('sealed with another key'))).toBe(true)
    expect(await world.streams(broken)).toMatchObject([
      { attempts: 0, next_at: new Date(world.runtime.clock.business() + MINUTE) },
    ])
    world.now += MINUTE
    await world.deliver()
    expect(receiver.accepted).toHaveLength(2)
  })
})
