import { randomUUID } from 'node:crypto'
import { CryptoWithdrawDone, eventPage, listEvents as operation } from '@bursar/contract'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { emit, webhookRoutes } from './index.ts'
import { createWorld, type World } from './test-world.ts'

const database = useDb()
let world: World
beforeAll(() => {
  world = createWorld(database)
})
afterAll(() => world.close())

const list = async (
  merchantId: string,
  query: Record<string, string>,
): Promise<{ json: string; value: { events: { sequence: number }[]; next: number } }> => {
  const answer = await webhookRoutes(world)[0]!.handle({
    merchantId,
    query,
    params: {},
    body: undefined,
    keyId: randomUUID(),
    requestId: 'r',
    answerKeys: [],
  })
  if (!('json' in answer)) throw new Error('the answer is text')
  expect(answer.status).toBe(200)
  return { json: answer.json, value: JSON.parse(answer.json) as never }
}

test('lists events behind a position, page by page, and says where to go on', async () => {
  const merchant = world.merchant(null)
  await world.emitTo(merchant, randomUUID(), 5)
  await world.emitTo(world.merchant(null), randomUUID(), 3)
  const first = await list(merchant, { after: '0', limit: '2' })
  expect([first.value.events.map((event) => event.sequence), first.value.next]).toEqual([[1, 2], 2])
  const rest = await list(merchant, { after: '2' })
  expect([rest.value.events.map((event) => event.sequence), rest.value.next]).toEqual([[3, 4, 5], 5])
  expect((await list(merchant, { after: '5' })).value).toEqual({ events: [], next: 5 })
  expect((await list(randomUUID(), { after: '0' })).value).toEqual({ events: [], next: 0 })
})

test("has the contract's shape, and holds each body in the bytes that are sent", async () => {
  const merchant = world.merchant(null)
  const [example] = (CryptoWithdrawDone as unknown as { examples: [Record<string, unknown>] }).examples
  const body = { ...example, id: randomUUID(), merchantId: merchant, meta: 'é \ud83d\ude00 "\\/ {"events":[]}' }
  const notice = { merchantId: merchant, objectId: body.id, kind: 'Withdraw', status: 'Done', body }
  await world.db
    .transaction()
    .execute((tx) => emit(tx, [notice], { at: new Date(1_700_000_000_123), newId: randomUUID }))
  const { json, value } = await list(merchant, { after: '0' })
  expect(json).toContain(`"body":${JSON.stringify(body)}}`)
  expect(value.events[0]).toMatchObject({
    sequence: 1,
    objectId: body.id,
    kind: 'Withdraw',
    status: 'Done',
    createdAt: 1_700_000_000_123,
    body,
  })
  expect(Value.Check(operation.response, value)).toBe(true)
})

test('a reader that has read up to N has missed nothing before N, while many processes write', async () => {
  const merchant = world.merchant(null)
  let writing = true
  const writers = Promise.all(Array.from({ length: 8 }, () => world.emitTo(merchant, randomUUID(), 25)))
  void writers.then(() => (writing = false))
  let after = 0
  while (writing) {
    const { value } = await list(merchant, { after: String(after), limit: String(eventPage.max) })
    expect(value.events.map((event) => event.sequence)).toEqual(value.events.map((_, i) => after + 1 + i))
    after = value.next
  }
  await writers
  expect((await list(merchant, { after: String(after), limit: String(eventPage.max) })).value.next).toBe(200)
  expect((await sql`select 1 from events where merchant_id = ${merchant}`.execute(world.db)).rows).toHaveLength(200)
})
