import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { certify } from '../../../../test/world/certificate.ts'
import { createOutbound, targetOf, type Outbound, type OutboundSettings } from './index.ts'

const opened: { close(): unknown }[] = []
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  for (const thing of opened.splice(0)) await thing.close()
})

const listen = async (server: Server | HttpServer): Promise<number> => {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  opened.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
/** A receiver that treats each connection as a test says, once the request's headers have arrived. */
const raw = async (answer: (socket: Socket) => unknown): Promise<string> => {
  const port = await listen(createTcpServer((socket) => socket.once('data', () => answer(socket))))
  return `http://127.0.0.1:${port}/`
}
const outboundWith = (settings: Partial<OutboundSettings> = {}): Outbound => {
  const outbound = createOutbound({ allowPrivate: ['127.0.0.0/8'], allowHttp: true, timeoutMs: 60_000, ...settings })
  opened.push(outbound)
  return outbound
}
const request = { headers: { 'content-type': 'application/json' }, body: '{"a":1}' }
const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')
const SLOW_TO_CONNECT = `const server = require('node:http').createServer((_request, response) => response.end())
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
/** Sends as fast as it is read, until the connection is closed. Returns the number of bytes. */
const flood =
  (chunk: string | Buffer, sent: { bytes: number }) =>
  (socket: Socket): void => {
    const pump = (): void => {
      while (!socket.destroyed) {
        sent.bytes += chunk.length
        if (!socket.write(chunk)) return void socket.once('drain', pump)
      }
    }
    pump()
  }

describe('requests', () => {
  test('the body, the headers and the target, byte for byte', async () => {
    let seen: unknown
    const port = await listen(
      createServer(async (incoming, response) => {
        const chunks: Buffer[] = []
        for await (const chunk of incoming) chunks.push(chunk as Buffer)
        const { host, 'x-one': one, 'content-length': length } = incoming.headers
        seen = { method: incoming.method, url: incoming.url, host, one, length, body: Buffer.concat(chunks).toString() }
        response.end('thanks')
      }),
    )
    const url = `http://127.0.0.1:${port}/a%2Fb/ü?q=1&q=%20#fragment`
    const answer = await outboundWith().post(url, { headers: ['x-one', '1'], body: '{"é":1}' })
    expect(answer).toEqual({ kind: 'answer', status: 200, body: Buffer.from('thanks'), durationMs: expect.any(Number) })
    const target = targetOf(url, { allowHttp: true })
    expect(target).toEqual({
      origin: `http://127.0.0.1:${port}`,
      host: `127.0.0.1:${port}`,
      path: '/a%2Fb/%C3%BC?q=1&q=%20',
    })
    expect(seen).toEqual({
      method: 'POST',
      url: target.path,
      host: target.host,
      one: '1',
      length: '8',
      body: '{"é":1}',
    })
  })

  test('the port is in the host unless it is the default', () => {
    const host = (url: string) => targetOf(url, { allowHttp: true }).host
    expect(host('https://Shop.example:443/x')).toBe('shop.example')
    expect(host('http://shop.example:80')).toBe('shop.example')
    expect(host('https://shop.example:80/')).toBe('shop.example:80')
  })

  test.each([
    'ftp://shop.example/',
    'file:///etc/passwd',
    'shop.example',
    '',
    'http://',
    'https://user@shop.example/',
    'https://u:pass@shop.example/',
    'https://:pass@shop.example/',
    'javascript:alert(1)',
    'https://shop.example:99999/',
    'https://[::1/',
    'unix:/tmp/x',
  ])('nothing to %j', async (url) => {
    const answer = await outboundWith().post(url, request)
    expect(answer).toMatchObject({ kind: 'failed', reason: 'bad-url' })
    expect(JSON.stringify(answer)).not.toContain('pass@')
  })

  test('nothing over plain http unless it is allowed', async () => {
    let requests = 0
    const url = await raw(() => (requests += 1))
    expect(await outboundWith({ allowHttp: false }).post(url, request)).toMatchObject({
      kind: 'failed',
      reason: 'bad-url',
    })
    expect(requests).toBe(0)
  })
})

