/** The job that hashes the ledger, alone in a process: `node sealer.ts`, with DATABASE_URL in its environment. */
import { createDb, createPool } from '../../server/src/db/index.ts'
import { createJobLoop } from '../../server/src/jobs/index.ts'
import { createClock } from '../../server/src/platform/clock.ts'
import { createIds } from '../../server/src/platform/ids.ts'
import { createLog } from '../../server/src/platform/log.ts'
import { createSealJob } from '../../server/src/treasury/index.ts'

const pool = createPool({ url: process.env.DATABASE_URL! })
const log = createLog('error', 'worker')
const loop = createJobLoop(
  [createSealJob({ db: createDb(pool), clock: createClock(), newId: createIds(), log }, 1_000)],
  log,
)
process.on('disconnect', () => void loop.stop().then(() => pool.end()))
process.send!('ready')
