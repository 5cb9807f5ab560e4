import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { useEdge } from '../../../../test/world/edge.ts'
import { openOrders, ORDERS, type OrderWorld } from './test-orders.ts'

const edge = useEdge({
  routes: operations
    .filter(({ signed }) => signed)
    .map(({ id: operation }) => ({
      operation,
      handle: (request) =>
        world
          .routes()
          .find((route) => route.operation === operation)!
          .handle(request),
    })),
})
let world: OrderWorld
beforeAll(async () => {
  world = await openOrders(edge, { url: edge.pool.options.connectionString! })
})
afterAll(() => world.close())

const pathOf = (id: string): string => operations.find((one) => one.id === id)!.path

/** Places an order and answers what the signer would know its payment by. */
const intentOf = async (
  operation: string,
  body: Record<string, string>,
  more: { ago?: number; headers?: string[] } = {},
): Promise<string> => {
  const timestamp = Math.floor(edge.clock.ms / 1_000) - (more.ago ?? 0)
  const answer = await edge.call('POST', pathOf(operation), JSON.stringify(body), {
    timestamp,
    ...(more.headers && { headers: more.headers }),
  })
  expect(answer.status, answer.text).toBe(200)
  const { rows } = await sql<{
    intent: string
  }>`select intent_id as intent from withdrawals where id = ${(answer.body as { id: string }).id}`.execute(edge.db)
  return rows[0]!.intent
}

/** As after a restore of a copy that was made before any order. */
const forget = async (): Promise<void> => {
  await sql`delete from withdrawals`.execute(edge.db)
  await sql`delete from local_ids`.execute(edge.db)
  await sql`delete from request_answers`.execute(edge.db)
}

test.each(['createCryptoWithdrawal', 'createCryptoExchangeWithdrawal'] as const)(
  'audit M-A5: %s is the same payment for the signer when a restored copy is sent it again',
  async (operation) => {
    const named = { ...ORDERS[operation]!, localId: `order-${operation}` }
    const withKey = ['Idempotency-Key', `key-${operation}`]
    const first = [
      await intentOf(operation, named),
      await intentOf(operation, ORDERS[operation]!, { ago: 1, headers: withKey }),
      await intentOf(operation, ORDERS[operation]!, { ago: 2 }),
    ]
    expect(new Set(first).size).toBe(3)
    await forget()
    // The same name and the same key under other signatures; without either, the very same bytes.
    expect(await intentOf(operation, named, { ago: 7 })).toBe(first[0])
    expect(await intentOf(operation, ORDERS[operation]!, { ago: 8, headers: withKey })).toBe(first[1])
    expect(await intentOf(operation, ORDERS[operation]!, { ago: 2 })).toBe(first[2])
    expect(first).not.toContain(await intentOf(operation, ORDERS[operation]!, { ago: 9 }))
  },
)
