/** Wakes jobs of the worker when another process has committed work for them. */
import { NETWORKS, type Network } from '@bursar/chainkit'
import { MINED_CHANNEL } from '../../chain/transactions/index.ts'
import { payoutJob } from '../../pay-out/withdrawals/index.ts'
import { WORK_CHANNEL } from './announcer.ts'
import type { JobLoop } from '../../platform/jobs/index.ts'

/**
 * Ends long pauses of jobs when a process has committed work. Plans payments of a network as soon as transactions of it
 * are mined, because its hot addresses may then send more. A notification that is lost costs time only: the jobs also
 * run at their intervals. Any login of the database can send notifications: however many arrive, the job of a network
 * is woken at most once in `LEAST_MS`, and no other pause becomes shorter than `everyMs`.
 */
export interface Waking {
  readonly channels: readonly string[]
  /** Wakes the jobs of this loop from now on. */
  follow(loop: Pick<JobLoop, 'wake' | 'announce'>): void
  /** The connection now listens: earlier notifications may be lost. */
  connected(): void
  /**
   * A notification has arrived.
   * @param payload of the channel of mined transactions: their network; any other text is ignored
   */
  notified(channel: string, payload: string): void
  /** There may be work for any job: it is committed, or the business clock was moved. */
  announced(): void
}

/** Shorter than the time between two blocks of any network. */
const LEAST_MS = 250

export const createWaking = (): Waking => {
  let loop: Pick<JobLoop, 'wake' | 'announce'> | undefined
  const rests = new Map<Network, { isDue: boolean }>()
  const wake = (network: Network): void => {
    const rest = rests.get(network)
    if (rest !== undefined) {
      rest.isDue = true
      return
    }
    if (loop === undefined) return
    loop.wake(payoutJob(network))
    const resting = { isDue: false }
    rests.set(network, resting)
    setTimeout(() => {
      rests.delete(network)
      if (resting.isDue) wake(network)
    }, LEAST_MS).unref()
  }
  const announced = (): void => loop?.announce()
  return {
    channels: [MINED_CHANNEL, WORK_CHANNEL],
    follow: (started) => {
      loop = started
    },
    connected: () => {
      NETWORKS.forEach(wake)
      announced()
    },
    notified: (channel, payload) => {
      if (channel === WORK_CHANNEL) return announced()
      const network = NETWORKS.find((one) => one === payload)
      if (network !== undefined) wake(network)
    },
    announced,
  }
}
