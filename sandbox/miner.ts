/**
 * Mines blocks: fast while transactions wait or need confirmations, slowly otherwise, so that an idle sandbox uses
 * little disk and processor time.
 */
import type { SandboxChain } from './chains/chain.ts'

export interface Pace {
  /** Seconds between blocks while there is something to confirm. 0: no blocks but on demand. */
  readonly busySeconds: number
  /** Seconds between blocks otherwise. */
  readonly idleSeconds: number
}

export interface Miner {
  stop(): Promise<void>
}

/** Consecutive equal failures are logged once; the supervisor handles a node that is gone. */
export function startMiner(chain: SandboxChain, pace: Pace, log: (line: string) => void): Miner {
  if (pace.busySeconds === 0) return { stop: async () => {} }
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let lastBlockAt = performance.now()
  let failed = false

  const tick = async (): Promise<void> => {
    const idleOver = performance.now() - lastBlockAt >= pace.idleSeconds * 1000
    if (!idleOver && !(await chain.isBusy())) return
    await chain.mine(1)
    lastBlockAt = performance.now()
  }
  const attempt = async (): Promise<void> => {
    try {
      await tick()
      failed = false
    } catch (error) {
      if (!failed) log(`no block on ${chain.blockchain}: ${error instanceof Error ? error.message : String(error)}`)
      failed = true
    }
  }
  const schedule = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      running = attempt().finally(schedule)
    }, pace.busySeconds * 1000)
  }
  schedule()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
