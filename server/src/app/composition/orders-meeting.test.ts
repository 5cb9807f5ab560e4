/**
 * Orders that meet another transaction, or whose COMMIT gets no answer: placed once, and answered as the contract says.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { startLosingProxy, type LosingProxy } from '../../../../test/setup/losing-proxy.ts'
import { useEdge, type Answer } from '../../../../test/world/edge.ts'
import { giveBalance } from '../../../../test/world/exchange.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { newWithdrawal } from '../../../../test/world/withdrawal.ts'
import { apply, type Item } from '../../ledger/postings/index.ts'
import { holdItem } from '../../pay-out/withdrawals/placing.ts'
import { createDb, createPool, inTransaction } from '../../platform/db/index.ts'
import { moneyOperations, openOrders, ORDERS, signedRoutes, type OrderWorld } from './test-orders.ts'

const edge = useEdge({ routes: signedRoutes(() => world) })
let world: OrderWorld
beforeAll(async () => {
  world = await openOrders(edge, { url: edge.pool.options.connectionString! })
})
afterAll(() => world.close())

describe('when another transaction has just taken', () => {
  beforeAll(() => giveBalance(edge.db, edge.merchant.id, 'BTC', 1_000n))

  /** A withdrawal that shares no account with the orders of this file. */
  const withdrawal = (localId: string | null) =>
    newWithdrawal(createTestRuntime(edge.db), {
      merchantId: edge.merchant.id,
      ticker: 'BTC',
      blockchain: 'BITCOIN',
      to: 'bcrt1qoutside',
      units: 1n,
      fee: 0n,
      localId,
    })

  const placeMeanwhile = async (item: Item, send: () => Promise<Answer>): Promise<Answer> => {
    const [stored, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = inTransaction(edge.db, async (tx) => {
      await apply(tx, [item])
      stored.resolve()
      await held.promise
    })
    await stored.promise
    const answer = send()
    while (!(await isWaitingForLock(edge.db))) await new Promise((resolve) => setTimeout(resolve, 5))
    held.resolve()
    await other
    return answer
  }

  test.each(moneyOperations.map(({ id }) => id))('the localId, %s is refused with code 0', async (operation) => {
    const localId = `overtaken ${operation}`
    const other = withdrawal(localId)
    const item = { ...holdItem(other, null), localId: { value: localId, operation: 'createCryptoWithdrawal' } }
    const { status, body } = await placeMeanwhile(item, () => world.place(operation, { ...ORDERS[operation], localId }))
    expect({ status, code: body.code }).toEqual({ status: 400, code: 0 })
    expect(body.description).toContain(other.id)
  })

  test.each(moneyOperations.map(({ id, path }) => [id, path]))(
    'the Idempotency-Key, %s is refused with code 103',
    async (operation, path) => {
      const key = `overtaken-${operation}`
      const keys = [{ key: `key:${key}`, fingerprint: 'of another request' }]
      const item = { ...holdItem(withdrawal(null), null), answers: { keys, of: () => ({ status: 200, body: '{}' }) } }
      const { status, body } = await placeMeanwhile(item, () =>
        edge.call('POST', path!, JSON.stringify({ ...ORDERS[operation!], meta: key }), {
          headers: ['Idempotency-Key', key],
        }),
      )
      expect({ status, code: body.code }).toEqual({ status: 409, code: 103 })
    },
  )
})

describe('an order whose COMMIT gets no answer', () => {
  let proxy: LosingProxy
  let usual: OrderWorld
  let close: () => Promise<void>
  beforeAll(async () => {
    proxy = await startLosingProxy(edge.pool.options.connectionString!)
    const lossy = createPool({ url: proxy.url })
    usual = world
    world = await openOrders({ ...edge, db: createDb(lossy) }, { url: proxy.url })
    close = async () => {
      await world.close()
      world = usual
      await lossy.end()
      await proxy.close()
    }
  })
  afterAll(() => close())

  test.each(moneyOperations.map(({ id }) => id))('%s is answered as placed, and is placed once', async (operation) => {
    const localId = `unanswered ${operation}`
    const lost = proxy.lost()
    proxy.loseNextCommit()
    const { status, body, text } = await world.place(operation, { ...ORDERS[operation], localId })
    expect([proxy.lost() - lost, status], text).toEqual([1, 200])
    expect(await world.find(encodeURIComponent(localId))).toMatchObject([{ id: (body as { id: string }).id }])
  })
})
