import { expect, test } from 'vitest'
import type { Exchange } from '../fronts/http.ts'
import { createEarlier } from './earlier.ts'

const asked = (method: string, path: string, body = ''): Exchange => ({
  method,
  path,
  headers: {},
  body: Buffer.from(body),
})
const ofLiqPay = (action: string): Exchange => {
  const data = Buffer.from(JSON.stringify({ action, order_id: '1' })).toString('base64')
  return asked('POST', '/api/request', new URLSearchParams({ data, signature: 's' }).toString())
}
const ofWayForPay = (transactionType: string): Exchange => asked('POST', '/api', JSON.stringify({ transactionType }))

test.each([
  ['the bank', asked('GET', '/api/v1/payments/1'), asked('POST', '/api/v1/payments/1/refunds')],
  ['LiqPay', ofLiqPay('status'), ofLiqPay('refund')],
  ['WayForPay', ofWayForPay('CHECK_STATUS'), ofWayForPay('REFUND')],
])('questions of %s get the answers that were kept, and orders arrive', async (_, question, order) => {
  let count = 0
  const earlier = createEarlier(async () => ({ status: (count += 1), headers: {}, body: Buffer.alloc(0) }))
  const answerTo = async (exchange: Exchange): Promise<number> => (await earlier.forward(exchange)).status
  expect([await answerTo(question), await answerTo(order)]).toEqual([1, 2])
  earlier.keep()
  expect(await answerTo(question)).toBe(3)
  earlier.isEarlier = true
  expect([await answerTo(question), await answerTo(order)]).toEqual([1, 4])
  earlier.isEarlier = false
  expect(await answerTo(question)).toBe(5)
})

test('a question that was not asked before is answered now', async () => {
  const earlier = createEarlier(async () => ({ status: 200, headers: {}, body: Buffer.from('now') }))
  earlier.keep()
  earlier.isEarlier = true
  expect((await earlier.forward(asked('GET', '/api/v1/payments/2'))).body.toString()).toBe('now')
})
