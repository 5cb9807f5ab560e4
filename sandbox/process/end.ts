/** Ends a process with increasingly strong signals, and never another process that has got its pid. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'

export interface EndStep {
  readonly signal: NodeJS.Signals
  /** How long to wait for the process to be gone before the next step, in ms. */
  readonly waitMs: number
}

/** Resolves once the process is gone. Throws when it outlives every step. */
export async function endProcess(identity: ProcessIdentity, steps: readonly EndStep[]): Promise<void> {
  for (const { signal, waitMs } of steps) {
    if (!signalProcess(identity, signal)) return
    if (await waitUntilGone(identity, waitMs)) return
  }
  throw new Error(`process ${identity.pid} does not end; end it by hand: kill -9 ${identity.pid}`)
}

/** True when the process ended within `waitMs`. */
export async function waitUntilGone(identity: ProcessIdentity, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  while (isRunning(identity)) {
    if (performance.now() > deadline) return false
    await sleep(10)
  }
  return true
}

function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false
  try {
    process.kill(identity.pid, signal)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
