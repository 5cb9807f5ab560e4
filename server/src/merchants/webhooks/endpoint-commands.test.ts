/** What operators do with the notifications of an additional endpoint, beside those of the first. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { listExhausted, replayEvents, skipEvent, wakeEndpoint } from './index.ts'
import { useEndpoints } from './test-endpoints.ts'
import { HOUR, type Receiver, type World } from './test-world.ts'

const { world: opened, moment, within, add: addOne, deliver: deliverAll } = useEndpoints()
let world: World
beforeAll(() => {
  world = opened()
})
const exhaustedEndpoints: (string | null)[] = []
const deliver = (): Promise<void> =>
  deliverAll({ onExhausted: async (_tx, { endpointId }) => void exhaustedEndpoints.push(endpointId) })
const add = async (merchantId: string, receiver: Receiver, kinds: string[] | null = null): Promise<string> =>
  (await addOne(merchantId, receiver, kinds)).id
const alertsOf = async (id: string) =>
  (
    await sql<{ open: boolean; text: string }>`select resolved_at is null as open, text from alerts
      where subject = ${`endpoint/${id}`}`.execute(world.db)
  ).rows
/** An object whose notification an additional endpoint has refused for all of the schedule. */
const exhausted = async () => {
  const [first, dead] = [await world.receiver(), await world.receiver()]
  dead.respond = () => 500
  const merchant = world.merchant(first)
  const id = await add(merchant, dead)
  const objectId = randomUUID()
  await world.emitTo(merchant, objectId, 2)
  for (let i = 0; i < 20 && (await alertsOf(id)).length === 0; i += 1) {
    await deliver()
    world.ahead += 5 * HOUR
  }
  return { first, dead, merchant, id, objectId }
}

test('exhausted deliveries of an additional endpoint are listed with it, and its alert names the option', async () => {
  const { merchant, id, objectId } = await exhausted()
  expect(await alertsOf(id)).toMatchObject([{ open: true, text: expect.stringContaining(`--endpoint ${id}`) }])
  expect(exhaustedEndpoints).toContain(id)
  const entry = { endpointId: id, objectId, sequence: 1, waiting: 2, lastStatus: 500, lastError: 'refused with 500' }
  expect(await listExhausted(world.db, { merchantId: merchant })).toMatchObject([entry])
  expect((await listExhausted(world.db)).filter(({ endpointId }) => endpointId === id)).toMatchObject([entry])
})

test('skipping at an additional endpoint leaves what waits for the first one', async () => {
  const { first, dead, merchant, id, objectId } = await exhausted()
  first.respond = () => 500
  await world.emitTo(merchant, objectId, 1, 2)
  await deliver()
  const before = await world.streams(merchant)
  expect(await within((tx) => skipEvent(tx, randomUUID(), objectId, moment(), id))).toBeNull()
  expect(await within((tx) => skipEvent(tx, merchant, objectId, moment(), id))).toBe(1)
  expect(await world.streams(merchant)).toEqual(before)
  expect(await alertsOf(id)).toMatchObject([{ open: false }])
  dead.respond = () => 200
  await deliver()
  expect(dead.accepted.map(({ n }) => n)).toEqual([1, 2])
  expect(await within((tx) => skipEvent(tx, merchant, objectId, moment(), id))).toBeNull()
})

test('notifications are sent again to one endpoint only, of the kinds that it has chosen', async () => {
  const [first, all, other] = [await world.receiver(), await world.receiver(), await world.receiver()]
  const merchant = world.merchant(first)
  const ids = [await add(merchant, all), await add(merchant, other, ['Withdraw'])]
  const objects = [randomUUID(), randomUUID()]
  for (const objectId of objects) await world.emitTo(merchant, objectId, 2)
  await deliver()
  const replay = (choice: Parameters<typeof replayEvents>[2], id: string, of = merchant) =>
    within((tx) => replayEvents(tx, of, choice, moment(), id))
  expect(await replay({ from: 1, to: 4 }, ids[0]!)).toBe(2)
  expect(await replay({ from: 1, to: 4 }, ids[1]!)).toBe(0)
  expect(await replay({ objectId: objects[0]! }, ids[0]!)).toBe(1)
  expect(await replay({ objectId: objects[0]! }, ids[0]!, world.merchant(null))).toBe(0)
  await deliver()
  expect([first.accepted.length, all.accepted.length, other.accepted.length]).toEqual([4, 8, 0])
})

test('all that waits for an additional endpoint is made due, and its alert ends', async () => {
  const { dead, id } = await exhausted()
  dead.respond = () => 200
  expect(await within((tx) => wakeEndpoint(tx, id, moment()))).toBe(1)
  expect(await alertsOf(id)).toMatchObject([{ open: false }])
  await deliver()
  expect(dead.accepted.map(({ n }) => n)).toEqual([0, 1])
})
