import { signatureVectors } from '@bursar/contract/vectors'
import { describe, expect, test } from 'vitest'
import { routes } from './generated.ts'
import { prepareRequest } from './request.ts'
import type { Account, Input } from './request.ts'
import { signRequest } from './signature.ts'

const account: Account = { origin: new URL('https://pay.example'), merchantId: 'm', privateKey: 'private-key' }
const now = 1_677_486_443_999
const prepare = (id: keyof typeof routes, input: Input) => prepareRequest(routes[id], input, account, { now })

test('a number where a string belongs is refused, not sent', () => {
  const query = { spendTicker: 'UAH', targetTicker: 'USDT', amount: 100, side: 'target' } as unknown as NonNullable<
    Input['query']
  >
  expect(() => prepare('estimateExchange', { query })).toThrow('amount must be a string such as "12.5": got 100')
})

describe('the published and computed signatures', () => {
  const requests = signatureVectors.filter(({ form, signature }) => form === 'request' && signature.length === 64)

  test.each(requests)('$name', ({ method, target, body, timestamp, key, signature }) => {
    expect(signRequest({ method, target, body, timestamp }, key)).toBe(signature)
    expect(signRequest({ method, target, body: Buffer.from(body), timestamp }, key)).toBe(signature)
  })

  const id = '123e4567-e89b-12d3-a456-426614174000'
  test.each<[keyof typeof routes, Input]>([
    ['listCryptoAssets', {}],
    ['listFiatAssets', {}],
    ['listBalances', { query: { tickers: ['UAH', 'USDT', 'BTC'] } }],
    ['getCryptoWithdrawalFee', { query: { ticker: 'USDT', amount: '12.00', blockchain: 'TRON' } }],
    ['listExchangeDirections', {}],
    ['getCryptoInvoice', { id }],
    ['closeCryptoInvoice', { id }],
  ])('of %s come out of the client', (operation, input) => {
    const { url, method, headers } = prepare(operation, input)
    const vector = signatureVectors.find(
      (each) => each.method === method && each.target === url.pathname + url.search && each.signature.length === 64,
    )!
    expect(headers).toMatchObject({ 'merchant-id': 'm', timestamp: vector.timestamp, signature: vector.signature })
  })
})

test('the signature covers the target as the URL parser writes it', () => {
  const { url, headers } = prepare('findWithdrawals', { query: { localId: 'it\'s (a) "test"*~ü' } })
  const target = url.pathname + url.search
  expect(target).toBe('/merchants/withdrawals?localId=it%27s%20(a)%20%22test%22*~%C3%BC')
  const signed = { method: 'GET', target, body: '', timestamp: '1677486443' }
  expect(headers['signature']).toBe(signRequest(signed, 'private-key'))
})

const noIdentifiers = ['', '.', '..', 'a/b', 'a?b', 'a#b', 'a%2fb', 'a b', 'a\n']

test.each(noIdentifiers)('the identifier %j is refused before anything is sent', (id) => {
  expect(() => prepare('getFiatInvoice', { id })).toThrow(TypeError)
})

const noKeys = ['', 'a b', 'a\nb', 'ключ', 'x'.repeat(256)]

test.each(noKeys)('the idempotency key %j is refused before anything is sent', (key) => {
  const send = () => prepareRequest(routes.createAddress, { body: {} }, account, { now, idempotencyKey: key })
  expect(send).toThrow(TypeError)
})

test('a web form is not signed, and carries the merchant', () => {
  const { headers, body } = prepare('createFiatInvoiceByForm', { body: { name: 'A & B', value: undefined } })
  expect(headers).toEqual({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
  expect(body).toBe('merchantId=m&name=A+%26+B')
})
