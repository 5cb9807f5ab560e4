/**
 * The memory of a process: the resident size of the api after it has answered requests of every kind, and of a worker
 * that brings as many notifications meanwhile, after 100 thousand and after twice that. `node bench/memory.ts`.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { createDb, createPool, inTransaction, migrate, type Db } from '../server/src/platform/db/index.ts'
import { createIds } from '../server/src/platform/runtime/ids.ts'
import { emit } from '../server/src/merchants/webhooks/index.ts'
import { checkBooks } from './books.ts'
import { startLoad } from './load/index.ts'
import { createMerchants } from './merchants.ts'
import { report } from './report.ts'
import { startRole } from './role.ts'
import { atMost, type Row } from './row.ts'
import { withServer } from './server.ts'
import { noticeOf } from './webhooks/world.ts'

const MERCHANTS = 1_000
const CONNECTIONS = 64
const REQUESTS = 100_000
const SIGNED_AT_ONCE = 20_000
const EVENTS_AT_ONCE = 500
const SHAPES = ['withdrawal', 'balances', 'address'] as const
/** MB */
const MOST = 220
/** Of the resident size after the first half: the growth of a heap between two collections under the same load. */
const STEADY = 1.1

type Sizes = Record<'api' | 'worker', number>

export const run = (): Promise<Row[]> =>
  withServer('memory', async (url, folder) => {
    await migrate(url)
    const pool = createPool({ url })
    const db = createDb(pool)
    const receiver = await startReceiver()
    const notificationsUrl = `http://127.0.0.1:${receiver.port}/webhooks`
    const accounts = await createMerchants(db, MERCHANTS, { others: ['BTC', 'ETH', 'UAH'], notificationsUrl })
    const [api, worker, load] = [
      await startRole('api', url, folder),
      await startRole('worker', url, folder),
      startLoad(),
    ]
    const sizes: Sizes[] = []
    try {
      for (const first of [0, REQUESTS]) {
        await Promise.all([
          sendRequests(first, (extent) =>
            load.send({ port: api.port, shapes: SHAPES, accounts, connections: CONNECTIONS, extent }),
          ),
          storeEvents(
            db,
            accounts.map(({ id }) => id),
          ),
        ])
        await allDelivered(db)
        sizes.push({ api: residentMb(api.pid), worker: residentMb(worker.pid) })
      }
    } finally {
      load.close()
      receiver.process.kill()
      await Promise.all([api.stop(), worker.stop()])
    }
    await checkBooks(db, await countWithdrawals(db))
    await pool.end()
    return rowsOf(sizes[0]!, sizes[1]!)
  })

const startReceiver = async (): Promise<{ process: ChildProcess; port: number }> => {
  const child = fork(new URL('webhooks/receiver.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ answering }] = (await once(child, 'message')) as [{ answering: number }]
  return { process: child, port: answering }
}

/** Some at a time, as a signature is good for a minute. */
const sendRequests = async (
  first: number,
  send: (extent: { first: number; count: number }) => Promise<unknown>,
): Promise<void> => {
  for (let sent = 0; sent < REQUESTS; sent += SIGNED_AT_ONCE) await send({ first: first + sent, count: SIGNED_AT_ONCE })
}

/** As many events as there are requests, each of an object of its own. */
const storeEvents = async (db: Db, merchants: readonly string[]): Promise<void> => {
  const newId = createIds()
  for (let stored = 0; stored < REQUESTS; stored += EVENTS_AT_ONCE) {
    const notices = Array.from({ length: EVENTS_AT_ONCE }, (_, n) =>
      noticeOf(merchants[(stored + n) % merchants.length]!, newId(), 0),
    )
    await inTransaction(db, (tx) => emit(tx, notices, { at: new Date(), newId }))
  }
}

const allDelivered = async (db: Db): Promise<void> => {
  for (;;) {
    const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from event_streams`.execute(db)
    if (rows[0]!.waiting === 0) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const countWithdrawals = async (db: Db): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from withdrawals`.execute(db)).rows[0]!.n

const residentMb = (pid: number): number => {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]
  return Number(kib) / 1_024
}

const rowsOf = (first: Sizes, second: Sizes): Row[] =>
  (['api', 'worker'] as const).flatMap((role) => {
    const count = REQUESTS.toLocaleString('en-US')
    const served = role === 'api' ? 'requests' : 'deliveries'
    return [
      atMost({
        name: `memory: ${role} after ${count} ${served}`,
        unit: 'MB',
        value: first[role],
        limit: MOST,
        limitName: 'allowed',
        goal: 1,
      }),
      atMost({
        name: `memory: ${role} after twice as many`,
        unit: 'MB',
        value: second[role],
        limit: first[role],
        limitName: 'after the first half',
        goal: STEADY,
      }),
    ]
  })

if (import.meta.main) await report(run)
