import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { giveBack } from './giving-back.ts'
import type { PayoutDeps } from './payouts.ts'
import type { Withdrawal } from './withdrawal.ts'

/**
 * Gives a withdrawal back that can't succeed, once the signer has closed its intent.
 * @returns false: nothing was planned
 */
export const refuseImpossible = async (
  deps: Pick<PayoutDeps, 'runtime' | 'catalogue' | 'signer' | 'withdrawalSubscribers'>,
  withdrawal: Withdrawal,
  message: string,
): Promise<false> => {
  const { runtime } = deps
  const outcome = await giveBack(deps, withdrawal)
  if (outcome.kind !== 'given-back') return false
  const text = `Withdrawal ${withdrawal.id} can't succeed on ${withdrawal.blockchain} and was given back: ${message}`
  await raiseAlert(runtime.db, { kind: 'withdrawal-impossible', subject: withdrawal.id, text }, momentOf(runtime))
  return false
}
