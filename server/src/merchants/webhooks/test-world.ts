/**
 * A world for tests of the delivery of notifications: clocks that tests move, and HTTP servers that act as merchants'
 * receivers. Only tests of this module send notifications; other tests read the stored notifications
 * (test/world/observed.ts).
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import type pg from 'pg'
import { pino } from 'pino'
import { uuidv7 } from '../../platform/base/id.ts'
import type { WorldDatabase } from '../../../../test/world/database.ts'
import { createSecretBox, type SecretBox } from '../../platform/config/secrets.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { createOutbound, type Outbound } from '../../platform/outbound/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createDelivery, emit, type Delivery, type DeliveryDeps, type Endpoint } from './index.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

interface Received {
  headers: IncomingHttpHeaders
  url: string
  rawBody: string
  /** what `emitTo` put into the body */
  objectId: string
  /** the number of the event of its object, from 0 unless a test names another */
  n: number
  /** business time at arrival */
  at: number
}

/** A merchant's receiver. Answers 200 unless set otherwise; keeps everything it accepted and refused. */
export interface Receiver {
  url: string
  requests: Received[]
  accepted: Received[]
  /**
   * Returns the HTTP status of the answer, `reset` to close the connection, or `answered` if it has written the
   * response itself. The default returns 200.
   */
  respond: (
    request: Received,
    response: ServerResponse,
  ) => number | 'reset' | 'answered' | Promise<number | 'reset' | 'answered'>
  close(): void
}

export interface World {
  url: string
  pool: pg.Pool
  db: Db
  runtime: Runtime
  /** real time, ms since the epoch */
  now: number
  /** ms by which the business clock is ahead of `now` */
  ahead: number
  logged: string[]
  endpoints: Map<string, Endpoint>
  outbound: Outbound
  /** encrypts the secrets of additional endpoints */
  box: SecretBox
  receiver(): Promise<Receiver>
  /** A merchant whose notifications go to a receiver. */
  merchant(receiver: Receiver | null): string
  /** Stores events numbered from `first` for an object, each in a transaction of its own. */
  emitTo(merchantId: string, objectId: string, count?: number, first?: number): Promise<void>
  delivery(more?: Partial<DeliveryDeps>): Delivery
  /** Delivers everything due, with a worker of its own. */
  deliver(): Promise<void>
  streams(merchantId: string): Promise<Record<string, unknown>[]>
  alerts(merchantId: string): Promise<{ open: boolean }[]>
  close(): Promise<void>
}

export const createWorld = ({ url, pool, db }: WorldDatabase): World => {
  const closing: (() => unknown)[] = []
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) })
  const world: World = {
    url,
    pool,
    db,
    logged,
    now: Date.UTC(2026, 0, 1),
    ahead: 0,
    endpoints: new Map(),
    box: createSecretBox(randomBytes(32)),
    outbound: createOutbound({ allowPrivate: ['127.0.0.0/8'], allowHttp: true }),
    runtime: {
      db,
      log,
      newId: () => uuidv7(Date.now(), randomBytes(10)),
      clock: { now: () => world.now, business: () => world.now + world.ahead },
    },
    receiver: async () => {
      const receiver = await startReceiver(world)
      closing.unshift(() => receiver.close())
      return receiver
    },
    merchant: (receiver) => {
      const id = randomUUID()
      if (receiver)
        world.endpoints.set(id, { url: receiver.url, signingKey: 'private-key', webhookSecrets: [secret('one')] })
      return id
    },
    emitTo: async (merchantId, objectId, count = 1, first = 0) => {
      const moment = { at: new Date(world.runtime.clock.business()), newId: world.runtime.newId }
      for (let n = first; n < first + count; n += 1) {
        const body = { kind: 'Replenish', status: 'Pending', objectId, n, merchantId }
        await inTransaction(db, (tx) =>
          emit(tx, [{ merchantId, objectId, kind: 'Replenish', status: 'Pending', body }], moment),
        )
      }
    },
    delivery: (more = {}) => {
      const delivery = createDelivery({
        runtime: world.runtime,
        database: { url },
        outbound: world.outbound,
        untilSettled: true,
        endpointOf: async (merchantId) => world.endpoints.get(merchantId) ?? null,
        box: world.box,
        ...more,
      })
      closing.unshift(() => delivery.close())
      return delivery
    },
    deliver: async () => runUntilIdle([(worker ??= world.delivery()).job]),
    streams: async (merchantId) =>
      (
        await sql<
          Record<string, unknown>
        >`select object_id, next_sequence, last_sequence, state, attempts, next_at, own_lane
        from event_streams where merchant_id = ${merchantId} order by next_sequence`.execute(db)
      ).rows,
    alerts: async (merchantId) =>
      (
        await sql<{
          open: boolean
        }>`select resolved_at is null as open from alerts where subject = ${merchantId} order by raised_at`.execute(db)
      ).rows,
    close: async () => {
      await world.outbound.close()
      for (const close of closing) await close()
    },
  }
  let worker: Delivery | undefined
  return world
}

/** A Standard Webhooks secret made of a name. */
export const secret = (name: string): string => `whsec_${Buffer.from(name.padEnd(24, '.')).toString('base64')}`

const startReceiver = async (world: World): Promise<Receiver> => {
  const server: Server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const rawBody = Buffer.concat(chunks).toString()
    const { objectId, n } = JSON.parse(rawBody) as { objectId: string; n: number }
    const request = {
      headers: incoming.headers,
      url: incoming.url!,
      rawBody,
      objectId,
      n,
      at: world.runtime.clock.business(),
    }
    receiver.requests.push(request)
    const verdict = await receiver.respond(request, response)
    if (verdict === 'answered') return
    if (verdict === 'reset') return void incoming.socket.resetAndDestroy()
    if (verdict < 300) receiver.accepted.push(request)
    response.writeHead(verdict).end(verdict < 300 ? 'ok' : `refused with ${verdict}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/bursar?shop=1`,
    requests: [],
    accepted: [],
    respond: () => 200,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}
