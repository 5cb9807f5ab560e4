import { setTimeout as sleep } from 'node:timers/promises'
import { LeadershipLost } from './cursor.ts'
import { beginFollowing, type Follower, type FollowerDeps } from './follower.ts'
import { ForkTooDeep } from './fork.ts'
import { createLead, WrongChain, type Lead } from './lead.ts'
import type { Leadership } from './leadership.ts'
import { createPace, type Progress } from './progress.ts'

export interface Watcher {
  /**
   * Runs until aborted: watches while this process leads, otherwise waits to lead. Rejects with `WrongChain` or
   * `ForkTooDeep`, after an alert, when the network must not be watched any further.
   */
  run(signal: AbortSignal): Promise<void>
  /**
   * One step of `run`, which then waits for the returned pause in ms. Call it once at a time. Rejects as `run` does;
   * other failures only make the pause longer.
   */
  step(): Promise<number>
  progress(): Progress
}

export interface WatcherDeps extends Omit<FollowerDeps, 'network' | 'ringBlocks'> {
  leadership: Leadership
  /**
   * Throws `ChainUnavailable` while the node lacks a requirement, such as an index. Called each time before following
   * begins.
   */
  requireFit?(): Promise<void>
}

const STANDBY_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

export const createWatcher = (deps: WatcherDeps): Watcher => {
  const { runtime, adapter, settings, leadership } = deps
  const { network } = settings
  const log = runtime.log.child({ network })
  let lead: Lead | undefined
  let failures = 0

  const begin = async (): Promise<Follower> => {
    const identity = await adapter.identity()
    const expected = settings.identity
    if (identity !== expected) {
      throw new WrongChain(`the node of ${network} is of chain ${identity}, not ${expected}: connect the right one`)
    }
    await deps.requireFit?.()
    return beginFollowing({ ...deps, network, ringBlocks: settings.ringBlocks })
  }

  /** Takes one step; returns the pause before the next in ms. */
  const look = async (): Promise<number> => {
    if (!leadership.held()) lead = undefined
    if (!(await leadership.lead())) return STANDBY_MS
    lead ??= createLead(deps, log)
    lead.follower ??= await begin()
    const step = await lead.follower.step()
    await lead.note(step)
    return step.more ? 0 : settings.pollMs
  }

  const step = async (): Promise<number> => {
    try {
      const pause = await look()
      failures = 0
      return pause
    } catch (error) {
      log.warn({ err: error, failures }, 'could not follow the chain, will try again')
      failures += 1
      // If the database failed, only the log can be written.
      await lead?.failed(error, failures).catch((err: unknown) => log.error({ err }, 'could not raise an alert'))
      if (mustStop(error)) throw error
      if (error instanceof LeadershipLost) await leadership.release()
      return Math.min(settings.pollMs * 2 ** failures, LONGEST_PAUSE_MS)
    }
  }

  return {
    step,
    progress: () => (lead ?? createPace(network, runtime.clock.now())).progress(leadership.held(), runtime.clock.now()),
    run: async (signal) => {
      try {
        while (!signal.aborted) {
          const pause = await step()
          if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => {})
        }
      } finally {
        await leadership.release()
      }
    },
  }
}

const mustStop = (error: unknown): error is WrongChain | ForkTooDeep =>
  error instanceof WrongChain || error instanceof ForkTooDeep
