/**
 * Payouts on TRON: the job that plans them and the job that sends, over the sandbox's chain. Subject: withdrawals.
 * Only tests of this module use it.
 */
import { notificationsOf } from '../../../../test/world/observed.ts'
import { runAll } from '../../../../test/world/network.ts'
import { openTron, type TronSetup, type TronWorld } from '../../../../test/world/tron.ts'
import { TRON_HOT } from '../../../../test/world/wallet.ts'
import type { AccountKind } from '../../ledger/postings/index.ts'
import { createTronPayoutJob } from './index.ts'

export interface TronPayouts extends Omit<TronWorld, 'balance'> {
  /**
   * Time goes on here and at the signer, and the node keeps its head and answers everything, as one that syncs (row
   * T-24: no servlet of java-tron's `framework/src/main/java/org/tron/core/services/http` asks whether the node is in
   * step, release_v4.8.1).
   */
  behind(ms: number): void
  /** Time goes on everywhere, and the watcher reads nothing. */
  watcherAway(ms: number): Promise<void>
  /** One run of the job that plans and of the one that sends. */
  work(): Promise<void>
  /** of a withdrawal */
  state(id: string): Promise<string>
  /** of the merchant */
  balance(asset: string, kind: AccountKind): Promise<bigint>
  statuses(): Promise<string[]>
}

export const openTronPayouts = async (url: string, wrap?: TronSetup['wrap']): Promise<TronPayouts> => {
  const world = await openTron({ url, hotHas: { TRX: '1000', USDT: '500' }, ...(wrap && { wrap }) })
  const { merchantId } = world
  const plan = createTronPayoutJob({ ...world.deps, hotAddress: TRON_HOT }, 0)
  const send = world.sendJob()
  return {
    ...world,
    behind: world.later,
    watcherAway: async (ms) => {
      world.later(ms)
      await world.chain.advance(ms)
    },
    work: async () => {
      // Planned, signed, handed over.
      for (const job of [plan, send, send]) await runAll(job)
    },
    state: world.withdrawal,
    balance: (asset, kind) => world.balance(merchantId, asset, kind),
    statuses: async () => (await notificationsOf(world.db, merchantId)).map(({ status }) => status),
  }
}
