import { createHmac } from 'node:crypto'
import { request as send, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { useEdge } from '../../../../test/world/edge.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { ApiRefusal, type StreamedAnswer } from '../../platform/api/route.ts'
import { FILE_LIMITS } from './streams.ts'

let pieces: () => AsyncIterable<string>
const routes = [
  {
    operation: 'listDeposits',
    handle: async () => ({ status: 200, body: { items: [] } }),
    stream: ({ query }: { query: Readonly<Record<string, string>> }): StreamedAnswer | undefined =>
      query['format'] === 'csv' ? fileOf() : undefined,
  },
]
const fileOf = (): StreamedAnswer => ({
  contentType: 'text/csv; charset=utf-8',
  fileName: 'deposits.csv',
  pieces: pieces(),
})
/** A file of the merchant for one of its members. */
const memberFile = {
  method: 'GET',
  path: '/member-file',
  mostBytes: 0,
  handle: async (): Promise<PageAnswer> => ({ status: 200, headers: {}, merchantId: edge.merchant.id, ...fileOf() }),
} as const
const edge = useEdge({
  routes,
  pages: {
    routes: [memberFile],
    problem: ({ description }) => ({ headers: {}, body: description }),
    postsPerMinute: 1_000_000,
    getsPerMinute: 1_000_000,
  },
})
const hasty = useEdge({ routes, files: { ...FILE_LIMITS, most: 1, longestMs: 50 } })
const TARGET = '/merchants/lists/deposits?format=csv'

/** Opens a signed request and leaves its answer unread. */
const open = (path = TARGET, to = edge): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const timestamp = String(Math.floor(to.clock.ms / 1_000))
    const { id, privateKey } = to.merchant
    const signature = createHmac('sha256', privateKey).update(`GET${path}${timestamp}`).digest('hex')
    const headers = { 'merchant-id': id, signature, timestamp }
    const request = send({ host: '127.0.0.1', port: to.port, path, headers, agent: false }, resolve)
    request.on('error', reject)
    request.end()
  })

/** A stream that ends when `end` is called. */
const endless = () => {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  let isLeft = false
  async function* make(): AsyncGenerator<string> {
    try {
      yield 'first\r\n'
      await promise
      yield 'last\r\n'
    } finally {
      isLeft = true
    }
  }
  return { make, end, isLeft: () => isLeft }
}

test('a file is sent piece by piece, with its name and type and the headers of every answer', async () => {
  pieces = async function* () {
    yield 'id\r\n'
    yield 'a\r\n'
  }
  const { status, text, headers } = await edge.call('GET', TARGET)
  expect([status, text]).toEqual([200, 'id\r\na\r\n'])
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="deposits.csv"',
    'transfer-encoding': 'chunked',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(headers).toHaveProperty('ratelimit')
  expect(headers).toHaveProperty('x-request-id')
  const head = await edge.call('HEAD', TARGET)
  expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'text/csv; charset=utf-8'])
  expect((await edge.call('GET', '/merchants/lists/deposits')).body).toEqual({ items: [] })
})

test('a refusal before the first piece is answered as any other', async () => {
  // eslint-disable-next-line require-yield
  pieces = async function* () {
    throw new ApiRefusal(400, 100, 'ticker must be one of BTC', { field: 'ticker' })
  }
  const { status, body } = await edge.call('GET', TARGET)
  expect([status, body.code, body.field]).toEqual([400, 100, 'ticker'])
})

test('a failure after the first piece cuts the answer, so that the client does not take it for whole', async () => {
  pieces = async function* () {
    yield 'id\r\n'
    throw new Error('the database is away')
  }
  const read = async (): Promise<void> => {
    for await (const _ of await open()) continue
  }
  await expect(read()).rejects.toThrow(/aborted|socket hang up/)
  expect(edge.logged.some((line) => line.includes('the database is away'))).toBe(true)
})

test('no more is read once the client has gone', async () => {
  const stream = endless()
  pieces = stream.make
  const response = await open()
  response.once('data', () => response.destroy())
  await new Promise((resolve) => response.once('close', resolve))
  stream.end()
  await expect.poll(stream.isLeft, { timeout: 60_000 }).toBe(true)
})

test('pieces without text send nothing, and reading them ends once the client has gone', async () => {
  let isLeft = false
  pieces = async function* () {
    try {
      yield 'id\r\n'
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        yield ''
      }
    } finally {
      isLeft = true
    }
  }
  const response = await open()
  response.once('data', () => response.destroy())
  await expect.poll(() => isLeft, { timeout: 60_000 }).toBe(true)
})

test('a merchant has four files at once: a further one is refused until one of them has ended', async () => {
  const stream = endless()
  pieces = stream.make
  const responses = await Promise.all(Array.from({ length: 4 }, () => open()))
  const refused = await edge.call('GET', TARGET)
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([429, 105, '10'])
  stream.end()
  for (const response of responses) {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toBe('first\r\nlast\r\n')
  }
  await expect.poll(async () => (await edge.call('GET', TARGET)).status, { timeout: 60_000 }).toBe(200)
})

test('members have two of the four files at once: the API keeps the others', async () => {
  const stream = endless()
  pieces = stream.make
  const [member, path] = [memberFile.path, TARGET]
  const opened = [await open(member), await open(member)]
  const third = await open(member)
  expect([third.statusCode, third.headers['retry-after']]).toEqual([429, '10'])
  opened.push(await open(path), await open(path))
  expect(opened.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  expect((await open(path)).statusCode).toBe(429)
  stream.end()
  for (const response of opened) for await (const _ of response) continue
  await expect.poll(async () => (await open(member)).statusCode, { timeout: 60_000 }).toBe(200)
})

test('a file that its client does not read is cut at the time limit, and leaves its place', async () => {
  let isLeft = false
  pieces = async function* () {
    try {
      for (;;) yield 'x'.repeat(1_000_000)
    } finally {
      isLeft = true
    }
  }
  const response = await open(TARGET, hasty)
  expect(response.statusCode).toBe(200)
  await expect.poll(() => isLeft, { timeout: 60_000 }).toBe(true)
  const read = async (): Promise<void> => {
    for await (const _ of response) continue
  }
  await expect(read()).rejects.toThrow(/aborted|socket hang up|ECONNRESET/)
  pieces = async function* () {
    yield 'id\r\n'
  }
  expect((await hasty.call('GET', TARGET)).text).toBe('id\r\n')
})
