/** Wakes jobs of the worker when another process has committed work for them. */
import { NETWORKS, type Network } from '@bursar/chainkit'
import { MINED_CHANNEL } from '../../chain/transactions/index.ts'
import { payoutJob } from '../../pay-out/withdrawals/index.ts'
import type { JobLoop } from '../../platform/jobs/index.ts'

/**
 * Plans payments of a network as soon as transactions of it are mined, because its hot addresses may then send more. A
 * notification that is lost costs time only: the jobs also run at their intervals. Any login of the database can send
 * notifications: however many arrive, the job of a network is woken at most once in `LEAST_MS`.
 */
export interface Waking {
  readonly channels: readonly string[]
  /** Wakes the jobs of this loop from now on. */
  follow(loop: Pick<JobLoop, 'wake'>): void
  /** The connection now listens: earlier notifications may be lost. */
  connected(): void
  /** @param payload the network whose transactions are mined; any other text is ignored */
  notified(payload: string): void
}

/** Shorter than the time between two blocks of any network. */
const LEAST_MS = 250

export const createWaking = (): Waking => {
  let loop: Pick<JobLoop, 'wake'> | undefined
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
  return {
    channels: [MINED_CHANNEL],
    follow: (started) => {
      loop = started
    },
    connected: () => NETWORKS.forEach(wake),
    notified: (payload) => {
      const network = NETWORKS.find((one) => one === payload)
      if (network !== undefined) wake(network)
    },
  }
}
