/**
 * Withdrawals accepted a second over HTTP by one api process: signed requests of 64 connections from a process of their
 * own, against pgbench writing the same rows to the same database, in turns in one run. `node bench/withdrawals.ts`.
 */
import { createDb, createPool, migrate } from '../server/src/platform/db/index.ts'
import { checkBooks } from './books.ts'
import { startLoad } from './load/index.ts'
import { createMerchants } from './merchants.ts'
import { NO_PGBENCH, preparePgbench, type Pace } from './pgbench/index.ts'
import { report } from './report.ts'
import { startRole } from './role.ts'
import { ROUNDS } from './rounds.ts'
import { atLeast, atMost, median, medianRatio, reported, type Row } from './row.ts'
import { withServer } from './server.ts'

const MERCHANTS = 1_000
const CONNECTIONS = 64
const SECONDS = 2
const REQUESTS = 20_000

interface Paces {
  pgbench: Pace[]
  uniform: Pace[]
  hot: Pace[]
}

export const run = (): Promise<Row[]> =>
  withServer('withdrawals', async (url, folder) => {
    await migrate(url)
    const pool = createPool({ url })
    const db = createDb(pool)
    const accounts = await createMerchants(db, MERCHANTS)
    const pgbench = await preparePgbench(url)
    const api = await startRole('api', url, folder)
    const load = startLoad()
    const paces: Paces = { pgbench: [], uniform: [], hot: [] }
    let sent = 0
    const send = async (merchants: typeof accounts): Promise<Pace> => {
      const extent = { first: sent, count: REQUESTS }
      sent += REQUESTS
      return load.send({
        port: api.port,
        shapes: ['withdrawal'],
        accounts: merchants,
        connections: CONNECTIONS,
        extent,
      })
    }
    try {
      // The first round warms everything up and is not counted.
      for (let round = 0; round <= ROUNDS; round += 1) {
        const measured = {
          pgbench: await pgbench?.oneCall(SECONDS),
          uniform: await send(accounts),
          hot: await send(accounts.slice(0, 1)),
        }
        if (round === 0) continue
        if (measured.pgbench) paces.pgbench.push(measured.pgbench)
        paces.uniform.push(measured.uniform)
        paces.hot.push(measured.hot)
      }
    } finally {
      load.close()
      await api.stop()
    }
    await checkBooks(db, sent)
    await pool.end()
    return rowsOf(paces)
  })

const rowsOf = ({ pgbench, uniform, hot }: Paces): Row[] => {
  const [rate, slowest] = [(pace: Pace) => pace.perSecond, (pace: Pace) => pace.p99]
  const figure = (of: (pace: Pace) => number, values: Pace[], limits: Pace[]) => ({
    value: median(values.map(of)),
    limit: median(limits.map(of)),
    ratio: medianRatio(values.map(of), limits.map(of)),
  })
  const accepting = `withdrawals: signed requests over ${CONNECTIONS} connections`
  const limitName = 'pgbench, 16 clients, one posting a call'
  const limits =
    pgbench.length > 0
      ? [
          atLeast({ name: accepting, unit: 'requests/s', limitName, goal: 1, ...figure(rate, uniform, pgbench) }),
          atMost({ name: 'withdrawals: p99', unit: 'ms', limitName, goal: 4, ...figure(slowest, uniform, pgbench) }),
        ]
      : [
          reported(accepting, median(uniform.map(rate)), 'requests/s', NO_PGBENCH),
          reported('withdrawals: p99', median(uniform.map(slowest)), 'ms', NO_PGBENCH),
        ]
  return [
    ...limits,
    atLeast({
      name: 'withdrawals: one merchant sends all',
      unit: 'requests/s',
      limitName: `${MERCHANTS} merchants`,
      goal: 0.95,
      ...figure(rate, hot, uniform),
    }),
  ]
}

if (import.meta.main) await report(run)
