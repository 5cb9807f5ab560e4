import { setTimeout as sleep } from 'node:timers/promises'
import { ChainUnavailable } from '../adapters/chains/port.ts'
import { createLamp } from './alarm.ts'
import { LeadershipLost } from './cursor.ts'
import { beginFollowing, type Follower, type FollowerDeps } from './follower.ts'
import { ForkTooDeep } from './fork.ts'
import type { Leadership } from './leadership.ts'
import { createPace, type Progress } from './progress.ts'

/** The node is not of the chain this installation is configured for. */
export class WrongChain extends Error {
  override name = 'WrongChain'
}

export interface Watcher {
  /**
   * Watches until aborted, while this process leads; else waits to lead. Rejects with `WrongChain` or `ForkTooDeep`,
   * after an alert, when the network must not be watched any further.
   */
  run(signal: AbortSignal): Promise<void>
  progress(): Progress
}

export interface WatcherDeps extends Omit<FollowerDeps, 'network' | 'ringBlocks'> {
  leadership: Leadership
}

const STANDBY_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
const LOG_EVERY_MS = 5_000
/** fewer blocks behind than this is not worth a line */
const BEHIND = 5
/** failures in a row that are worth a person's time, when they are not the node's silence */
const MANY_FAILURES = 5

export const createWatcher = (deps: WatcherDeps): Watcher => {
  const { runtime, adapter, settings, leadership } = deps
  const { network } = settings
  const log = runtime.log.child({ network })
  const pace = createPace(network, runtime.clock.now())
  const stale = createLamp(runtime, 'chain-stale', network)
  const failing = createLamp(runtime, 'watcher-failing', network)
  const stopped = createLamp(runtime, 'watcher-stopped', network)
  let follower: Follower | undefined
  let loggedAt = 0

  const progress = (): Progress => pace.progress(leadership.held(), runtime.clock.now())

  const begin = async (): Promise<Follower> => {
    const identity = await adapter.identity()
    const expected = settings.identity
    if (identity !== expected) {
      throw new WrongChain(`the node of ${network} is of chain ${identity}, not ${expected}: connect the right one`)
    }
    const began = await beginFollowing({ ...deps, network, ringBlocks: settings.ringBlocks })
    await stopped.set(null)
    log.info('leading')
    return began
  }

  /** One look at the chain; the pause before the next in ms. */
  const look = async (): Promise<number> => {
    if (!leadership.held()) follower = undefined
    if (!(await leadership.lead())) return STANDBY_MS
    follower ??= await begin()
    const step = await follower.step()
    pace.note(step, runtime.clock.now())
    await failing.set(null)
    await showStale()
    logProgress()
    return step.more ? 0 : settings.pollMs
  }

  const showStale = async (): Promise<void> => {
    const { staleMs, height } = progress()
    const minutes = Math.round(staleMs / 60_000)
    const text = `${network} has not grown for ${minutes} minutes, since block ${height}: check its node`
    await stale.set(staleMs < settings.staleAfterMs ? null : text)
  }

  const logProgress = (): void => {
    const now = runtime.clock.now()
    const { height, head, blocksPerSecond, etaSeconds } = progress()
    if (head - height < BEHIND || now - loggedAt < LOG_EVERY_MS) return
    loggedAt = now
    log.info({ height, head, blocksPerSecond: Math.round(blocksPerSecond), etaSeconds }, 'catching up')
  }

  const tell = async (error: unknown, failures: number): Promise<void> => {
    log.warn({ err: error, failures }, 'could not follow the chain, will try again')
    await showStale()
    if (error instanceof ChainUnavailable || error instanceof LeadershipLost || failures < MANY_FAILURES) return
    await failing.set(`${network} can't be followed since block ${progress().height}: ${String(error)}`)
  }

  const giveUp = async (error: WrongChain | ForkTooDeep): Promise<never> => {
    log.fatal({ err: error }, 'this network is not watched any more')
    await stopped.set(`${error.message}. The network is not watched until that is settled and the watcher restarted`)
    throw error
  }

  const lookAgain = async (failures: number): Promise<{ pause: number; failures: number }> => {
    try {
      return { pause: await look(), failures: 0 }
    } catch (error) {
      if (error instanceof WrongChain || error instanceof ForkTooDeep) return giveUp(error)
      if (error instanceof LeadershipLost) await leadership.release()
      // The database may be what failed: then there is nobody to tell but the log.
      await tell(error, failures + 1).catch((err: unknown) => log.error({ err }, 'could not raise an alert'))
      return { pause: Math.min(settings.pollMs * 2 ** (failures + 1), LONGEST_PAUSE_MS), failures: failures + 1 }
    }
  }

  return {
    progress,
    run: async (signal) => {
      try {
        for (let failures = 0; !signal.aborted; ) {
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
