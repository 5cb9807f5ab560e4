import { createHmac } from 'node:crypto'
import { request as send, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { useEdge } from '../../../../test/world/edge.ts'
import { ApiRefusal, type StreamedAnswer } from '../../platform/api/route.ts'

let pieces: () => AsyncIterable<string>
const edge = useEdge({
  routes: [
    {
      operation: 'listDeposits',
      handle: async () => ({ status: 200, body: { items: [] } }),
      stream: ({ query }): StreamedAnswer | undefined =>
        query.format === 'csv'
          ? { contentType: 'text/csv; charset=utf-8', fileName: 'deposits.csv', pieces: pieces() }
          : undefined,
    },
  ],
})
const TARGET = '/merchants/lists/deposits?format=csv'

/** Opens a signed request and leaves its answer unread. */
const open = (): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const timestamp = String(Math.floor(edge.clock.ms / 1_000))
    const { id, privateKey } = edge.merchant
    const signature = createHmac('sha256', privateKey).update(`GET${TARGET}${timestamp}`).digest('hex')
    const headers = { 'merchant-id': id, signature, timestamp }
    const request = send({ host: '127.0.0.1', port: edge.port, path: TARGET, headers, agent: false }, resolve)
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
  const responses = await Promise.all(Array.from({ length: 4 }, open))
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
