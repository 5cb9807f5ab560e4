import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { createAcquirerHttp, type HttpAnswer } from './http.ts'
import { AcquirerUnreachable } from './port.ts'

let server: Server | undefined
afterEach(() => {
  server?.close()
  server?.closeAllConnections()
})

const listen = async (respond: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  server = createServer(respond)
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = (origin: string, timeoutMs = 5_000): Promise<HttpAnswer> =>
  createAcquirerHttp({ account: 'shop', timeoutMs, maxBytes: 1_000 }).ask({
    method: 'POST',
    url: `${origin}/pay?key=topsecret`,
    headers: { authorization: 'topsecret' },
    body: 'card=4242424242424242',
  })

const failureOf = async (asked: Promise<HttpAnswer>): Promise<AcquirerUnreachable> => {
  const error = await asked.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(AcquirerUnreachable)
  const everything = inspect(error, { depth: 10, showHidden: true })
  expect(everything).not.toMatch(/topsecret|4242424242/)
  return error as AcquirerUnreachable
}

describe('requests to an acquirer', () => {
  test.each([200, 201, 400, 404, 422, 429])("an answer with HTTP %i is the adapter's to read", async (status) => {
    const origin = await listen((request, response) => {
      request.resume().on('end', () => response.writeHead(status, { 'X-Sign': 'abc' }).end('{"a":1}'))
    })
    const answer = await post(origin)
    expect({ ...answer, headers: answer.headers['x-sign'], body: answer.body.toString() }).toEqual({
      status,
      headers: 'abc',
      body: '{"a":1}',
    })
  })

  test.each([300, 301, 302, 307, 308, 500, 502, 503, 599])(
    'HTTP %i is no answer, and a redirect is not followed',
    async (status) => {
      let asked = 0
      const origin = await listen((request, response) => {
        asked += 1
        request.resume().on('end', () => response.writeHead(status, { location: '/pay?again' }).end())
      })
      expect(await failureOf(post(origin))).toMatchObject({ sent: true, message: `shop: it answered HTTP ${status}` })
      expect(asked).toBe(1)
    },
  )

  test('a port without a listener: nothing was sent', async () => {
    const origin = await listen(() => {})
    server!.close()
    server!.closeAllConnections()
    expect(await failureOf(post(origin))).toMatchObject({
      sent: false,
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('a name that does not exist: nothing was sent', async () => {
    expect(await failureOf(post('http://no-such-host.invalid'))).toMatchObject({ sent: false })
  })

  test('TLS that is not made: nothing was sent', async () => {
    const origin = await listen(() => {})
    expect(await failureOf(post(origin.replace('http:', 'https:')))).toMatchObject({ sent: false })
  })

  test('a connection cut before the answer, or within it: it may have been sent', async () => {
    const origin = await listen((request, response) => {
      if (request.url?.includes('key')) request.socket.destroy()
      else response.end()
    })
    expect(await failureOf(post(origin))).toMatchObject({ sent: true })
    server!.close()
    const half = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('12345')
      setTimeout(() => response.destroy(), 50)
    })
    expect(await failureOf(post(half))).toMatchObject({ sent: true })
  })

  test('no answer in time, and one that trickles: it may have been sent (row A-10)', async () => {
    const silent = await listen(() => {})
    expect(await failureOf(post(silent, 200))).toMatchObject({
      sent: true,
      message: 'shop: no whole answer within 200 ms',
    })
    server!.close()
    server!.closeAllConnections()
    const trickling = await listen((_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 30)
      response.on('close', () => clearInterval(timer))
    })
    expect(await failureOf(post(trickling, 300))).toMatchObject({ sent: true })
  })

  test('no connection in time: nothing was sent', async () => {
    // Takes the TCP connection and never answers the handshake of TLS: there is no connection to write to.
    const mute = createTcpServer(() => {})
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as AddressInfo
    expect(await failureOf(post(`https://127.0.0.1:${port}`, 300))).toMatchObject({ sent: false })
    mute.close()
  })

  test('an endless answer ends', async () => {
    const origin = await listen((_request, response) => void response.end('x'.repeat(1_001)))
    expect(await failureOf(post(origin))).toMatchObject({
      sent: true,
      message: 'shop: the answer is longer than 1000 bytes',
    })
  })

  test('every question has a connection of its own', async () => {
    const ports = new Set<number>()
    const origin = await listen((request, response) => {
      ports.add(request.socket.remotePort!)
      request.resume().on('end', () => response.end('{}'))
    })
    const http = createAcquirerHttp({ account: 'shop' })
    for (let i = 0; i < 3; i += 1) await http.ask({ method: 'GET', url: `${origin}/`, headers: {} })
    expect(ports.size).toBe(3)
  })
})
