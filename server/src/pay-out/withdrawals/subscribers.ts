import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Withdrawal } from './withdrawal.ts'

/** How a withdrawal ended. `hash`: of the transaction that carries it, null for one that never was in one. */
export interface Ended {
  status: 'Done' | 'Failed'
  hash: string | null
}

/**
 * A module that has withdrawals made for a purpose of its own: told once that one is Done or Failed, in the transaction
 * that makes it so.
 */
export type WithdrawalSubscriber = (
  tx: Tx,
  withdrawal: Pick<Withdrawal, 'merchantId' | 'id'>,
  ended: Ended,
  moment: Moment,
) => Promise<void>

export const notifySubscribers = async (
  withdrawalSubscribers: readonly WithdrawalSubscriber[],
  tx: Tx,
  withdrawal: Withdrawal,
  ended: Ended,
  moment: Moment,
): Promise<void> => {
  for (const follow of withdrawalSubscribers) await follow(tx, withdrawal, ended, moment)
}
