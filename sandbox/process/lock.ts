/** Mutual exclusion across processes: a lock file names its holder, so that a killed holder blocks no other process. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspectProcess, isRunning } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'

let attempts = 0

/** Runs `work` while holding the lock. Throws when a live holder has the lock for longer than `waitMs`. */
export async function withFileLock<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + waitMs
  while (!tryTake(path)) {
    const holder = readHolder(path)
    if (holder !== undefined && !isRunning(holder)) breakLock(path, holder)
    else if (performance.now() > deadline) {
      throw new Error(
        `process ${holder?.pid ?? 'unknown'} holds ${path} for more than ${waitMs} ms; end it, then try again`,
      )
    } else await sleep(20)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** Linking a finished file makes the lock appear with its content or not at all. */
function tryTake(path: string): boolean {
  const { pid, startedAt } = ourselves()
  const draft = `${path}.${pid}.${++attempts}`
  writeFileSync(draft, JSON.stringify({ pid, startedAt }))
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Renaming first, so that of two who break a dead holder's lock only one does, and a new holder's lock is put back. */
function breakLock(path: string, dead: ProcessIdentity): void {
  const aside = `${path}.dead.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  const found = readHolder(aside)
  if (found !== undefined && (found.pid !== dead.pid || found.startedAt !== dead.startedAt)) linkSync(aside, path)
  rmSync(aside, { force: true })
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity
  } catch {
    return undefined
  }
}

function ourselves(): ProcessIdentity {
  const info = inspectProcess(process.pid)
  if (info === undefined) throw new Error('the system tells us nothing about our own process; is /proc mounted?')
  return info
}
