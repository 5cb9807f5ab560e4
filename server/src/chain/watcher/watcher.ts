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

  const lookAgain = async (failures: number): Promise<{ pause: number; failures: number }> => {
    try {
      return { pause: await look(), failures: 0 }
    } catch (error) {
      log.warn({ err: error, failures }, 'could not follow the chain, will try again')
      // If the database failed, only the log can be written.
      await lead?.failed(error, failures + 1).catch((err: unknown) => log.error({ err }, 'could not raise an alert'))
      if (mustStop(error)) throw error
      if (error instanceof LeadershipLost) await leadership.release()
      return { pause: Math.min(settings.pollMs * 2 ** (failures + 1), LONGEST_PAUSE_MS), failures: failures + 1 }
    }
  }

  return {
    progress: () => (lead ?? createPace(network, runtime.clock.now())).progress(leadership.held(), runtime.clock.now()),
    run: async (signal) => {
      try {
        for (let failures = 0; !signal.aborted;) {
          const next = await lookAgain(failures)
          failures = next.failures
          if (next.pause > 0) await sleep(next.pause, undefined, { signal }).catch(() => {})
        }
      } finally {
        await leadership.release()
      }
    },
  }
}

const mustStop = (error: unknown): error is WrongChain | ForkTooDeep =>
  error instanceof WrongChain || error instanceof ForkTooDeep
