/** Starts a component again each time it ends by itself, after a wait that grows while it keeps ending. */
import { setTimeout as sleep } from 'node:timers/promises'
import { tailOf } from './process/child.ts'
import type { Exit } from './process/child.ts'
import type { Running } from './running.ts'

/** @param signal aborted when the sandbox stops: a component that starts then ends at once */
export type StartAgain<T extends Running> = (signal: AbortSignal) => Promise<T>

export interface RestartTimes {
  /** A component that ran as long as this is started again at once, in ms. */
  readonly wellAfterMs: number
  /** Rejects when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

export const RESTART_TIMES: RestartTimes = {
  wellAfterMs: 5_000,
  pause: async (ms, signal) => {
    await sleep(ms, undefined, { signal })
  },
}

const LONGEST_WAIT_MS = 30_000
const LONGEST_LINE = 160

/** One component, over all of its starts. */
export interface Restarts<T extends Running> {
  /**
   * Starts the component again until it is ready, and prints each time the component that ended and how.
   *
   * @returns undefined when the sandbox stops meanwhile
   */
  again(ended: Running): Promise<T | undefined>
}

/** @param log gets each end and each start */
export function createRestarts<T extends Running>(
  name: string,
  start: StartAgain<T>,
  { signal, log, times }: { signal: AbortSignal; log: (line: string) => void; times: RestartTimes },
): Restarts<T> {
  let endings = 0
  let readyAt = performance.now()
  const waitMs = (): number => waitBefore(endings++)
  return {
    again: async (ended) => {
      if (performance.now() - readyAt >= times.wellAfterMs) endings = 0
      let wait = waitMs()
      log(`${name} ended (${await howOf(ended)}) and is started again ${when(wait)}${lastLine(ended)}`)
      for (;;) {
        try {
          await times.pause(wait, signal)
          const started = performance.now()
          const running = await start(signal)
          readyAt = performance.now()
          log(`${name.padEnd(24)} ${((readyAt - started) / 1000).toFixed(2).padStart(6)} s  started again`)
          return running
        } catch (error) {
          if (signal.aborted) return undefined
          wait = waitMs()
          log(`${name} did not start and is started again ${when(wait)}: ${(error as Error).message}`)
        }
      }
    },
  }
}

/** How long to wait before the next start, in ms. @param endings how often it ended since it last ran well */
function waitBefore(endings: number): number {
  return endings === 0 ? 0 : Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** (endings - 1))
}

const when = (waitMs: number): string => (waitMs === 0 ? 'at once' : `in ${waitMs / 1000} s`)

async function howOf({ exited }: Running): Promise<string> {
  if (exited === undefined) return 'by itself'
  const { code, signal }: Exit = await exited
  return signal === null ? `exit code ${code}` : `signal ${signal}`
}

function lastLine({ logFile }: Running): string {
  const line = logFile === undefined ? '' : readable(tailOf(logFile, 1)).slice(0, LONGEST_LINE)
  return line === '' ? '' : `\n  the last line of ${logFile}:\n  ${line}`
}

/** The roles log objects, of which the message and its cause are shown; other lines are shown as they are. */
function readable(line: string): string {
  try {
    const { job, msg, err } = JSON.parse(line) as { job?: string; msg?: string; err?: { message?: string } }
    return [job, msg, err?.message].filter((part) => part !== undefined).join(': ') || line
  } catch {
    return line
  }
}
