import { describe, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { exampleOf, NOW, targetOf, useEdge } from '../../../../test/world/edge.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const edge = useEdge()
const SECONDS = String(NOW / 1_000)
const address = '{"blockchain":"BITCOIN", "meta":"your-info"}'

describe('requests of known clients (contract.md 1.1) are served', () => {
  test.each([
    ['GET', '/merchants/assets/crypto', ['content-type', 'application/json']],
    ['GET', '/merchants/assets/crypto/', []],
    ['GET', '/merchants/exchange/available-directions', []],
    ['GET', '/merchants/exchange/available-directions/', []],
    ['GET', '/merchants/exchange/estimate?targetTicker=BTC&spendTicker=UAH&amount=1&side=target', []],
    ['GET', '/merchants/exchange/estimate/?targetTicker=BTC&spendTicker=UAH&amount=1&side=target', []],
    ['GET', '/merchants/balances?tickers=UAH%2CUSDT%2CBTC', []],
    ['GET', '/merchants/balances?tickers=UAH,USDT,BTC', []],
    ['GET', '/merchants/withdrawals/fiat/assets', []],
    ['GET', '/merchants/withdrawals/fiat/fee?amount=100.000000&ticker=UAH', []],
    ['GET', '/merchants/withdrawals/crypto/fee?address=undefined&blockchain=TRON&ticker=USDT&amount=12.00', []],
    ['GET', '/merchants/exchange/estimate?targetTicker=BTC&spendTicker=UAH&amount=1&side=target&price=undefined', []],
    ['GET', '/merchants/assets/fiat', ['Content-Length', '0']],
  ] as const)('%s %s', async (method, target, headers) => {
    const answer = await edge.call(method, target, undefined, { headers: [...headers] })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(JSON.parse(answer.text)).toEqual({ operation: edge.handled.length > 0 ? expect.any(String) : '' })
  })

  test('the comma of a list may be encoded; `undefined`, empty and unknown parameters count as absent', async () => {
    await edge.call('GET', '/merchants/balances?tickers=UAH%2CUSDT%2cBTC')
    expect(edge.handled.at(-1)!.query).toEqual({ tickers: 'UAH,USDT,BTC' })
    await edge.call(
      'GET',
      '/merchants/withdrawals/crypto/fee?address=undefined&blockchain=TRON&ticker=USDT&amount=12.00&other=1&more',
    )
    expect(edge.handled.at(-1)!.query).toEqual({ blockchain: 'TRON', ticker: 'USDT', amount: '12.00' })
    await edge.call('GET', '/merchants/withdrawals/crypto/fee?address=&blockchain=TRON&ticker=USDT&amount=12.00')
    expect(edge.handled.at(-1)!.query).not.toHaveProperty('address')
  })

  test.each([
    [[]],
    [['Content-type', 'application/json']],
    [['CONTENT-TYPE', 'application/json;charset=UTF-8']],
    [['content-type', 'text/plain']],
    [['content-type', 'application/x-www-form-urlencoded']],
    [['content-type', ';;not a type']],
  ] as const)('a body with the headers %j', async (headers) => {
    expect((await edge.call('POST', '/merchants/addresses', address, { headers: [...headers] })).status).toBe(200)
    expect(edge.handled.at(-1)!.body).toEqual({ blockchain: 'BITCOIN', meta: 'your-info' })
  })

  test('a POST with the JSON type and an empty body, with and without a length', async () => {
    const target = '/merchants/invoices/crypto/123e4567-e89b-12d3-a456-426614174000/close'
    expect((await edge.call('POST', target, '', { headers: ['content-type', 'application/json'] })).status).toBe(200)
    const { id, privateKey } = edge.merchant
    const headers = `merchant-id: ${id}\r\nsignature: ${sign(privateKey, 'POST', target, '', SECONDS)}\r\ntimestamp: ${SECONDS}\r\n`
    const bare = await edge.bytes(
      `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n${headers}\r\n`,
    )
    expect(bare).toMatch(/^HTTP\/1\.1 200 /)
    expect(edge.handled.at(-1)!.params).toEqual({ id: '123e4567-e89b-12d3-a456-426614174000' })
  })

  test('a timestamp five seconds behind, as one client sends it', async () => {
    expect((await edge.call('POST', '/merchants/addresses', address, { timestamp: NOW / 1_000 - 5 })).status).toBe(200)
  })

  test('a body in several pieces, by length or in chunks', async () => {
    const { id, privateKey } = edge.merchant
    const headers = `Host: a\r\nConnection: close\r\nmerchant-id: ${id}\r\nsignature: ${sign(privateKey, 'POST', '/merchants/addresses', address, SECONDS)}\r\ntimestamp: ${SECONDS}\r\n`
    const [front, back] = [address.slice(0, 10), address.slice(10)]
    const byLength = await edge.bytes(
      `POST /merchants/addresses HTTP/1.1\r\n${headers}Content-Length: ${address.length}\r\n\r\n${front}`,
      back,
    )
    expect(byLength).toMatch(/^HTTP\/1\.1 200 /)
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
    const inChunks = await edge.bytes(
      `POST /merchants/addresses HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`,
      chunk(front),
      chunk(back),
      '0\r\n\r\n',
    )
    expect(inChunks).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('every operation', () => {
  const paths = operations
    .filter(({ signed }) => signed)
    .flatMap((operation) =>
      [operation.path, ...operation.aliases.map(({ path }) => path)].flatMap((path) => [
        { operation, path },
        ...(path.endsWith('/') ? [] : [{ operation, path: `${path}/` }]),
      ]),
    )

  test.each(paths.map((one) => [one.operation.method, one.path, one] as const))(
    '%s %s',
    async (method, _path, { operation, path }) => {
      const answer = await edge.call(method, targetOf(operation, path), exampleOf(operation))
      expect(answer).toMatchObject({ status: 200, body: { operation: operation.id } })
    },
  )
})

describe('the fee path without /merchants', () => {
  const query = '?ticker=USDT&amount=12&blockchain=ETHEREUM'
  const ask = (sentTo: string, signedOver: string) => {
    const { id, privateKey } = edge.merchant
    return edge.raw('GET', sentTo, [
      'merchant-id',
      id,
      'signature',
      sign(privateKey, 'GET', signedOver, '', SECONDS),
      'timestamp',
      SECONDS,
    ])
  }

  test.each(['', '/'])(
    'is right signed as sent or over the /merchants form (ending %j), and no other way',
    async (end) => {
      const [short, long] = [`/withdrawals/crypto/fee${end}${query}`, `/merchants/withdrawals/crypto/fee${end}${query}`]
      expect((await ask(short, short)).status).toBe(200)
      expect((await ask(short, long)).status).toBe(200)
      expect((await ask(long, long)).status).toBe(200)
      expect((await ask(long, short)).status).toBe(401)
      expect((await ask(short, long.replace('12', '13'))).status).toBe(401)
      expect((await ask(short, `/merchants/withdrawals/crypto/fee${end}`)).status).toBe(401)
    },
  )
})

describe('answers', () => {
  test('carry an id of the request, its limits, and headers that keep browsers off', async () => {
    const first = await edge.call('GET', '/merchants/assets/crypto')
    const second = await edge.call('GET', '/merchants/assets/crypto')
    expect(first.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'ratelimit-policy': '"merchant";q=1000000;w=60',
      ratelimit: expect.stringMatching(/^"merchant";r=\d+$/),
    })
    expect(first.headers['x-request-id']).toMatch(/^[\w-]{8,}$/)
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect(first.headers['x-powered-by'] ?? first.headers['server']).toBeUndefined()
  })

  test('keep the connection', async () => {
    const { id, privateKey } = edge.merchant
    const target = '/merchants/assets/crypto'
    const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nmerchant-id: ${id}\r\nsignature: ${sign(privateKey, 'GET', target, '', SECONDS)}\r\ntimestamp: ${SECONDS}\r\n\r\n`
    const answers = (text: string): number => text.match(/HTTP\/1\.1 200/g)?.length ?? 0
    const text = await edge.bytesUntil((said) => answers(said) === 3, request + request + request)
    expect(answers(text)).toBe(3)
    expect(text).not.toMatch(/connection: close/i)
  })
})
