/** Runs a process of the platform, such as the api: started each time, and ready when it reports so. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child.ts'
import type { Exit } from './child.ts'
import { endProcess } from './end.ts'
import { isRunning } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'
import { forgetProcess, recordedProcess, recordProcess } from './record.ts'

export interface ProgramOptions {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  /** The whole environment: nothing is inherited unasked, so that secrets stay where they belong. */
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly logFile: string
  /** Says which process it is, so that the next start ends one that a killed sandbox left. */
  readonly recordFile: string
  /** Asked every 50 ms. @param pid of the program */
  readonly ready: (pid: number) => Promise<boolean>
  readonly readyWaitMs?: number
  /** Aborted: the program is ended before it is ready. */
  readonly signal?: AbortSignal
}

export interface Program extends ProcessIdentity {
  readonly logFile: string
  readonly exited: Promise<Exit>
  stop(): Promise<void>
}

/** Throws with the end of the log when the program ends, is not ready in time or is to end before it is ready. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const left = recordedProcess(options.recordFile)
  if (left !== undefined) await end(left)
  const child = await startChild(options)
  recordProcess(options.recordFile, child)
  const waitMs = options.readyWaitMs ?? 120_000
  const deadline = performance.now() + waitMs
  while (!(await options.ready(child.pid))) {
    if (!isRunning(child)) throw new Error(`${options.name} ended while starting:\n${child.tail()}`)
    const isLate = performance.now() > deadline
    if (isLate || options.signal?.aborted === true) {
      await end(child)
      const when = isLate ? `within ${waitMs} ms` : 'when it was ended'
      throw new Error(`${options.name} was not ready ${when}:\n${child.tail()}`)
    }
    await sleep(50)
  }
  return {
    pid: child.pid,
    startedAt: child.startedAt,
    logFile: options.logFile,
    exited: child.exited,
    stop: async () => {
      await end(child)
      forgetProcess(options.recordFile)
    },
  }
}

function end(program: ProcessIdentity): Promise<void> {
  return endProcess(program, [
    { signal: 'SIGTERM', waitMs: 15_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ])
}
