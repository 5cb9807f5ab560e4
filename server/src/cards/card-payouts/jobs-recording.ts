import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { alertUnknown } from './alerts.ts'
import { askAgainAt } from './attempts.ts'
import { settle, type Outcome } from './commands.ts'
import type { Attempt } from './payout.ts'
import { askPauseMs, sendPauseMs, type CardPayoutDeps } from './sending.ts'

/** How long an outcome may stay unknown before an alert is raised. */
const TELL_AFTER_MS = 30 * 60_000

/** Posts an outcome with all its effects, and schedules the next query of the order. */
export const record = async (
  { runtime, catalogue }: CardPayoutDeps,
  attempt: Attempt,
  outcome: Outcome,
  { another, attempts }: { another: boolean; attempts: number },
): Promise<void> => {
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const after = (ms: number): Date => new Date(moment.at.getTime() + ms)
    const { effects, asks } = await settle(
      tx,
      attempt,
      outcome,
      { catalogue, another, sendAgainAt: after(sendPauseMs(attempts)) },
      moment,
    )
    await askAgainAt(tx, attempt, asks === 'no more' ? null : after(askPauseMs(attempt.asks)))
    if (asks === 'how it ends' && moment.at.getTime() - attempt.sentAt.getTime() >= TELL_AFTER_MS) {
      await alertUnknown(
        tx,
        attempt,
        'reason' in outcome && outcome.reason !== undefined ? outcome.reason : outcome.kind,
        moment,
      )
    }
    await carryOut(tx, effects, moment)
  })
}
