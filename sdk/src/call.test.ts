import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { Bursar, BursarError, BursarNetworkError } from './index.ts'
import type { BursarOptions } from './index.ts'
import { merchantId, privateKey, startService } from './test-service.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const serve = async (...[answer]: Parameters<typeof startService>) => {
  const service = await startService(answer)
  stops.push(service.stop)
  return service
}

const clientOf = (url: string, options: Partial<BursarOptions> = {}) =>
  new Bursar({ url, merchantId, privateKey, ...options })

/** The error of a call, or undefined. */
const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

/** The error of a call to any server. */
const failureAt = (url: string) => failure(clientOf(url).assets.crypto())

const never = () => new Promise<never>(() => {})

describe('an answer that refuses', () => {
  test('is a BursarError with all it says', async () => {
    const body = { code: 3, description: 'No such blockchain', field: 'blockchain', requestId: 'r-1' }
    const { url } = await serve(() => ({ status: 400, body: JSON.stringify(body) }))
    const error = await failure(clientOf(url).addresses.create({ blockchain: 'MOON' }))
    expect(error).toBeInstanceOf(BursarError)
    expect(error).toMatchObject({ ...body, status: 400, retryAfterMs: undefined })
    expect(String(error)).toBe('BursarError: 400, code 3: No such blockchain (blockchain)')
  })

  test('says how long to wait, and names the request by header', async () => {
    const headers = { 'retry-after': '7', 'x-request-id': 'r-2' }
    const body = '{"code":105,"description":"Too many requests"}'
    const { url } = await serve(() => ({ status: 429, headers, body }))
    const error = await failureAt(url)
    expect(error).toMatchObject({ status: 429, code: 105, retryAfterMs: 7_000, requestId: 'r-2', field: undefined })
  })

  test('for a wrong key is code -1', async () => {
    const { url } = await serve(() => ({ body: '[]' }))
    const error = await failure(clientOf(url, { privateKey: 'other' }).assets.crypto())
    expect(error).toMatchObject({ status: 401, code: -1 })
  })

  test.each([
    [502, '<html>Bad gateway</html>', '<html>Bad gateway</html>'],
    [500, '', 'Internal Server Error'],
    [500, '{"code":"1","description":"x"}', '{"code":"1","description":"x"}'],
    [500, 'null', 'null'],
    [200, '', 'OK'],
    [200, 'not json', 'not json'],
    [502, 'x'.repeat(10_000), 'x'.repeat(200)],
  ])("%i with the body %j that is not the API's has no code", async (status, body, description) => {
    const { url } = await serve(() => ({ status, body }))
    expect(await failureAt(url)).toMatchObject({ name: 'BursarError', status, code: null, description })
  })

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const other = await serve(() => ({ body: '[]' }))
    const { url } = await serve(() => ({ status, headers: { location: `${other.url}/merchants/assets/crypto` } }))
    expect(await failureAt(url)).toMatchObject({ name: 'BursarError', status, code: null })
    expect(other.seen).toEqual([])
  })
})

describe('no answer', () => {
  test("in time is a timeout, by the client's or the call's limit", async () => {
    const { url } = await serve(never)
    for (const error of [
      await failure(clientOf(url, { timeoutMs: 50 }).assets.crypto()),
      await failure(clientOf(url).assets.crypto({ timeoutMs: 50 })),
    ]) {
      expect(error).toBeInstanceOf(BursarNetworkError)
      expect(error).toMatchObject({ reason: 'timeout' })
      expect(String(error)).toContain('GET /merchants/assets/crypto: no answer in time; whether it was carried out')
    }
  })

  test('because the caller aborted', async () => {
    const { url } = await serve(never)
    const controller = new AbortController()
    const call = clientOf(url).assets.crypto({ signal: controller.signal })
    controller.abort()
    expect(await failure(call)).toMatchObject({ name: 'BursarNetworkError', reason: 'aborted' })
  })

  test('because no server listens', async () => {
    const { url, stop } = await startService(() => ({}))
    await stop()
    expect(await failureAt(url)).toMatchObject({ name: 'BursarNetworkError', reason: 'network' })
  })

  test('because the connection broke in the middle of it', async () => {
    const server = createServer((socket: Socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[{"name":"Tet'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stops.push(() => new Promise((resolve) => server.close(resolve)))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await failureAt(url)).toMatchObject({ name: 'BursarNetworkError', reason: 'network' })
  })
})

describe('a request', () => {
  test('carries the idempotency key, the clock it is given, and no field that is undefined', async () => {
    const { url, seen } = await serve(() => ({ body: '{"id":"1"}' }))
    const client = clientOf(url, { now: () => 1_677_486_443_999 })
    await client.addresses.create({ blockchain: 'TRON', meta: undefined }, { idempotencyKey: 'order-1042' })
    expect(seen[0]).toMatchObject({ method: 'POST', target: '/merchants/addresses', body: '{"blockchain":"TRON"}' })
    expect(seen[0]!.headers).toMatchObject({ 'idempotency-key': 'order-1042', timestamp: '1677486443' })
  })

  test('names the additional key that signs it; the id of a key is a UUID', async () => {
    const { url, seen } = await serve(() => ({ body: '[]' }))
    const keyId = '3d5b4b2e-7a9c-4f1d-8e6a-0b1c2d3e4f50'
    await clientOf(url, { keyId }).assets.fiat()
    await clientOf(url).assets.fiat()
    expect(seen.map(({ headers }) => headers['key-id'])).toEqual([keyId, undefined])
    expect(() => clientOf(url, { keyId: 'main' })).toThrow('keyId must be the UUID of the key')
  })

  test('goes through the fetch it is given', async () => {
    const asked: string[] = []
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(input instanceof URL ? input.href : 'not a URL')
      return new Response('[]')
    }
    expect(await clientOf('https://pay.example', { fetch }).assets.fiat()).toEqual([])
    expect(asked).toEqual(['https://pay.example/merchants/assets/fiat'])
  })

  test('that finds no withdrawal answers undefined', async () => {
    const { url } = await serve(() => ({ body: '[]' }))
    expect(await clientOf(url).withdrawals.find('order-1042')).toBeUndefined()
  })
})

describe('the client', () => {
  const noOrigins = [
    'https://pay.example/api',
    'https://pay.example/?a=b',
    'ftp://pay.example',
    'https://user@pay.example',
    'pay.example',
  ]

  test.each(noOrigins)('refuses the url %s', (url) => {
    expect(() => clientOf(url)).toThrow(TypeError)
  })

  test('refuses an empty key or merchant', () => {
    expect(() => clientOf('https://pay.example', { privateKey: '' })).toThrow('privateKey is missing')
    expect(() => clientOf('https://pay.example', { merchantId: '' })).toThrow('merchantId')
  })

  test('does not show its key when it is printed', () => {
    expect(inspect(clientOf('https://pay.example'), { depth: 10, showHidden: true })).not.toContain(privateKey)
  })
})
