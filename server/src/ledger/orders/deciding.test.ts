import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import { placeDecided } from './index.ts'

const database = useDatabase()

test('orders that arrived together do not wait in turn for a database that is silent: one does for all', async () => {
  const proxy = await openSilentProxy(database.url)
  proxy.setSilent(true)
  const pool = createPool({ url: proxy.url, answerMs: 100 })
  const requests = Array.from({ length: 10 }, () => ({ identity: { merchantId: newId(), keys: [], localId: 'a' } }))
  const placed = await placeDecided(createTestRuntime(createDb(pool)), requests, async () => [])
  const errors = placed.map((one) => ('error' in one ? one.error : one))
  expect(errors).toHaveLength(requests.length)
  expect(errors[0]).toMatchObject({ message: 'timeout expired' })
  expect(new Set(errors).size).toBe(1)
  await pool.end()
  proxy.close()
})
