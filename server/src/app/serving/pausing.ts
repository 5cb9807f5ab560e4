import { setTimeout as sleep } from 'node:timers/promises'
import type { PausePoint } from '../../chain/transactions/index.ts'
import type { Environment } from '../installation/open.ts'

const DAY_MS = 24 * 60 * 60_000

/**
 * In a sandbox, `BURSAR_SANDBOX_PAUSE=NAME` makes the process wait at a named point and print that, so that a test can
 * kill it there. Points that each network has are named `NAME@NETWORK`, in watchers and in the jobs that send; `NAME`
 * is that point of any network. Elsewhere pause points do nothing. All points, and the tests that kill a process at
 * them, are in `test/crash/matrix.ts`.
 */
export const pausePoints = (env: Environment): PausePoint => {
  const wanted = env.BURSAR_SANDBOX === 'true' ? env.BURSAR_SANDBOX_PAUSE : undefined
  if (wanted === undefined || wanted === '') return async () => {}
  return async (name) => {
    if (!isPoint(name, wanted)) return
    process.stdout.write(`paused at ${name}\n`)
    await sleep(DAY_MS)
  }
}

/** Whether a point is the wanted one. @param wanted `NAME`, or `NAME@NETWORK` */
export const isPoint = (name: string, wanted: string): boolean => name === wanted || name.split('@')[0] === wanted