describe('an answer ends in time', () => {
  const timedOut = { kind: 'failed', reason: 'timeout' }
  const drip = (socket: Socket, text: string, start = ''): void => {
    socket.write(start)
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text)), 20)
  }
  test.each<[string, (socket: Socket) => void]>([
    ['nothing', () => {}],
    ['headers that drip', (socket) => drip(socket, 'x', 'HTTP/1.1 200 OK\r\nx: ')],
    ['a body that drips', (socket) => drip(socket, 'x', head('content-length: 100000'))],
    ['chunks that drip', (socket) => drip(socket, '1\r\nx\r\n', head('transfer-encoding: chunked'))],
    ['provisional answers for ever', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('%s', async (_what, answer) => {
    const url = await raw(answer)
    expect(await outboundWith({ timeoutMs: 400 }).post(url, request)).toMatchObject(timedOut)
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('a name server that does not answer', async () => {
    const lookup = () => new Promise<string[]>(() => {})
    expect(await outboundWith({ lookup, timeoutMs: 400 }).post('http://shop.example/', request)).toMatchObject(timedOut)
  })

  test('a request that waits for a connection is not sent after its time', async () => {
    let requests = 0
    let answerFirst = (): void => {}
    const port = await listen(
      createServer((_incoming, response) => {
        requests += 1
        if (requests > 1) response.end()
        else answerFirst = () => void response.end()
      }),
    )
    const outbound = outboundWith({ connectionsPerOrigin: 1 })
    const send = (timeoutMs: number) => outbound.post(`http://127.0.0.1:${port}/`, { ...request, timeoutMs })
    const first = send(60_000)
    await expect.poll(() => requests).toBe(1)
    expect(await send(100)).toMatchObject(timedOut)
    answerFirst()
    expect(await first).toMatchObject({ kind: 'answer', status: 200 })
    expect(await send(60_000)).toMatchObject({ kind: 'answer', status: 200 })
    expect(requests).toBe(2)
  })
})

describe('connections to one origin', () => {
  /** Answers each request after `delayMs`. Reports the most connections that it had at once. */
  const slow = async (delayMs: number) => {
    const seen = { most: 0 }
    const server = createServer((_incoming, response) => void setTimeout(() => response.end(), delayMs))
    const port = await listen(server)
    server.on('connection', () => (seen.most = Math.max(seen.most, sockets.size)))
    const url = `http://127.0.0.1:${port}/`
    const send = async (outbound: Outbound, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => outbound.post(url, request)))).map((answer) => answer.kind)
    return { seen, send }
  }

  test('requests share a few while answers come fast', async () => {
    const { seen, send } = await slow(0)
    expect(await send(outboundWith({ eagerConnections: 3, patienceMs: 60_000 }), 60)).toEqual(Array(60).fill('answer'))
    expect(seen.most).toBe(3)
  })

  test('requests that wait for long get connections of their own, up to the limit', async () => {
    const { seen, send } = await slow(900)
    const settings = { eagerConnections: 2, connectionsPerOrigin: 8 }
    expect(await send(outboundWith(settings), 10)).toEqual(Array(10).fill('answer'))
    expect(seen.most).toBe(8)
  })

  test('a connection that was given up is replaced for the requests that wait', async () => {
    let answered = 0
    const url = await raw((socket) => {
      answered += 1
      socket.end(head('content-length: 0', 'connection: close'))
    })
    const outbound = outboundWith({ eagerConnections: 1, patienceMs: 60_000 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => outbound.post(url, request)))
    expect(answers.map((answer) => answer.kind)).toEqual(Array(5).fill('answer'))
    expect(answered).toBe(5)
  })
})

describe('an answer costs a bounded amount', () => {
  test('10 GB, endless: reads 64 KiB, takes the status and closes', async () => {
    const sent = { bytes: 0 }
    const chunk = Buffer.alloc(65_536, 'x')
    const url = await raw((socket) => {
      socket.write(head('content-length: 10000000000'))
      flood(chunk, sent)(socket)
    })
    const before = process.memoryUsage().rss
    const answer = await outboundWith().post(url, request)
    expect(answer).toMatchObject({ kind: 'answer', status: 200, body: Buffer.from('x'.repeat(65_536)) })
    await expect.poll(() => sockets.size).toBe(0)
    // The size of the kernel's buffers, not 10 GB.
    expect(sent.bytes).toBeLessThan(20_000_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000)
  })

  test('a body of a million of compressed bytes is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const url = await raw((socket) =>
      socket.end(Buffer.concat([Buffer.from(head('content-encoding: gzip', `content-length: ${bomb.length}`)), bomb])),
    )
    const answer = await outboundWith().post(url, { ...request, maxAnswerBytes: 100 })
    expect(answer).toMatchObject({ kind: 'answer', status: 200 })
    expect(answer.kind === 'answer' && answer.body.length).toBeLessThanOrEqual(100)
  })

  test.each<[string, string]>([
    ['a million headers', 'x-header: value\r\n'],
    ['one header without end', 'x'.repeat(1_000)],
    [
      'provisional answers at full speed',
      'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\nHTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n',
    ],
  ])('%s', async (_what, part) => {
    const sent = { bytes: 0 }
    const url = await raw((socket) => {
      if (!part.startsWith('HTTP')) socket.write('HTTP/1.1 200 OK\r\n')
      flood(part.repeat(50), sent)(socket)
    })
    const before = process.memoryUsage().rss
    // Only provisional answers go on until the time is over.
    const answer = await outboundWith(part.startsWith('HTTP') ? { timeoutMs: 500 } : {}).post(url, request)
    expect(answer).toMatchObject({ kind: 'failed', reason: part.startsWith('HTTP') ? 'timeout' : 'too-large-headers' })
    await expect.poll(() => sockets.size).toBe(0)
    // Tens of megabytes may be garbage that was not collected yet: of parsed headers, and of other files' tests.
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  test('connections stay open to a bounded number of origins', async () => {
    const urls = await Promise.all(
      Array.from({ length: 6 }, () => raw((socket) => socket.write(head('content-length: 0')))),
    )
    const outbound = outboundWith({ maxOrigins: 3 })
    for (const url of urls) expect(await outbound.post(url, request)).toMatchObject({ status: 200 })
    await expect.poll(() => sockets.size).toBe(3)
  })
})

describe('failures and their reasons', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ['a reset', (socket) => socket.resetAndDestroy(), 'connection'],
    ['a close without an answer', (socket) => socket.end(), 'connection'],
    ['half an answer', (socket) => socket.end(head('content-length: 10') + 'half'), 'connection'],
    ['no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), 'connection'],
    [
      'another protocol',
      (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'connection',
    ],
  ])('%s', async (_what, answer, reason) => {
    expect(await outboundWith().post(await raw(answer), request)).toMatchObject({ kind: 'failed', reason })
  })

  test('a port without a listener', async () => {
    const url = await raw(() => {})
    await (opened.pop() as Server)[Symbol.asyncDispose]()
    expect(await outboundWith().post(url, request)).toMatchObject({ kind: 'failed', reason: 'connection' })
  })

  test('the name is not known', async () => {
    const lookup = () => Promise.reject(new Error('queryA ENOTFOUND'))
    const answer = await outboundWith({ lookup }).post('https://nowhere.example/', request)
    expect(answer).toMatchObject({ kind: 'failed', reason: 'dns' })
  })

  test('no failure if the first of several addresses connects slowly', async () => {
    // A stopped process takes no connections: once its queue is full, the kernel drops what comes until it goes on.
    const child = spawn(process.execPath, ['-e', SLOW_TO_CONNECT], { stdio: ['ignore', 'pipe', 'inherit'] })
    opened.push({ close: () => child.kill('SIGKILL') })
    const port = Number(((await once(child.stdout, 'data')) as [Buffer])[0])
    child.kill('SIGSTOP')
    const filling = [1, 2, 3].map(() => connect(port, '127.0.0.1').on('error', () => {}))
    for (const socket of filling) sockets.add(socket)
    await Promise.all(filling.slice(0, 2).map((socket) => once(socket, 'connect')))
    const outbound = outboundWith({
      lookup: async () => {
        setTimeout(() => child.kill('SIGCONT'), 600)
        return ['127.0.0.1', '127.0.0.2']
      },
    })
    const answer = await outbound.post(`http://shop.example:${port}/`, request)
    expect(answer).toMatchObject({ kind: 'answer', status: 200 })
    expect(answer.durationMs).toBeGreaterThan(500)
  })

  test('certificates: the name is checked although the address is given', async () => {
    const authority = certify('Test authority')
    const { cert, key } = certify('receiver', authority)
    const server = createTlsServer({ cert, key }, (incoming, response) => response.end(incoming.headers.host))
    server.on('tlsClientError', () => {})
    const port = await listen(server)
    const lookup = async () => ['127.0.0.1']
    const trusting = outboundWith({ lookup, ca: authority.cert })
    expect(await trusting.post(`https://localhost:${port}/`, request)).toMatchObject({
      status: 200,
      body: Buffer.from(`localhost:${port}`),
    })
    expect(await trusting.post(`https://shop.example:${port}/`, request)).toMatchObject({
      kind: 'failed',
      reason: 'tls',
    })
    expect(await outboundWith({ lookup }).post(`https://localhost:${port}/`, request)).toMatchObject({
      kind: 'failed',
      reason: 'tls',
    })
    const plain = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
    expect(await trusting.post(plain.replace('http:', 'https:'), request)).toMatchObject({
      kind: 'failed',
      reason: 'tls',
    })
  })

  test('headers that cannot be sent fail that request only', async () => {
    const url = await raw((socket) => socket.end(head('content-length: 0')))
    const outbound = outboundWith()
    expect(await outbound.post(url, { ...request, headers: { bad: 'a\r\nb: c' } })).toMatchObject({ kind: 'failed' })
    expect(await outbound.post(url, request)).toMatchObject({ status: 200 })
  })
})

describe('connections are used again', () => {
  test('one connection for requests in turn, and a new one when it turns out to be closed', async () => {
    let connections = 0
    let requests = 0
    const port = await listen(
      createTcpServer((socket) => {
        connections += 1
        socket.on('data', () => {
          requests += 1
          // The third request of a connection meets a reset, as when the other side closes while it is on its way.
          if (requests === 3) return void socket.resetAndDestroy()
          socket.write(head('content-length: 2') + 'ok')
        })
      }),
    )
    const outbound = outboundWith()
    for (let i = 0; i < 3; i += 1)
      expect(await outbound.post(`http://127.0.0.1:${port}/`, request)).toMatchObject({ status: 200 })
    expect({ connections, requests }).toEqual({ connections: 2, requests: 4 })
  })

  test('a receiver that always resets is asked once', async () => {
    let requests = 0
    const url = await raw((socket) => {
      requests += 1
      socket.resetAndDestroy()
    })
    expect(await outboundWith().post(url, request)).toMatchObject({ kind: 'failed', reason: 'connection' })
    expect(requests).toBe(1)
  })
})
