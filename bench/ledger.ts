/**
 * The rate of the posting core: withdrawals accepted a second by the committer, 256 in flight, against pgbench writing
 * the same rows to the same database, in turns in one run. `node bench/ledger.ts`.
 */
import { once } from 'node:events'
import { fork } from 'node:child_process'
import { createDb, createPool, migrate } from '../server/src/platform/db/index.ts'
import { createCommitter, type Committer } from '../server/src/ledger/postings/index.ts'
import { createIds } from '../server/src/platform/runtime/ids.ts'
import { checkBooks, fundMerchants } from './books.ts'
import { acceptance } from './ledger/posting.ts'
import { NO_PGBENCH, preparePgbench, type Pgbench } from './pgbench/index.ts'
import { report } from './report.ts'
import { MANY_ROUNDS } from './rounds.ts'
import { atLeast, median, medianRatio, reported, type Row } from './row.ts'
import { withServer } from './server.ts'

const MERCHANTS = 1_000
const IN_FLIGHT = 256
const REFUSED_ONE_IN = 10
const SECONDS = 2

const newId = createIds()
const merchants = Array.from(
  { length: MERCHANTS },
  (_, n) => `00000000-0000-4000-8000-${String(n + 1).padStart(12, '0')}`,
)

/** Figures of each round: postings a second. */
interface Paces {
  oneCall: number[]
  batches: number[]
  uniform: number[]
  hot: number[]
  refused: number[]
  sealed: number[]
}

export const run = (): Promise<Row[]> =>
  withServer('ledger', async (url) => {
    await migrate(url)
    const pool = createPool({ url })
    const db = createDb(pool)
    await fundMerchants(db, merchants, { newId, at: new Date() })
    const pgbench = await preparePgbench(url)
    const committer = createCommitter({ url })
    const paces: Paces = { oneCall: [], batches: [], uniform: [], hot: [], refused: [], sealed: [] }
    let accepted = 0
    // The first round warms everything up and is not counted.
    for (let round = 0; round <= MANY_ROUNDS; round += 1) {
      const measured = await measureRound(committer, pgbench, url)
      accepted += measured.accepted
      if (round > 0) for (const name of Object.keys(paces) as (keyof Paces)[]) paces[name].push(measured.paces[name])
    }
    await committer.close()
    await checkBooks(db, accepted)
    await pool.end()
    return rowsOf(paces, pgbench !== undefined)
  })

const measureRound = async (committer: Committer, pgbench: Pgbench | undefined, url: string) => {
  let accepted = 0
  const ours = async (
    merchantOf: (n: number) => string,
    affordable = (_n: number): boolean => true,
  ): Promise<number> => {
    const { count, applied, ms } = await drive(committer, (n) => acceptance(merchantOf(n), n, newId, affordable(n)))
    accepted += applied
    return (count / ms) * 1_000
  }
  const uniform = (): string => merchants[Math.floor(Math.random() * MERCHANTS)]!
  const paces: Record<keyof Paces, number> = {
    oneCall: (await pgbench?.oneCall(SECONDS))?.perSecond ?? Number.NaN,
    batches: (await pgbench?.batches(SECONDS))?.perSecond ?? Number.NaN,
    uniform: await ours(uniform),
    hot: await ours(() => merchants[0]!),
    refused: await ours(uniform, (n) => n % REFUSED_ONE_IN !== 0),
    sealed: await besideSealer(url, () => ours(uniform)),
  }
  return { paces, accepted }
}

let nextNumber = 0

/** Keeps the committer busy for a while. */
const drive = async (committer: Committer, make: (n: number) => ReturnType<typeof acceptance>) => {
  const startedAt = performance.now()
  const end = startedAt + SECONDS * 1_000
  let [count, applied] = [0, 0]
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      const outcome = await committer.submit(make((nextNumber += 1)))
      count += 1
      if (outcome.kind === 'applied') applied += 1
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop))
  return { count, applied, ms: performance.now() - startedAt }
}

/** The sealer hashes new postings, in a process of its own as in production. */
const besideSealer = async <T>(url: string, work: () => Promise<T>): Promise<T> => {
  const sealer = fork(new URL('ledger/sealer.ts', import.meta.url), {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(sealer, 'message')
  try {
    return await work()
  } finally {
    sealer.disconnect()
    await once(sealer, 'exit')
  }
}

const rowsOf = (paces: Paces, limited: boolean): Row[] => {
  const unit = 'postings/s'
  const against = (name: string, figure: keyof Paces, limit: keyof Paces, limitName: string, goal: number): Row =>
    atLeast({
      name,
      unit,
      limitName,
      goal,
      value: median(paces[figure]),
      limit: median(paces[limit]),
      ratio: medianRatio(paces[figure], paces[limit]),
    })
  const core = `posting core, ${IN_FLIGHT} in flight`
  const limits = limited
    ? [
        against(`ledger: ${core}`, 'uniform', 'oneCall', 'pgbench, 16 clients, one posting a call', 2.5),
        against(`ledger: ${core}`, 'uniform', 'batches', 'pgbench, 2 clients, pre-built batches of 64', 0.45),
      ]
    : [reported(`ledger: ${core}`, median(paces.uniform), unit, NO_PGBENCH)]
  return [
    ...limits,
    against('ledger: one merchant has all traffic', 'hot', 'uniform', '1,000 merchants', 0.9),
    against('ledger: 10 % of items refused', 'refused', 'uniform', 'none refused', 0.85),
    reported(
      'ledger: while the sealer hashes the new entries',
      median(paces.sealed),
      unit,
      `${Math.round(100 * medianRatio(paces.sealed, paces.uniform))} % of the rate without the sealer`,
    ),
  ]
}

if (import.meta.main) await report(run)
