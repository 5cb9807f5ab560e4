/** Numbers of cards that clients send where they should not, or send wrongly, are neither stored nor logged. */
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ApiRefusal } from '../../platform/api/route.ts'
import { useEdge } from '../../../../test/world/edge.ts'

const CARD = '4111111111111111'
const edge = useEdge({ unbuilt: ['getFiatWithdrawalFee'] })
const logged = (): string => edge.logged.join('')

describe('a card number is not logged', () => {
  const path = '/merchants/withdrawals/fiat'
  const body = { ticker: 'UAH', to: CARD, amount: '1000' }
  test.each<[string, string, string, string | undefined]>([
    ['in a good request', 'POST', path, JSON.stringify(body)],
    ['as a JSON number', 'POST', path, JSON.stringify({ ...body, to: Number(CARD) })],
    ['in groups', 'POST', path, JSON.stringify({ ...body, to: '4111 1111 1111 1111' })],
    ['as the name of a field', 'POST', path, JSON.stringify({ ...body, [CARD]: '1' })],
    ['as an amount', 'POST', path, JSON.stringify({ ...body, amount: Number(CARD) })],
    ['in a query', 'GET', `${path}/fee?ticker=UAH&amount=1000&to=${CARD}`, undefined],
    ['in the query of a POST', 'POST', `${path}?to=${CARD}`, JSON.stringify(body)],
    ['in a path', 'GET', `${path}/batch/${CARD}`, undefined],
    ['in broken JSON', 'POST', path, `{"to":"${CARD}"`],
  ])('%s', async (_where, method, target, sent) => {
    edge.logged.length = 0
    await edge.call(method, target, sent)
    await edge.call(method, target, sent, { key: 'another' })
    expect(logged()).not.toBe('')
    expect(logged()).not.toMatch(/4111.?1111.?1111.?1111/)
  })

  test('in a refusal of an operation', async () => {
    edge.answer = () => Promise.reject(new ApiRefusal(400, 3, `unknown card ${CARD}`))
    edge.logged.length = 0
    await edge.call('POST', path, JSON.stringify(body))
    edge.answer = undefined
    expect(logged()).toContain('unknown card 411111******1111')
  })
})

test('the fingerprint of a request can not be used to find a card by its mask', async () => {
  const [target, body] = ['/merchants/withdrawals/fiat', `{"ticker":"UAH","to":"${CARD}","amount":"1000"}`]
  expect((await edge.call('POST', target, body)).status).toBe(200)
  const { fingerprint } = edge.handled.at(-1)!.answerKeys[0]!
  expect(Buffer.from(fingerprint, 'base64url')).toHaveLength(32)
  for (const text of [`POST ${target}\n${body}`, body, CARD])
    expect(fingerprint).not.toBe(hash('sha256', text, 'base64url'))
})
