/** Memory that strangers can make an api process use: bodies, connections, keys. */
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createBodyBudget } from './body-budget.ts'
import { NOW, useEdge } from '../../../../test/world/edge.ts'

const MIB = 1_048_576
const PER_ADDRESS = 2 * MIB
const TOTAL = 3 * MIB
const edge = useEdge({ bodies: { total: TOTAL, perAddress: PER_ADDRESS }, trustedProxies: ['127.0.0.0/8'] })
const narrow = useEdge({ mostConnections: 3 })
const PATH = '/merchants/addresses'
/** Of a grammar that is right and of a merchant that does not exist: only the last check can refuse it. */
const headers = (timestamp = NOW / 1_000): string =>
  `merchant-id: 123e4567-e89b-12d3-a456-426614174000\r\nsignature: ${'ab'.repeat(32)}\r\ntimestamp: ${timestamp}\r\n`

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

/**
 * A connection that sent the head of a POST and some bytes of its body. @returns what has been answered so far, and
 * what comes next
 */
const begin = (
  port: number,
  head: string,
  length: number,
  sent: number,
): { socket: Socket; answer: Promise<string> } => {
  const socket = connect(port, '127.0.0.1')
  open.push(socket)
  socket.on('error', () => {})
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')))
    socket.once('close', () => resolve(''))
  })
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n${head}\r\n`)
  if (sent > 0) socket.write(Buffer.alloc(sent, 0x20))
  return { socket, answer }
}

const statusOf = async ({ answer }: { answer: Promise<string> }): Promise<number> =>
  Number(/^HTTP\/1\.1 (\d+)/.exec(await answer)?.[1] ?? 0)

describe('audit S-5: before a byte of the body is read', () => {
  test.each([
    ['no signature headers at all', '', -1],
    ['a signature that is none', headers().replace('ab', 'xy'), -1],
    ['a timestamp that is too old', headers(NOW / 1_000 - 3_600), -2],
    ['a timestamp of the future', headers(NOW / 1_000 + 3_600), -3],
  ])('%s is refused', async (_what, head, code) => {
    const text = await begin(edge.port, head, MIB, 0).answer
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(text).toContain(`"code":${code}`)
  })
})

describe('audit S-5: bodies in flight are bounded', () => {
  test('a budget is counted by address and by process, and given back once', () => {
    const budget = createBodyBudget({ total: 30, perAddress: 20 })
    const [a, b, c] = [budget.share(() => 'a'), budget.share(() => 'a'), budget.share(() => 'c')]
    a.take(15)
    expect(() => b.take(6)).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 1 }))
    b.take(5)
    expect(() => c.take(11)).toThrow(expect.objectContaining({ status: 503, code: 107 }))
    c.take(10)
    a.release()
    a.release()
    expect(budget.held()).toBe(15)
    for (const share of [b, c]) share.release()
    expect(budget.held()).toBe(0)
  })

  test('by address and by process, and a body that ends frees its bytes', async () => {
    const from = (address: string) => `${headers()}X-Forwarded-For: ${address}\r\n`
    const first = begin(edge.port, from('198.51.100.1'), MIB, MIB - 1)
    const second = begin(edge.port, from('198.51.100.1'), MIB, MIB - 1)
    // One that asks for more than is left of its address is refused once both of the others are held, whichever comes
    // first.
    const third = begin(edge.port, from('198.51.100.1'), MIB, MIB - 1)
    const refused = await Promise.race(
      [first, second, third].map(async (one) => ({ one, status: await statusOf(one) })),
    )
    expect(refused.status).toBe(429)
    const held = [first, second, third].filter((one) => one !== refused.one)
    // Other addresses may use the rest of the budget of the process: one of the four is refused, whose bytes come last.
    const others = [
      begin(edge.port, from('198.51.100.2'), MIB, MIB - 1),
      begin(edge.port, from('198.51.100.3'), MIB, MIB - 1),
    ]
    const over = await Promise.race([...held, ...others].map(async (one) => ({ one, status: await statusOf(one) })))
    expect(over.status).toBe(503)
    const left = [...held, ...others].filter((one) => one !== over.one)
    for (const one of left) one.socket.write(' ')
    expect(await Promise.all(left.map(statusOf))).toEqual([401, 401, 401])
    // An answered request gives its share back: as much fits again.
    const again = begin(edge.port, from('198.51.100.1'), MIB, MIB)
    expect(await statusOf(again)).toBe(401)
  })
})

test('audit S-5: a connection above the limit is closed, and one that ends frees its place', async () => {
  const three = [0, 1, 2].map(() => begin(narrow.port, headers(), 10, 1))
  await Promise.all(
    three.map(
      ({ socket }) =>
        new Promise<void>((resolve) => void (socket.pending ? socket.once('connect', () => resolve()) : resolve())),
    ),
  )
  expect(await begin(narrow.port, headers(), 10, 10).answer).toBe('')
  three[0]!.socket.write('         ')
  expect(await statusOf(three[0]!)).toBe(401)
  three[0]!.socket.destroy()
  await expect.poll(async () => statusOf(begin(narrow.port, headers(), 10, 10))).toBe(401)
})

test('audit S-19: a body of very many keys is refused before it is parsed', async () => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`k${i}`, 1])))
  expect(await edge.call('POST', PATH, body)).toMatchObject({
    status: 400,
    body: { description: 'the body has more than 500 keys' },
  })
})

describe('audit S-17: two Host headers are refused', () => {
  test.each(['/merchants/balances', '/docs', '/nowhere', '/merchants/invoices/crypto/form'])('of %s', async (path) => {
    const text = await edge.bytes(`GET ${path} HTTP/1.1\r\nHost: a\r\nhOST: x\r\nConnection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*the Host header stands twice/)
  })
})

test('audit C-17: HEAD answers as its GET does, without a body, signed as it was sent', async () => {
  for (const target of ['/merchants/balances?tickers=BTC', '/merchants/assets/crypto']) {
    const [head, get] = [await edge.call('HEAD', target), await edge.call('GET', target)]
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)))
  }
  expect(await edge.raw('HEAD', '/merchants/balances?tickers=BTC', [])).toMatchObject({ status: 401, text: '' })
  for (const path of ['/docs', '/openapi.json', '/health/live', '/health/ready'])
    expect(await edge.raw('HEAD', path, [])).toMatchObject({ status: 200, text: '' })
  expect(await edge.raw('HEAD', '/nowhere', [])).toMatchObject({ status: 404, text: '' })
})

test('audit C-17: an unknown method is 404, regardless of its content type', async () => {
  for (const method of ['DELETE', 'PUT', 'PATCH']) {
    for (const type of ['application/json', 'text/plain', ';;']) {
      expect
        .soft(await edge.raw(method, '/merchants/balances', ['content-type', type]))
        .toMatchObject({ status: 404, body: { code: 101 } })
      expect
        .soft(await edge.raw(method, '/docs', ['content-type', type], '{'))
        .toMatchObject({ status: 404, body: { code: 101 } })
    }
  }
})
