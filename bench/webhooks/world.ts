/** Creates a database with merchants and events, and a worker that delivers them as in production. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import { createDb, createPool, inTransaction, migrate } from '../../server/src/platform/db/index.ts'
import { createJobLoop } from '../../server/src/platform/jobs/index.ts'
import {
  createDirectory,
  createEndpoints,
  createMerchant,
  setSetting,
} from '../../server/src/merchants/accounts/index.ts'
import { createOutbound } from '../../server/src/platform/outbound/index.ts'
import type { Clock } from '../../server/src/platform/runtime/clock.ts'
import { createLog } from '../../server/src/platform/process/log.ts'
import { createSecretBox } from '../../server/src/platform/config/secrets.ts'
import { createDelivery, emit, type Notice } from '../../server/src/merchants/webhooks/index.ts'

export interface World {
  /** Makes merchants whose notifications go to a port, each to a name of its own when `ownHosts`. */
  merchants(count: number, port: number, ownHosts: boolean): Promise<string[]>
  /** Stores events in one transaction: `[merchant, object, n]`. */
  store(events: readonly (readonly [merchantId: string, objectId: string, n: number])[]): Promise<void>
  /** A worker that keeps its caches and connections while it is paused. */
  worker(clock: Clock): BenchWorker
  /** Resolves when every event has been delivered and that is stored. */
  settled(): Promise<void>
  newId(): string
  close(): Promise<void>
}

export interface BenchWorker {
  start(): void
  /** Takes nothing new. */
  pause(): Promise<void>
  close(): Promise<void>
}

export const createWorld = async (url: string): Promise<World> => {
  await migrate(url)
  const pool = createPool({ url })
  const db = createDb(pool)
  const box = createSecretBox(new Uint8Array(32).fill(9))
  const directory = createDirectory(db, box)
  const newId = (): string => uuidv7(Date.now(), randomBytes(10))
  const moment = () => ({ at: new Date(), newId })
  // Names of their own: connections stay open per origin, as they are for receivers on machines of their own.
  const outbound = createOutbound({ allowPrivate: ['127.0.0.0/8'], allowHttp: true, lookup: async () => ['127.0.0.1'] })
  const world: World = {
    newId,
    merchants: (count, port, ownHosts) =>
      inTransaction(db, async (tx) => {
        const made: string[] = []
        for (let n = 0; n < count; n += 1) {
          const deps = { box, random: randomBytes, actor: 'bench' }
          const { id } = await createMerchant(
            tx,
            { name: `Shop ${n}`, companyName: 'Shop Ltd', companyUrl: 'https://shop.example' },
            deps,
            moment(),
          )
          const host = ownHosts ? `shop-${id}.example` : 'shop.example'
          await setSetting(
            tx,
            id,
            { name: 'notificationsUrl', value: `http://${host}:${port}/webhooks/bursar` },
            deps,
            moment(),
          )
          made.push(id)
        }
        return made
      }),
    store: async (events) => {
      const notices = events.map(([merchantId, objectId, n]) => noticeOf(merchantId, objectId, n))
      await inTransaction(db, (tx) => emit(tx, notices, moment()))
    },
    worker: (clock) => {
      const log = createLog('error', 'worker')
      const delivery = createDelivery({
        runtime: { db, clock, newId, log },
        database: { url },
        outbound,
        endpointOf: createEndpoints(directory, clock),
        box,
      })
      let loop: ReturnType<typeof createJobLoop> | undefined
      const pause = async (): Promise<void> => {
        await loop?.stop()
        loop = undefined
      }
      return {
        start: () => {
          loop = createJobLoop([delivery.job], log)
        },
        pause,
        close: async () => {
          await pause()
          await delivery.close()
        },
      }
    },
    settled: async () => {
      const { rows } = await sql`select 1 from event_streams limit 1`.execute(db)
      if (rows.length > 0) await new Promise((resolve) => setTimeout(resolve, 1)).then(() => world.settled())
    },
    close: async () => {
      await outbound.close()
      await pool.end()
    },
  }
  return world
}

/** A deposit's notification, 430 bytes. */
export const noticeOf = (merchantId: string, objectId: string, n: number): Notice => {
  const status = n === 0 ? 'Pending' : 'Done'
  const body = {
    id: objectId,
    n,
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    hash: `0x${'5d'.repeat(32)}`,
    from: ['0x742d35cc6634c0532925a3b844bc454e4438f44e'],
    to: '0x53d284357ec70ce289d6d64134dfac8e511c8a3d',
    amount: '12.5',
    fee: '0.1',
    merchantId,
    time: Date.now(),
    status,
    kind: 'Replenish',
    internal: false,
  }
  return { merchantId, objectId, kind: 'Replenish', status, body }
}
