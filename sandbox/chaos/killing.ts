/** Kills roles of the running sandbox at random, and stops some for a while. The sandbox starts them again. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { actualDataDir } from '../postgres/placement.ts'
import { readLockFile } from '../postgres/leftover.ts'
import { inspectProcess, isRunning } from '../process/identity.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import { recordedProcess } from '../process/record.ts'
import type { Chaos } from './orders.ts'

/** How often each is chosen. */
const WEIGHTS = { api: 3, worker: 4, watcher: 3, signer: 2, postgres: 1 } as const
type Victim = keyof typeof WEIGHTS

const VICTIMS = (Object.keys(WEIGHTS) as Victim[]).flatMap((name) => Array.from({ length: WEIGHTS[name] }, () => name))
/** How often a process is stopped for a while instead of killed. PostgreSQL is only killed. */
const STOPPED = 0.2
const BETWEEN_MS = { least: 1_000, most: 5_000 }
const STOPPED_MS = { least: 1_000, most: 8_000 }

/**
 * Kills until the signal is aborted or the number of kills is reached. A role that is being started is left alone.
 *
 * @param dir the folder of the sandbox
 * @param said gets the action, in a few words
 */
export async function killAtRandom(
  { tally, requireRunning }: Chaos,
  {
    dir,
    random,
    kills,
    signal,
    said,
  }: {
    dir: string
    random: Random
    kills: number
    signal: AbortSignal
    said: (what: string) => void
  },
): Promise<void> {
  const wait = async ({ least, most }: typeof BETWEEN_MS): Promise<void> => {
    await sleep(least + random.int(most - least), undefined, { signal }).catch(() => {})
  }
  for (let done = 0; done < kills;) {
    await wait(BETWEEN_MS)
    if (signal.aborted) return
    requireRunning()
    const victim = random.pick(VICTIMS)
    const found = processOf(dir, victim)
    if (found === undefined) continue
    if (victim !== 'postgres' && random.chance(STOPPED)) {
      said(`stopped ${victim} for a while`)
      tally.pauses += 1
      await stopFor(found, () => wait(STOPPED_MS))
    } else {
      said(`killed ${victim}`)
      process.kill(found.pid, 'SIGKILL')
      tally.kills[victim] = (tally.kills[victim] ?? 0) + 1
      done += 1
    }
  }
}

/** The process continues even if this one ends meanwhile. */
async function stopFor(stopped: ProcessIdentity, wait: () => Promise<void>): Promise<void> {
  const goOn = (): void => {
    if (isRunning(stopped)) process.kill(stopped.pid, 'SIGCONT')
  }
  process.on('exit', goOn)
  process.kill(stopped.pid, 'SIGSTOP')
  try {
    await wait()
  } finally {
    goOn()
    process.off('exit', goOn)
  }
}

/** @returns undefined while it does not run, or when the sandbox did not start it */
function processOf(dir: string, victim: Victim): ProcessIdentity | undefined {
  if (victim !== 'postgres') return recordedProcess(join(dir, `${victim}.process.json`))
  const lock = readLockFile(actualDataDir(join(dir, 'postgres')))
  const found = lock?.status === 'ready' ? inspectProcess(lock.pid) : undefined
  return found?.command === 'postgres' ? found : undefined
}
