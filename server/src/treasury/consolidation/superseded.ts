import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { recordSuperseded } from '../../chain/transactions/index.ts'
import { supersededJoinings } from './store.ts'

/**
 * Ends transactions that join coins and, as final blocks prove, can never be mined, so that their coins become free.
 */
export const createSupersededSubscriber = () => ({
  block: async (): Promise<Effects> => noEffects,
  orphaned: async (): Promise<Effects> => noEffects,
  settled: async (
    tx: Tx,
    network: Network,
    { finalHeight }: { finalHeight: number },
    moment: Moment,
  ): Promise<Effects> => {
    if (network !== 'BITCOIN') return noEffects
    for (const id of await supersededJoinings(tx, finalHeight)) await recordSuperseded(tx, id, moment)
    return noEffects
  },
  mempool: async (): Promise<Effects> => noEffects,
})
