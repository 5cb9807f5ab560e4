/**
 * Runs only the job that hashes the ledger, in a separate process: `node sealer.ts`, with DATABASE_URL in its
 * environment.
 */
import { createDb, createPool } from '../../server/src/platform/db/index.ts'
import { createJobLoop } from '../../server/src/platform/jobs/index.ts'
import { createClock } from '../../server/src/platform/runtime/clock.ts'
import { createIds } from '../../server/src/platform/runtime/ids.ts'
import { createLog } from '../../server/src/platform/process/log.ts'
import { createSealJob } from '../../server/src/treasury/reconciliation/index.ts'

const pool = createPool({ url: process.env.DATABASE_URL! })
const log = createLog('error', 'worker')
const loop = createJobLoop(
  [createSealJob({ db: createDb(pool), clock: createClock(), newId: createIds(), log }, 1_000)],
  log,
)
process.on('disconnect', () => void loop.stop().then(() => pool.end()))
process.send!('ready')
