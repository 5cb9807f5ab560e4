/** The server of the api as it listens, over a real database, with operations that answer their own name. */
import { createSecretKey } from 'node:crypto'
import { Agent, request as send } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { operations } from '@bursar/contract'
import type { Db } from '../../server/src/platform/db/index.ts'
import { createDirectory, type MerchantDirectory } from '../../server/src/merchants/accounts/index.ts'
import { box, makeMerchant } from './merchant.ts'
import { createKnownRequests } from '../../server/src/ledger/orders/index.ts'
import type { ApiAnswer, ApiRequest, Route } from '../../server/src/platform/api/route.ts'
import { useDb } from './database.ts'
import { sign } from './signed-request.ts'
import { createHttpServer, type HttpDeps } from '../../server/src/app/http/index.ts'

/** The clock of the HTTP server: the time of the published signatures, ms. */
export const NOW = 1_677_486_443_000

export interface Answer {
  status: number
  body: { code?: number; description?: string; field?: string; requestId?: string; operation?: string }
  text: string
  headers: Record<string, string | string[] | undefined>
}

/** Names and values in turn, as they are to be sent. */
export type HeaderList = (string | Buffer)[]

interface Sent {
  timestamp?: number | string
  key?: string
  id?: string
  headers?: HeaderList
}

export interface TestEdge {
  db: Db
  pool: pg.Pool
  directory: MerchantDirectory
  app: FastifyInstance
  port: number
  merchant: { id: string; privateKey: string }
  /** requests that reached an operation, oldest first */
  handled: ApiRequest[]
  /** JSON lines of the log */
  logged: string[]
  clock: { ms: number }
  /** answers of the next operations, instead of their names */
  answer: ((request: ApiRequest) => Promise<ApiAnswer>) | undefined
  /** Sends exactly these bytes: target and headers as given, twice where given twice. */
  raw(method: string, target: string, headers: HeaderList, body?: string | Buffer): Promise<Answer>
  /** Sends a request signed by the merchant. */
  call(method: string, target: string, body?: string | Buffer, more?: Sent): Promise<Answer>
  /** Writes bytes to a connection of its own and reads until it ends. */
  bytes(...parts: (string | Buffer)[]): Promise<string>
  /**
   * The same, where the connection may stay open: reads until the text is enough, or until nothing was said for so many
   * ms.
   */
  bytesUntil(enough: ((text: string) => boolean) | number, ...parts: (string | Buffer)[]): Promise<string>
}

/** For the top of a test file. Operations that are neither in `unbuilt` nor in `built` answer their own name. */
export const useEdge = (
  settings: Partial<HttpDeps> & { unbuilt?: readonly string[]; built?: readonly Route[] } = {},
): TestEdge => {
  const { url, pool, db } = useDb()
  const edge = { pool, db, handled: [], logged: [], clock: { ms: NOW }, answer: undefined } as unknown as TestEdge
  const { unbuilt = [], built = [], ...deps } = settings
  const others = [...unbuilt, ...built.map(({ operation }) => operation)]
  beforeAll(async () => {
    edge.directory = createDirectory(db, box)
    const { id, privateKey } = await makeMerchant(db, NOW)
    edge.merchant = { id, privateKey }
    const known = createKnownRequests({ url })
    edge.app = createHttpServer({
      directory: edge.directory,
      clock: { now: () => edge.clock.ms },
      window: { maxAge: 60, maxAhead: 5 },
      requestsPerMinute: 1_000_000,
      fingerprintKeys: [createSecretKey(new Uint8Array(32).fill(3))],
      refusalsPerMinute: 1_000_000,
      onFirstUse: () => {},
      onKeyUse: () => {},
      findKnown: known.find,
      log: pino({ level: 'debug' }, { write: (line: string) => void edge.logged.push(line) }),
      ready: async () => {},
      routes: [
        ...built,
        ...operations
          .filter(({ id, signed }) => signed && !others.includes(id))
          .map(({ id: operation }): Route => ({
            operation,
            handle: async (request) => {
              edge.handled.push(request)
              return edge.answer ? edge.answer(request) : { status: 200, body: { operation } }
            },
          })),
      ],
      ...deps,
    })
    await edge.app.listen({ host: '127.0.0.1', port: 0 })
    edge.port = (edge.app.server.address() as AddressInfo).port
  })
  afterAll(() => edge.app.close())
  edge.raw = (method, target, headers, body) => sendRaw(edge.port, method, target, headers, body)
  edge.call = (
    method,
    target,
    body,
    {
      timestamp = Math.floor(edge.clock.ms / 1_000),
      key = edge.merchant.privateKey,
      id = edge.merchant.id,
      headers = [],
    } = {},
  ) => {
    const signature = sign(key, method, target, body ?? '', timestamp)
    return edge.raw(
      method,
      target,
      ['merchant-id', id, 'signature', signature, 'timestamp', String(timestamp), ...headers],
      body,
    )
  }
  edge.bytes = (...parts) => sendBytes(edge.port, parts, () => false)
  edge.bytesUntil = (enough, ...parts) => sendBytes(edge.port, parts, enough)
  return edge
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

const sendRaw = (
  port: number,
  method: string,
  target: string,
  headers: HeaderList,
  body?: string | Buffer,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length: HeaderList = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
    const all = ['host', `127.0.0.1:${port}`, ...length, ...headers]
    const request = send({ host: '127.0.0.1', port, method, path: target, headers: all as unknown as string[], agent })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = text !== '' && String(response.headers['content-type']).startsWith('application/json')
        resolve({
          status: response.statusCode!,
          body: (isJson ? JSON.parse(text) : {}) as Answer['body'],
          text,
          headers: response.headers,
        })
      })
    })
    request.end(body)
  })

const sendBytes = (
  port: number,
  parts: readonly (string | Buffer)[],
  enough: ((text: string) => boolean) | number,
): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (typeof enough === 'function' && enough(text)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    if (typeof enough === 'number') socket.setTimeout(enough, () => socket.destroy())
  })

/** A body that every operation's handler is reached with, by the operation's own example. */
export const exampleOf = (operation: (typeof operations)[number]): string | undefined =>
  operation.body === null ? undefined : JSON.stringify((operation.body as { examples?: unknown[] }).examples?.[0])

/** A target of the operation on one of its paths, with a query that fits. */
export const targetOf = (operation: (typeof operations)[number], path: string): string => {
  const filled = path.replace(':id', '123e4567-e89b-12d3-a456-426614174000')
  const values: Record<string, string> = {
    tickers: 'BTC',
    ticker: 'USDT',
    amount: '12',
    blockchain: 'TRON',
    after: '0',
    localId: 'order-1',
    targetTicker: 'BTC',
    spendTicker: 'USDT',
    side: operation.id === 'estimateExchange' ? 'target' : 'spend',
  }
  const needed = (operation.query as { required?: string[] } | null)?.required ?? []
  return needed.length === 0 ? filled : `${filled}?${needed.map((name) => `${name}=${values[name]}`).join('&')}`
}
