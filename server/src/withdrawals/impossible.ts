import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import { raiseAlert } from '../platform/alerts.ts'
import { momentOf } from '../platform/runtime.ts'
import { giveUp } from './commands.ts'
import type { PayoutDeps } from './payouts.ts'
import type { Withdrawal } from './withdrawal.ts'

/**
 * Gives a withdrawal back that can't succeed: the chain says so now, and nothing was signed for it, which is proof enough.
 * @returns false: nothing was planned
 */
export const refuseImpossible = async (
  deps: Pick<PayoutDeps, 'runtime' | 'catalogue' | 'followers'>,
  withdrawal: Withdrawal,
  message: string,
): Promise<false> => {
  const { runtime } = deps
  const moment = momentOf(runtime)
  await inTransaction(runtime.db, async (tx) => {
    const effects = await giveUp(tx, withdrawal, deps, moment)
    if (!effects) return
    await carryOut(tx, effects, moment)
    const text = `Withdrawal ${withdrawal.id} can't succeed on ${withdrawal.blockchain} and was given back: ${message}`
    await raiseAlert(tx, { kind: 'withdrawal-impossible', subject: withdrawal.id, text }, moment)
  })
  return false
}
