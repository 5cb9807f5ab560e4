import type { Logger } from 'pino'
import { ChainUnavailable } from '../../adapters/chains/port.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createAlertLatch } from './alert-latch.ts'
import { createBranchWatch } from './branches.ts'
import { LeadershipLost } from './cursor.ts'
import type { Follower, Step } from './follower.ts'
import { ForkTooDeep } from './fork.ts'
import { createPace, type Progress } from './progress.ts'
import type { WatcherSettings } from './settings.ts'

/** Thrown when the node is of another chain than this installation is configured for. */
export class WrongChain extends Error {
  override name = 'WrongChain'
}

/** State of a watcher while it leads a network, with its reports to the log and the operator. */
export interface Lead {
  follower: Follower | undefined
  note(step: Step): Promise<void>
  failed(error: unknown, failures: number): Promise<void>
  progress(leading: boolean, now: number): Progress
}

const LOG_EVERY_MS = 5_000
/** a smaller lag than this, in blocks, is not logged */
const BEHIND = 5
/** consecutive failures, other than an unavailable node, after which an alert is raised */
const MANY_FAILURES = 5

export const createLead = (deps: { runtime: Runtime; settings: WatcherSettings }, log: Logger): Lead => {
  const { runtime, settings } = deps
  const { network } = settings
  const now = (): number => runtime.clock.now()
  const pace = createPace(network, now())
  const stale = createAlertLatch(runtime, 'chain-stale', network)
  const unavailable = createAlertLatch(runtime, 'node-unavailable', network)
  const stalled = createAlertLatch(runtime, 'finality-stalled', network)
  const failing = createAlertLatch(runtime, 'watcher-failing', network)
  const stopped = createAlertLatch(runtime, 'watcher-stopped', network)
  const alternating = createAlertLatch(runtime, 'branches-alternate', network)
  const branches = createBranchWatch()
  let loggedAt = 0
  let unavailableSince: number | undefined
  log.info('leading')

  const showStale = async (): Promise<void> => {
    const { staleMs, height } = pace.progress(true, now())
    const minutes = Math.round(staleMs / 60_000)
    const text = `${network} has not grown for ${minutes} minutes, since block ${height}: check its node`
    await stale.set(staleMs < settings.staleAfterMs ? null : text)
  }

  const showStalled = async (reason: string | null): Promise<void> => {
    const { finalStaleMs, finalHeight } = pace.progress(true, now())
    const minutes = Math.round(finalStaleMs / 60_000)
    const text =
      `${network}: no block has become final for ${minutes} minutes, since block ${finalHeight}: deposits are seen, and nothing that waits for finality ` +
      `is credited. ${reason ?? 'The node names a final block that does not move on'}. See docs/operating/chain-trouble.md`
    await stalled.set(finalStaleMs < settings.finalStaleAfterMs ? null : text)
  }

  const showAlternating = async ({ cursor }: Step): Promise<void> => {
    const height = branches.note(cursor, now())
    const text =
      `${network}: the node shows two branches at block ${height} in turn, as several nodes behind one address do. ` +
      'Connect one node, or an address that keeps to one. See docs/operating/chain-trouble.md'
    await alternating.set(height === null ? null : text)
  }

  /**
   * Raises the alert with its reason: a wrong password, a pruned block or a missing index does not pass by itself, and
   * its reason says more than that the chain does not grow.
   */
  const showUnavailable = async (reason: string): Promise<void> => {
    unavailableSince ??= now()
    if (now() - unavailableSince < settings.unavailableAfterMs) return
    const minutes = Math.round(settings.unavailableAfterMs / 60_000)
    await unavailable.set(
      `${network} has not been followed for ${minutes} minutes and more. ${reason}. See docs/operating/chain-trouble.md`,
    )
  }

  const logProgress = (): void => {
    const { height, head, blocksPerSecond, etaSeconds } = pace.progress(true, now())
    if (head - height < BEHIND || now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = now()
    log.info({ height, head, blocksPerSecond: Math.round(blocksPerSecond), etaSeconds }, 'catching up')
  }

  return {
    follower: undefined,
    progress: pace.progress,
    note: async (step) => {
      pace.note(step, now())
      logProgress()
      await stopped.set(null)
      await failing.set(null)
      unavailableSince = undefined
      await unavailable.set(null)
      await showStale()
      await showStalled(step.finalUnknown)
      await showAlternating(step)
    },
    failed: async (error, failures) => {
      if (error instanceof WrongChain || error instanceof ForkTooDeep) {
        log.fatal({ err: error }, 'this network is not watched any more')
        const text = `${error.message}. The network is not watched until the cause is removed and the watcher is restarted`
        return stopped.set(text)
      }
      await showStale()
      if (error instanceof ChainUnavailable) return showUnavailable(error.message)
      if (error instanceof LeadershipLost || failures < MANY_FAILURES) return
      const { height } = pace.progress(true, now())
      await failing.set(
        `${network} can't be followed since block ${height}: ${String(error)}. The watcher tries again. If \`bursar doctor\` finds no fault of the node, report this text`,
      )
    },
  }
}
