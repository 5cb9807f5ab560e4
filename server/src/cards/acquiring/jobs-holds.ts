import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { repayOf } from './booking.ts'
import { dueHolds, releaseHold } from './holding.ts'
import type { PaymentSubscriber } from './payment.ts'
import { lockPayment } from './store.ts'

const MOST_AT_ONCE = 100

/** Creates the job that releases holds of card payments when their time has come, less the merchant's debt. */
export const createHoldJob = (
  {
    runtime,
    subscriber,
    pause,
  }: { runtime: Runtime; subscriber: PaymentSubscriber; pause(name: string): Promise<void> },
  everyMs: number,
): Job => ({
  name: 'holds of card payments',
  everyMs,
  run: async () => {
    const due = await dueHolds(runtime.db, momentOf(runtime).at, MOST_AT_ONCE)
    await forEachIsolated(due, async (hold) => {
      await pause('card-hold-due')
      await inTransaction(runtime.db, async (tx) => {
        const moment = momentOf(runtime)
        // Lock the payment's row first, as refunds and chargebacks do.
        const payment = await lockPayment(tx, hold.paymentId)
        if (!payment || !(await releaseHold(tx, hold, moment))) return
        const { items, left } = await repayOf(tx, hold, moment)
        await carryOut(tx, { items, notices: [] }, moment)
        await carryOut(tx, await subscriber.released(tx, payment, { ...hold, units: left }, moment), moment)
      })
    })
    return due.length === MOST_AT_ONCE
  },
})
