/**
 * Starts components one after the other, logs this, and stops them in reverse order on request. A component with
 * `restarts` is started again when it ends by itself. When another one ends, everything stops: the ended component is
 * named, and the next start continues with the same data.
 */
import { join } from 'node:path'
import { tailOf } from './process/child.ts'
import { inspectProcess, isRunning } from './process/identity.ts'
import { forgetProcess, recordedProcess, recordProcess } from './process/record.ts'
import { createRestarts, RESTART_TIMES } from './restarts.ts'
import type { Restarts, RestartTimes, StartAgain } from './restarts.ts'
import type { Running } from './running.ts'

export interface Supervisor {
  /**
   * Starts a component. Throws Stopping when the sandbox is to stop, and the error of `start`, with the name before it.
   */
  start<T extends Running>(name: string, start: () => Promise<T>): Promise<T>
  /**
   * Starts a component as `start` does, and starts it again each time it ends by itself. A first start that fails is
   * thrown; a later one is logged and tried again.
   */
  keep<T extends Running>(name: string, start: StartAgain<T>): Promise<T>
  /** Stops everything, the last started first. An error is printed and does not keep the others running. */
  stop(): Promise<void>
  /** Why the whole is to stop: a signal's name, or which component ended. Settles once. */
  readonly ending: Promise<Ending>
}

export interface Ending {
  readonly reason: string
  readonly exitCode: number
}

/** Thrown from a start that the user interrupted. */
export class Stopping extends Error {
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.reason)
    this.name = 'Stopping'
    this.ending = ending
  }
}

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
const watchEveryMs = 250

interface Component {
  readonly name: string
  /** Absent while it is started again. */
  running?: Running
  /** Present: the component is started again when it ends by itself. */
  readonly restarts?: Restarts<Running>
  /** Settles when the component runs again or the sandbox stops. */
  restarted?: Promise<void>
}

/** Opens the supervisor of a folder. Throws when another one is running there. */
export function openSupervisor(
  dir: string,
  log: (line: string) => void,
  times: RestartTimes = RESTART_TIMES,
): Supervisor {
  const record = join(dir, 'supervisor.process.json')
  const other = recordedProcess(record)
  if (other !== undefined)
    throw new Error(`process ${other.pid} already runs the sandbox in ${dir}; stop it, or use it`)
  const ourselves = inspectProcess(process.pid)
  if (ourselves !== undefined) recordProcess(record, ourselves)

  const components: Component[] = []
  const stopping = new AbortController()
  let ended: Ending | undefined
  let settle: (ending: Ending) => void = () => {}
  const ending = new Promise<Ending>((resolve) => (settle = resolve))
  const end = (reason: string, exitCode: number): void => {
    if (ended !== undefined) return
    ended = { reason, exitCode }
    settle(ended)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (ended === undefined) return end(signal, 0)
    log(`${signal} again: leaving at once; the next start takes over processes that still run`)
    process.exit(130)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const watch = setInterval(() => {
    for (const component of components) {
      const { name, running, restarts } = component
      if (running === undefined || !hasEnded(running)) continue
      if (restarts === undefined) return end(obituary(name, running), 1)
      delete component.running
      component.restarted = restarts.again(running).then((again) => {
        if (again !== undefined) component.running = again
      })
    }
  }, watchEveryMs)

  const first = async <T extends Running>(
    name: string,
    start: () => Promise<T>,
    restarts?: Restarts<T>,
  ): Promise<T> => {
    if (ended !== undefined) throw new Stopping(ended)
    const started = performance.now()
    const running = await start().catch((error: unknown) => {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    })
    components.push({ name, running, ...(restarts && { restarts }) })
    const seconds = ((performance.now() - started) / 1000).toFixed(2)
    log(`${name.padEnd(24)} ${seconds.padStart(6)} s${running.adopted === true ? '  was still running' : ''}`)
    if (ended !== undefined) throw new Stopping(ended)
    return running
  }

  return {
    ending,
    start: (name, start) => first(name, start),
    keep: (name, start) =>
      first(name, () => start(stopping.signal), createRestarts(name, start, { signal: stopping.signal, log, times })),
    stop: async () => {
      clearInterval(watch)
      stopping.abort()
      for (const component of components.splice(0).toReversed()) {
        await component.restarted
        const { name, running } = component
        await running?.stop().catch((error: unknown) => log(`${name} did not stop: ${String(error)}`))
      }
      for (const signal of signals) process.off(signal, onSignal)
      forgetProcess(record)
    },
  }
}

function hasEnded({ pid, startedAt }: Running): boolean {
  return pid !== undefined && startedAt !== undefined && !isRunning({ pid, startedAt })
}

function obituary(name: string, { logFile }: Running): string {
  if (logFile === undefined) return `${name} ended by itself`
  return `${name} ended by itself; the last lines of ${logFile}:\n${tailOf(logFile, 20)}`
}
