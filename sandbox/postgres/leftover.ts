/**
 * Handles the state that an earlier run left in a data directory: a live server to adopt, a process to end, or a lock
 * file to remove.
 */
import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, waitUntilGone } from '../process/end.ts'
import { inspectProcess, processesWorkingIn } from '../process/identity.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import { answers } from './connection.ts'
import { clearStaleSocket } from './socket.ts'

export interface LiveServer extends ProcessIdentity {
  readonly socketDir: string
}

interface LockFile {
  readonly pid: number
  readonly socketDir: string
  readonly status: string
}

/** A crash recovery may take long; a server that neither answers nor recovers in this time is ended. */
const answerWaitMs = 60_000

/** Returns the server that runs on this data directory and answers. Without one, a new server can be started. */
export async function adoptOrClear(dataDir: string): Promise<LiveServer | undefined> {
  const lock = readLockFile(dataDir)
  const identity = lock === undefined ? undefined : postmasterOf(lock.pid, dataDir)
  if (lock !== undefined && identity !== undefined) {
    if (await becomesReady(dataDir, lock, identity))
      return { ...identity, socketDir: readLockFile(dataDir)?.socketDir ?? lock.socketDir }
    await endProcess(identity, [
      { signal: 'SIGINT', waitMs: 10_000 },
      { signal: 'SIGQUIT', waitMs: 5_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ])
  }
  await endSurvivors(dataDir)
  if (lock !== undefined) {
    rmSync(join(dataDir, 'postmaster.pid'), { force: true })
    if (lock.socketDir !== '') clearStaleSocket(lock.socketDir)
  }
  return undefined
}

/**
 * postmaster.pid, PostgreSQL documentation "Database File Layout": pid, directory, start, port, socket directory, ...,
 * status.
 */
export function readLockFile(dataDir: string): LockFile | undefined {
  try {
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), socketDir: lines[4] ?? '', status: (lines[7] ?? '').trim() }
  } catch {
    return undefined
  }
}

async function becomesReady(dataDir: string, lock: LockFile, identity: ProcessIdentity): Promise<boolean> {
  const deadline = performance.now() + answerWaitMs
  for (let now = lock; performance.now() < deadline; now = readLockFile(dataDir) ?? now) {
    if (now.status === 'stopping') {
      await waitUntilGone(identity, answerWaitMs)
      return false
    }
    if (now.status === 'ready' && (await answers(now.socketDir))) return true
    if (await waitUntilGone(identity, 50)) return false
  }
  return false
}

/** Servers work in their data directory, so a reused pid cannot be taken for one where the system shows that. */
function postmasterOf(pid: number, dataDir: string): ProcessIdentity | undefined {
  const info = inspectProcess(pid)
  if (info === undefined || info.command !== 'postgres') return undefined
  if (info.workingDirectory !== undefined && info.workingDirectory !== realpathSync(dataDir)) return undefined
  return info
}

/**
 * Backends outlive a killed postmaster briefly and still share its memory: a new server beside them would corrupt the
 * data. Idle backends end by themselves; busy ones are ended.
 */
async function endSurvivors(dataDir: string): Promise<void> {
  for (let round = 0; ; round++) {
    const survivors = processesWorkingIn(dataDir).filter((info) => info.command === 'postgres')
    if (survivors.length === 0) return
    if (round < 20) {
      await sleep(50)
      continue
    }
    for (const survivor of survivors) {
      await endProcess(survivor, [
        { signal: 'SIGQUIT', waitMs: 3_000 },
        { signal: 'SIGKILL', waitMs: 3_000 },
      ])
    }
  }
}
