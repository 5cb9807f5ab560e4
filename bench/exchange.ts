/**
 * Exchanges over HTTP by one api process: signed requests of 64 connections from a process of their own, for 1,000
 * merchants; estimates, orders at the market, and orders at an estimate's price. Held against the edge, which does no
 * database work, and against pgbench running the statements of one order a transaction, in turns in one run. `node
 * bench/exchange.ts`.
 */
import { sql } from 'kysely'
import { createDb, createPool, migrate, type Db } from '../server/src/platform/db/index.ts'
import { createIds } from '../server/src/platform/runtime/ids.ts'
import { portOf, startServer } from './edge/start.ts'
import { cpuOf, type Used } from './exchange/cpu.ts'
import { checkMarket, openMarket, prepareTraders } from './exchange/market.ts'
import { startLoad } from './load/index.ts'
import type { ShapeName } from './load/prepared.ts'
import { createMerchants } from './merchants.ts'
import { NO_PGBENCH, preparePgbench, type Pace } from './pgbench/index.ts'
import { report } from './report.ts'
import { startRole } from './role.ts'
import { ROUNDS } from './rounds.ts'
import { median, medianRatio, stated, reported, type Row } from './row.ts'
import { withServer } from './server.ts'

const MERCHANTS = 1_000
const CONNECTIONS = 64
const SECONDS = 2
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 10_000)
/** Longer than a round: the first estimate is ordered last. */
const QUOTE_MS = 60_000
/** Of the position, as every exchange has them: further than any round goes. */
const LIMITS = Object.fromEntries(
  ['BTC', 'ETH', 'USDT', 'UAH'].map((ticker) => [ticker, { long: '1000000000000', short: '1000000000000' }]),
)

type Kind = 'exchangeEstimate' | 'exchange' | 'exchangeAtEstimate'
const NAMES: Record<Kind, string> = {
  exchangeEstimate: 'exchange: signed estimates',
  exchange: 'exchange: signed orders',
  exchangeAtEstimate: "exchange: signed orders at an estimate's price",
}
type Measured = Pace & { cpu: Used }
type Paces = Record<Kind, Measured[]> & Record<'edge' | 'estimates' | 'exchanges', Pace[]>

export const run = (): Promise<Row[]> =>
  withServer('exchange', async (url, folder) => {
    await migrate(url)
    const pool = createPool({ url })
    const db = createDb(pool)
    const accounts = await createMerchants(db, MERCHANTS)
    await openMarket(db, createIds())
    await prepareTraders(
      db,
      accounts.map(({ id }) => id),
    )
    const pgbench = await preparePgbench(url)
    const edge = startServer('app', url)
    const edgePort = await portOf(edge)
    const api = await startRole('api', url, folder, { exchange: { exchange: { quoteMs: QUOTE_MS, assets: LIMITS } } })
    const load = startLoad()
    const paces: Paces = {
      exchangeEstimate: [],
      exchange: [],
      exchangeAtEstimate: [],
      edge: [],
      estimates: [],
      exchanges: [],
    }
    let numbers = 0
    const send = async (shape: ShapeName, first: number): Promise<Measured> => {
      const before = await cpuOf(db, api.pid)
      const pace = await load.send({
        port: api.port,
        shapes: [shape],
        accounts,
        connections: CONNECTIONS,
        extent: { first, count: REQUESTS },
      })
      const after = await cpuOf(db, api.pid)
      return {
        ...pace,
        cpu: { api: (after.api - before.api) / REQUESTS, database: (after.database - before.database) / REQUESTS },
      }
    }
    try {
      // The first round warms everything up and is not counted.
      for (let round = 0; round <= ROUNDS; round += 1) {
        const [estimated, plain] = [numbers, numbers + REQUESTS]
        numbers += 2 * REQUESTS
        const limits = { estimates: await pgbench?.estimates(SECONDS), exchanges: await pgbench?.exchanges(SECONDS) }
        await forgetQuotes(db)
        const measured = {
          ...limits,
          edge: await load.send({
            port: edgePort,
            shapes: ['withdrawal'],
            accounts,
            connections: CONNECTIONS,
            extent: { ms: SECONDS * 1_000 },
          }),
          exchangeEstimate: await send('exchangeEstimate', estimated),
          exchangeAtEstimate: await send('exchangeAtEstimate', estimated),
          exchange: await send('exchange', plain),
        }
        await requireTaken(db)
        if (round === 0) continue
        for (const [name, pace] of Object.entries(measured)) if (pace) paces[name as keyof Paces].push(pace as Measured)
      }
    } finally {
      load.close()
      edge.kill()
      await api.stop()
    }
    await checkMarket(db, numbers)
    await pool.end()
    return rowsOf(paces)
  })

/** The next measurement does not use pgbench's estimates. */
const forgetQuotes = async (db: Db): Promise<void> => {
  await sql`delete from exchange_quotes`.execute(db)
}

/** Throws unless each order at an estimate's price took its promise. */
const requireTaken = async (db: Db): Promise<void> => {
  const { length } = (await sql`select id from exchange_quotes`.execute(db)).rows
  if (length > 0) throw new Error(`${length} of ${REQUESTS} promises were not taken`)
}

const rowsOf = (paces: Paces): Row[] => {
  const kinds = Object.keys(NAMES) as Kind[]
  const perSecond = ({ perSecond: value }: Pace): number => value
  const p99 = ({ p99: value }: Pace): number => value
  const against = (
    name: string,
    unit: string,
    of: (pace: Pace) => number,
    values: Pace[],
    limits: Pace[],
    limitName: string,
  ): Row =>
    limits.length === 0
      ? reported(name, median(values.map(of)), unit, NO_PGBENCH)
      : {
          ...stated({ name, unit, limitName, value: median(values.map(of)), limit: median(limits.map(of)) }),
          ratio: medianRatio(values.map(of), limits.map(of)),
        }
  return kinds.flatMap((kind) => {
    const [name, limits] = [NAMES[kind], kind === 'exchangeEstimate' ? paces.estimates : paces.exchanges]
    const alike = `pgbench, ${CONNECTIONS} clients, the statements of one a transaction`
    return [
      against(name, 'requests/s', perSecond, paces[kind], limits, alike),
      against(name, 'requests/s', perSecond, paces[kind], paces.edge, 'the edge without database work'),
      against(`${name}: p99`, 'ms', p99, paces[kind], limits, alike),
      ...(['api', 'database'] as const).map((part) =>
        reported(
          `${name}: processor time of the ${part}`,
          median(paces[kind].map(({ cpu }) => cpu[part])) * 1_000,
          'µs a request',
        ),
      ),
    ]
  })
}

if (import.meta.main) await report(run)
