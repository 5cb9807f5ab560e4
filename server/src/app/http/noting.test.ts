/** Which refused requests reach the log of a merchant, and with which facts. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { exampleOf, targetOf, useEdge } from '../../../../test/world/edge.ts'
import type { SignedRequest } from '../../merchants/request-counts/index.ts'
import type { RefusedRequest } from '../../merchants/refused-requests/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'

const refused: RefusedRequest[] = []
const signed: SignedRequest[] = []
const edge = useEdge({
  onRefused: (one) => void refused.push(one),
  onSigned: (one) => void signed.push(one),
  refusalsPerMinute: 8,
})
const withdrawal = operations.find(({ movesMoney, method }) => movesMoney && method === 'POST')!
beforeEach(() => {
  refused.length = 0
  signed.length = 0
  edge.answer = undefined
  edge.clock.ms += 60_000
})
const order = (more: Parameters<typeof edge.call>[3] = {}) =>
  edge.call('POST', targetOf(withdrawal, withdrawal.path), exampleOf(withdrawal), more)

test('every answer to a signed request is counted with its key, and no other', async () => {
  await order()
  edge.answer = () => {
    throw new ApiRefusal(400, 1, 'not enough money')
  }
  await order()
  const stranger = 'a'.repeat(32)
  expect((await order({ key: stranger })).status).toBe(401)
  expect((await edge.raw('GET', '/merchants/balances', [])).status).toBe(401)
  const own = { merchantId: edge.merchant.id, operation: withdrawal.id, ms: expect.any(Number) as number }
  const keyId = expect.stringMatching(/^[0-9a-f-]{36}$/) as string
  expect(signed).toEqual([
    { ...own, keyId, status: 200 },
    { ...own, keyId, status: 400 },
  ])
})

describe('a refused request', () => {
  test('is noted with the key that signed it and the reason of the answer; an accepted one is not', async () => {
    await order()
    expect(refused).toEqual([])
    edge.answer = () => {
      throw new ApiRefusal(409, 10, 'not enough money: 4242424242424242 is no place for a card')
    }
    const answer = await order()
    const { requestId } = JSON.parse(answer.text) as { requestId: string }
    expect(refused).toEqual([
      expect.objectContaining({
        merchantId: edge.merchant.id,
        keyId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: edge.clock.ms,
        requestId,
        method: 'POST',
        operation: withdrawal.id,
        status: 409,
        code: 10,
        from: '127.0.0.1',
      }),
    ])
    expect(refused[0]!.reason).toContain('not enough money')
    expect(refused[0]!.reason).not.toContain('4242424242424242')
  })

  test('has no query in its path', async () => {
    await edge.call('GET', '/merchants/balances?tickers=NOTHING&secret=1', undefined, { key: 'wrong' })
    await expect.poll(() => refused.length).toBe(1)
    expect(refused.map(({ path }) => path)).toEqual(['/merchants/balances'])
  })

  test('without a valid signature is noted for the merchant that it names, without a key', async () => {
    expect((await order({ key: 'wrong' })).status).toBe(401)
    await expect.poll(() => refused.length).toBe(1)
    expect(refused).toEqual([expect.objectContaining({ merchantId: edge.merchant.id, keyId: null, status: 401 })])
  })

  test('that names no merchant, or an unknown one, is not noted', async () => {
    await order({ id: randomUUID() })
    await order({ id: 'no-uuid' })
    await order({ key: 'wrong' })
    await expect.poll(() => refused.length).toBe(1)
    expect(refused[0]!.merchantId).toBe(edge.merchant.id)
  })

  test('above the limit of its network address is not noted', async () => {
    for (let i = 0; i < 12; i += 1) await order({ key: 'wrong' })
    await expect.poll(() => refused.length).toBe(8)
    edge.clock.ms += 60_000
    await order({ key: 'wrong' })
    await expect.poll(() => refused.length).toBe(9)
  })
})
