import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import { noEffects } from '../effects/index.ts'
import { placeDecided, type Decide, type NewOrder, type RequestIdentity } from './index.ts'

const database = useDatabase()
const { db } = useDb()

test('orders that arrived together do not wait in turn for a database that is silent: one does for all', async () => {
  const proxy = await openSilentProxy(database.url)
  proxy.setSilent(true)
  const pool = createPool({ url: proxy.url, answerMs: 100 })
  const requests = Array.from({ length: 10 }, () => ({ merchantId: newId(), answerKeys: [], localId: 'a' }))
  const placed = await placeDecided(createTestRuntime(createDb(pool)), requests, async () => [])
  const errors = placed.map((one) => ('error' in one ? one.error : one))
  expect(errors).toHaveLength(requests.length)
  expect(errors[0]).toMatchObject({ message: 'timeout expired' })
  expect(new Set(errors).size).toBe(1)
  await pool.end()
  proxy.close()
})

test('an order whose batch has failed is tried twice by itself, like one that came alone', async () => {
  const requests = ['a', 'b'].map((localId) => ({ merchantId: newId(), answerKeys: [], localId }))
  const tried: string[] = []
  const decide: Decide<RequestIdentity> = async (_tx, asked) => {
    const names = asked.map(({ localId }) => localId!)
    tried.push(names.join(' '))
    if (names.length > 1) throw new Error('too little for all')
    if (tried.filter((one) => one === 'b').length === 1) throw new Error('another transaction was faster')
    const order = { transfer: { cause: { id: names[0] } }, scale: 0 } as unknown as NewOrder
    return [{ order, outcome: { kind: 'applied' }, effects: noEffects }]
  }
  const placed = await placeDecided(createTestRuntime(db), requests, decide)
  expect(placed).toEqual(['a', 'b'].map((id) => ({ answer: { status: 200, body: { id } } })))
  expect(tried).toEqual(['a b', 'a', 'b', 'b'])
})
