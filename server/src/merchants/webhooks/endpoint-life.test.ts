/** Deliveries of additional endpoints over their life: off, exhausted, sent again, sealed again, removed. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createSecretBox, createSecretRing } from '../../platform/config/secrets.ts'
import { type Query } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { Claimer } from './claimer.ts'
import { createEndpointReader } from './endpoint-reader.ts'
import {
  addEndpoint,
  createAttemptPruneJob,
  endpointDeliveries,
  endpointHealth,
  listEndpointAttempts,
  listEndpoints,
  MOST_ADDITIONAL_ENDPOINTS,
  removeEndpoint,
  replayToEndpoint,
  resealEndpoints,
  rotateEndpointSecret,
  wakeEndpoint,
} from './index.ts'
import { createStreamStore } from './store.ts'
import { OF_ENDPOINTS } from './stream-tables.ts'
import { useEndpoints } from './test-endpoints.ts'
import { DAY, HOUR, type World } from './test-world.ts'

const { world: opened, moment, within, deps, add, deliver, streamsOf } = useEndpoints()
let world: World
beforeAll(() => {
  world = opened()
})
test('an endpoint with the id of a merchant leaves the alert of that merchant open when it is removed', async () => {
  const dead = await world.receiver()
  dead.respond = () => 500
  const merchant = world.merchant(dead)
  await world.emitTo(merchant, randomUUID())
  for (let i = 0; i < 20 && (await world.alerts(merchant)).length === 0; i += 1) {
    await world.deliver()
    world.ahead += 5 * HOUR
  }
  expect(await world.alerts(merchant)).toEqual([{ open: true }])
  const other = world.merchant(null)
  await add(other, dead, null, merchant)
  expect(await within((tx) => removeEndpoint(tx, other, merchant, moment()))).toBe(dead.url)
  expect(await world.alerts(merchant)).toEqual([{ open: true }])
})

test('endpoints that are off are read together by each look for due notifications', async () => {
  const ids: string[] = []
  const merchants = [world.merchant(null), world.merchant(null)]
  for (const merchant of merchants)
    for (let i = 0; i < 5; i += 1) ids.push((await add(merchant, { url: 'https://x.example/' })).id)
  await sql`update webhook_endpoints set is_on = false where id = any(${ids}::uuid[])`.execute(world.db)
  for (const merchant of merchants) await world.emitTo(merchant, randomUUID())
  await sql`update endpoint_streams set own_lane = true, next_at = '2000-01-01'
    where endpoint_id = any(${ids}::uuid[])`.execute(world.db)
  let statements = 0
  const counted = world.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const read = createEndpointReader(counted, world.box, world.runtime.clock)
  const query: Query = async (_name, text, values) => (await world.pool.query(text, values as unknown[])).rows
  const claimer = new Claimer(createStreamStore(OF_ENDPOINTS), query, world.runtime.clock, 60_000)
  const asked = new Set<string>()
  const claimed = await claimer.lanes(512, async (id) => {
    asked.add(id)
    return (await read(id)) === null ? 0 : 1
  })
  expect(ids.filter((id) => !asked.has(id))).toEqual([])
  expect(claimed.filter(({ receiverId }) => ids.includes(receiverId))).toEqual([])
  expect(statements).toBe(1)
})

test('a removed endpoint has no secrets any more, and its row is deleted after 90 days', async () => {
  const merchant = world.merchant(null)
  const { id } = await add(merchant, { url: 'https://x.example/' })
  const rotation = { id, rotationId: randomUUID(), overlapMs: HOUR }
  await within((tx) => rotateEndpointSecret(tx, merchant, rotation, deps(), moment()))
  const live = await add(merchant, { url: 'https://x.example/' })
  await within((tx) => removeEndpoint(tx, merchant, id, moment()))
  const stored = async () =>
    (await sql`select sealed, sealed_before, before_until from webhook_endpoints where id = ${id}`.execute(world.db))
      .rows
  const prune = () => createAttemptPruneJob(world.runtime).run(new AbortController().signal)
  expect(await stored()).toEqual([{ sealed: '', sealed_before: null, before_until: null }])
  world.ahead += 89 * DAY
  await prune()
  expect(await stored()).toHaveLength(1)
  world.ahead += 2 * DAY
  await prune()
  expect(await stored()).toEqual([])
  expect((await listEndpoints(world.db, merchant)).map((one) => one.id)).toEqual([live.id])
})

test('a removed endpoint gets nothing more; what waited for it is deleted, and its alert ends', async () => {
  const dead = await world.receiver()
  dead.respond = () => 500
  const merchant = world.merchant(null)
  const { id } = await add(merchant, dead)
  await world.emitTo(merchant, randomUUID())
  for (let i = 0; i < 20 && (await world.alerts(`endpoint/${id}`)).length === 0; i += 1) {
    await deliver()
    world.ahead += 3 * HOUR
  }
  expect(await world.alerts(`endpoint/${id}`)).toEqual([{ open: true }])
  await world.emitTo(merchant, randomUUID())
  expect(await within((tx) => removeEndpoint(tx, merchant, id, moment()))).toBe(dead.url)
  expect(await within((tx) => removeEndpoint(tx, merchant, id, moment()))).toBeUndefined()
  expect(await world.alerts(`endpoint/${id}`)).toEqual([{ open: false }])
  const sent = dead.requests.length
  world.ahead += 2 * DAY
  await world.emitTo(merchant, randomUUID())
  await deliver()
  expect(dead.requests).toHaveLength(sent)
  expect((await streamsOf(id)).length).toBe(2)
  await runUntilIdle([createAttemptPruneJob(world.runtime)])
  expect(await streamsOf(id)).toEqual([])
})

test('a worker that ends between an answer and its record: another one sends the same again, and nothing is lost', async () => {
  const more = await world.receiver()
  const merchant = world.merchant(null)
  const { id } = await add(merchant, more)
  await world.emitTo(merchant, randomUUID(), 2)
  let broken = true
  const dying = world.delivery({
    pause: async (name) => {
      if (broken && name === 'deliveries-not-recorded') throw new Error('the process ends here')
    },
  })
  await runUntilIdle([dying.additional])
  broken = false
  expect(more.accepted.map(({ n }) => n)).toEqual([0, 1])
  expect(await streamsOf(id)).toMatchObject([{ next_sequence: 1, last_sequence: 2 }])
  world.now += HOUR
  await deliver()
  expect(more.accepted.map(({ n }) => n)).toEqual([0, 1, 0, 1])
  expect(await streamsOf(id)).toEqual([])
})

test('all exhausted deliveries of an endpoint follow when it accepts another one; those of the first do not', async () => {
  const [first, more] = [await world.receiver(), await world.receiver()]
  for (const receiver of [first, more]) receiver.respond = () => 500
  const merchant = world.merchant(first)
  const { id } = await add(merchant, more)
  await world.emitTo(merchant, randomUUID())
  for (
    let i = 0;
    i < 20 && (await world.alerts(merchant)).length + (await world.alerts(`endpoint/${id}`)).length < 2;
    i += 1
  ) {
    await deliver()
    world.ahead += 3 * HOUR
  }
  more.respond = () => 200
  await world.emitTo(merchant, randomUUID())
  await deliver()
  expect(more.accepted).toHaveLength(2)
  expect(await world.alerts(`endpoint/${id}`)).toEqual([{ open: false }])
  expect(await world.alerts(merchant)).toEqual([{ open: true }])
})

test('a notification is sent again to one endpoint only, once for each state that was shown', async () => {
  const [first, more] = [await world.receiver(), await world.receiver()]
  const merchant = world.merchant(first)
  const object = randomUUID()
  await world.emitTo(merchant, object)
  const { id } = await add(merchant, more, ['Withdraw'])
  const state = async () => (await endpointDeliveries(world.db, [id], { objectId: object, sequence: 1 }))[0]!
  const replay = (lastEpoch: number) =>
    within((tx) => replayToEndpoint(tx, merchant, { endpointId: id, sequence: 1, lastEpoch }, moment()))
  expect(await state()).toMatchObject({ state: 'unsent', lastEpoch: 0 })
  expect([await replay(0), await replay(0)]).toEqual(['scheduled', 'waiting'])
  await deliver()
  expect([first.accepted.length, more.accepted.length]).toEqual([1, 1])
  expect(await replay(0)).toBe('changed')
  const { state: delivered, lastEpoch } = await state()
  expect(delivered).toBe('delivered')
  expect(await replay(lastEpoch)).toBe('scheduled')
  await deliver()
  expect([first.accepted.length, more.accepted.length]).toEqual([1, 2])
  expect(
    await within((tx) => replayToEndpoint(tx, merchant, { endpointId: id, sequence: 7, lastEpoch: 0 }, moment())),
  ).toBe('unknown')
  const attempts = await listEndpointAttempts(world.db, id, { before: null, limit: 1 })
  expect(await listEndpointAttempts(world.db, id, { before: attempts[0]!, limit: 5 })).toHaveLength(1)
})

test('waiting deliveries of an endpoint are made due together, and its health counts them', async () => {
  const more = await world.receiver()
  more.respond = () => 503
  const merchant = world.merchant(null)
  const { id } = await add(merchant, more)
  await world.emitTo(merchant, randomUUID())
  await deliver()
  expect(await endpointHealth(world.db, id)).toMatchObject({ waiting: 1, failing: 1, attempts: 1, refused: 1 })
  more.respond = () => 200
  expect(await within((tx) => wakeEndpoint(tx, id, moment(), 10))).toBe(1)
  expect(await within((tx) => wakeEndpoint(tx, id, moment(), 10))).toBe(0)
  await deliver()
  expect(await endpointHealth(world.db, id)).toMatchObject({ waiting: 0, failing: 0, attempts: 2, refused: 1 })
})

test('a merchant has ten endpoints at most', async () => {
  const more = await world.receiver()
  const merchant = world.merchant(null)
  const ids: string[] = []
  for (let i = 0; i < MOST_ADDITIONAL_ENDPOINTS; i += 1) ids.push((await add(merchant, more)).id)
  const given = { merchantId: merchant, url: more.url, description: '', kinds: null, createdBy: 'cli:test' }
  const addOne = () => within((tx) => addEndpoint(tx, { ...given, id: randomUUID() }, deps(), moment()))
  expect(await addOne()).toEqual({ problem: 'too-many' })
  expect((await listEndpoints(world.db, merchant)).map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  await within((tx) => removeEndpoint(tx, merchant, ids[0]!, moment()))
  expect((await addOne()).problem).toBeUndefined()
})

test('both secrets of an endpoint are sealed again with a new data key', async () => {
  const [old, anew] = [randomBytes(32), randomBytes(32)]
  const [before, after] = [createSecretRing([old]), createSecretRing([anew, old])]
  const [merchant, id] = [world.merchant(null), randomUUID()]
  const given = {
    merchantId: merchant,
    id,
    url: 'https://shop.example/',
    description: '',
    kinds: null,
    createdBy: 'cli:test',
  }
  await within((tx) => addEndpoint(tx, given, { ...deps(), box: before }, moment()))
  const rotation = { id, rotationId: randomUUID(), overlapMs: HOUR }
  await within((tx) => rotateEndpointSecret(tx, merchant, rotation, { ...deps(), box: before }, moment()))
  const reseal = () => within((tx) => resealEndpoints(tx, after, '00000000-0000-0000-0000-000000000000', 1_000))
  expect((await reseal()).resealed).toBe(1)
  expect((await reseal()).resealed).toBe(0)
  const endpoint = await createEndpointReader(world.db, createSecretBox(anew), world.runtime.clock)(id)
  expect(endpoint?.webhookSecrets).toHaveLength(2)
})
