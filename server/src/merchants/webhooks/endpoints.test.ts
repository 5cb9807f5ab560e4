/** Additional endpoints, with real receivers: each gets what it has chosen, in order, signed with its own secret. */
import { createHmac, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { addEndpoint, changeEndpoint, emit, findEndpoint, removeEndpoint, rotateEndpointSecret } from './index.ts'
import { useEndpoints } from './test-endpoints.ts'
import { HOUR, type Receiver, type World } from './test-world.ts'

const { world: opened, moment, within, deps, add, deliver, streamsOf } = useEndpoints()
let world: World
beforeAll(() => {
  world = opened()
})
const signedWith = ({ headers, rawBody }: Receiver['requests'][number], secret: string): boolean => {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${rawBody}`
  const mac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(text)
    .digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${mac}`)
}

describe('an additional endpoint', () => {
  test('gets the same bytes with the same ids as the first, in order for each object, signed with its own secret', async () => {
    const [first, more] = [await world.receiver(), await world.receiver()]
    const merchant = world.merchant(first)
    const { secret } = await add(merchant, more)
    const objects = [randomUUID(), randomUUID()]
    for (const object of objects) await world.emitTo(merchant, object, 20)
    await deliver()
    const shown = ({ accepted }: Receiver, object: string) =>
      accepted
        .filter(({ objectId }) => objectId === object)
        .map(({ rawBody, headers }) => [rawBody, headers['webhook-id']])
    for (const object of objects) {
      expect(shown(more, object)).toEqual(shown(first, object))
      expect(more.accepted.filter(({ objectId }) => objectId === object).map(({ n }) => n)).toEqual(
        Array.from({ length: 20 }, (_, n) => n),
      )
    }
    const [one] = more.requests
    expect(signedWith(one!, secret)).toBe(true)
    expect(one!.headers['signature']).toBeUndefined()
    expect(first.requests[0]!.headers['signature']).toBeDefined()
    expect(signedWith(first.requests[0]!, secret)).toBe(false)
  })

  test('that is dead delays neither the first nor another one, and is tried by the schedule of all', async () => {
    const [first, dead, live] = [await world.receiver(), await world.receiver(), await world.receiver()]
    dead.respond = () => 500
    const merchant = world.merchant(first)
    const failing = await add(merchant, dead)
    await add(merchant, live)
    const object = randomUUID()
    await world.emitTo(merchant, object, 3)
    await deliver()
    expect([first.accepted.length, live.accepted.length, dead.requests.length]).toEqual([3, 3, 1])
    expect(await streamsOf(failing.id)).toMatchObject([{ next_sequence: 1, last_sequence: 3, attempts: 1 }])
    expect(await world.streams(merchant)).toEqual([])
    dead.respond = () => 200
    world.ahead += HOUR
    await deliver()
    expect(dead.accepted.map(({ n }) => n)).toEqual([0, 1, 2])
    expect([first.accepted.length, live.accepted.length]).toEqual([3, 3])
    expect(await streamsOf(failing.id)).toEqual([])
  })

  test('does not wait for a dead first one', async () => {
    const [first, more] = [await world.receiver(), await world.receiver()]
    first.respond = () => 'reset'
    const merchant = world.merchant(first)
    await add(merchant, more)
    await world.emitTo(merchant, randomUUID(), 3)
    await deliver()
    expect([first.accepted.length, more.accepted.length]).toEqual([0, 3])
  })

  test('that hangs does not delay another one of its merchant', async () => {
    const [hung, live] = [await world.receiver(), await world.receiver()]
    const released = Promise.withResolvers<void>()
    hung.respond = async () => {
      await released.promise
      return 200
    }
    const merchant = world.merchant(null)
    await add(merchant, hung)
    await add(merchant, live)
    for (let i = 0; i < 10; i += 1) await world.emitTo(merchant, randomUUID())
    const delivery = world.delivery({ untilSettled: false })
    const run = delivery.additional.run(new AbortController().signal)
    await expect.poll(() => live.accepted.length, { timeout: 30_000 }).toBe(10)
    expect(hung.requests).toHaveLength(1)
    released.resolve()
    await run
    await delivery.close()
  })

  test('gets only the kinds that it has chosen, and only what is made after it', async () => {
    const more = await world.receiver()
    const merchant = world.merchant(null)
    await world.emitTo(merchant, randomUUID())
    const none = await add(merchant, more, ['Withdraw'])
    const some = await add(merchant, more, ['Withdraw', 'Replenish'])
    await world.emitTo(merchant, randomUUID())
    expect(await streamsOf(none.id)).toEqual([])
    expect(await streamsOf(some.id)).toMatchObject([{ next_sequence: 2, last_sequence: 2 }])
    const notice = { merchantId: merchant, objectId: randomUUID(), kind: 'Withdraw', status: 'Done', body: { n: 9 } }
    await within((tx) => emit(tx, [notice], moment()))
    expect(await streamsOf(none.id)).toMatchObject([{ next_sequence: 3 }])
    await deliver()
    expect(more.accepted.map(({ n }) => n).toSorted()).toEqual([0, 9, 9])
  })

  test('that is off gets nothing, loses nothing, and gets everything in order when it is on', async () => {
    const more = await world.receiver()
    const merchant = world.merchant(null)
    const { id } = await add(merchant, more)
    const choices = { url: more.url, description: '', kinds: null }
    await within((tx) => changeEndpoint(tx, merchant, id, { ...choices, isOn: false }))
    await world.emitTo(merchant, randomUUID(), 3)
    await deliver()
    expect(more.requests).toEqual([])
    await within((tx) => changeEndpoint(tx, merchant, id, { ...choices, isOn: true }))
    await deliver()
    expect(more.accepted.map(({ n }) => n)).toEqual([0, 1, 2])
  })

  test('has signatures with both secrets while one replaces the other; a form rotates once', async () => {
    const more = await world.receiver()
    const merchant = world.merchant(null)
    const { id, secret } = await add(merchant, more)
    const rotation = { id, rotationId: randomUUID(), overlapMs: HOUR }
    const rotate = () => within((tx) => rotateEndpointSecret(tx, merchant, rotation, deps(), moment()))
    const anew = (await rotate())!
    expect(await rotate()).toBeUndefined()
    await world.emitTo(merchant, randomUUID())
    await deliver()
    world.ahead += HOUR
    await world.emitTo(merchant, randomUUID())
    await deliver()
    const [during, after] = more.requests
    expect([secret, anew].map((one) => [signedWith(during!, one), signedWith(after!, one)])).toEqual([
      [true, false],
      [true, true],
    ])
  })

  test('of another merchant is not found, changed, rotated or removed', async () => {
    const more = await world.receiver()
    const [merchant, other] = [world.merchant(null), world.merchant(null)]
    const { id } = await add(merchant, more)
    const before = await findEndpoint(world.db, merchant, id)
    expect(await findEndpoint(world.db, other, id)).toBeUndefined()
    await within((tx) =>
      changeEndpoint(tx, other, id, { url: 'https://evil.example/', description: '', kinds: null, isOn: false }),
    )
    const rotation = { id, rotationId: randomUUID(), overlapMs: 0 }
    expect(await within((tx) => rotateEndpointSecret(tx, other, rotation, deps(), moment()))).toBeUndefined()
    expect(await within((tx) => removeEndpoint(tx, other, id, moment()))).toBeUndefined()
    expect(await findEndpoint(world.db, merchant, id)).toEqual(before)
    // An id that another merchant's form has used makes nothing.
    const given = { merchantId: other, id, url: more.url, description: '', kinds: null, createdBy: 'cli:test' }
    expect(await within((tx) => addEndpoint(tx, given, deps(), moment()))).toEqual({ problem: 'known' })
  })
})
