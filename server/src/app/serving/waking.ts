/** Wakes jobs of the worker when another process has committed work for them. */
import { NETWORKS, type Network } from '@bursar/chainkit'
import { MINED_CHANNEL } from '../../chain/transactions/index.ts'
import { payoutJob } from '../../pay-out/withdrawals/index.ts'
import type { JobLoop } from '../../platform/jobs/index.ts'

/**
 * Plans payments of a network as soon as transactions of it are mined, because its hot addresses may then send more. A
 * notification that is lost costs time only: the jobs also run at their intervals.
 */
export interface Waking {
  readonly channels: readonly string[]
  /** Wakes the jobs of this loop from now on. */
  follow(loop: Pick<JobLoop, 'wake'>): void
  /** The connection now listens: earlier notifications may be lost. */
  connected(): void
  /** @param network a network, whose transactions are mined */
  notified(network: string): void
}

export const createWaking = (): Waking => {
  let loop: Pick<JobLoop, 'wake'> | undefined
  const wake = (network: Network): void => loop?.wake(payoutJob(network))
  return {
    channels: [MINED_CHANNEL],
    follow: (started) => {
      loop = started
    },
    connected: () => NETWORKS.forEach(wake),
    notified: (network) => wake(network as Network),
  }
}
