import { AcquirerRefusal, AcquirerUnreachable, type Acquirer, type AcquirerState, type CardTicker } from '../adapters/acquirers/port.ts'
import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import type { Job } from '../jobs/index.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import type { PaymentListener } from './payment.ts'
import { heedRefund, recordRefundAsked } from './refunding.ts'
import { claimRefunds, refundAgainAt, type Refund } from './refund-store.ts'
import { findPayment } from './store.ts'

const LEASE_MS = 120_000
const AGAIN_MS = 60_000
const MOST_AT_ONCE = 10

export interface RefundJobDeps {
  runtime: Runtime
  acquirers: ReadonlyMap<string, Acquirer>
  listener: PaymentListener
  pause(name: string): Promise<void>
}

/** Gives money back through the acquirer it came by. Asking again with the same reference is the same refund. */
export const createRefundJob = (deps: RefundJobDeps, everyMs: number): Job => ({
  name: 'refunds of payments',
  everyMs,
  run: async () => {
    const due = await claimRefunds(deps.runtime.db, momentOf(deps.runtime).at, LEASE_MS, MOST_AT_ONCE)
    for (const refund of due) {
      try {
        await step(deps, refund)
      } catch (error) {
        deps.runtime.log.warn({ err: error, refund: refund.id }, 'a step of a refund failed and is tried again')
        await refundAgainAt(deps.runtime.db, refund, new Date(deps.runtime.clock.business() + AGAIN_MS))
      }
    }
    return due.length === MOST_AT_ONCE
  },
})

const step = async (deps: RefundJobDeps, refund: Refund): Promise<void> => {
  const { runtime } = deps
  const acquirer = deps.acquirers.get(refund.acquirer)
  const asked = await inTransaction(runtime.db, (tx) => {
    const { at } = momentOf(runtime)
    return recordRefundAsked(tx, refund, new Date(at.getTime() + LEASE_MS), at)
  })
  if (!asked) return
  await deps.pause('refund-asked-not-sent')
  const payment = await findPayment(runtime.db, refund.paymentId)
  const answer = await askFor(acquirer, refund, payment!.refundedUnits - refund.units)
  await deps.pause('refund-answer-not-stored')
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await carryOut(tx, await heedRefund(tx, refund, answer, deps.listener, moment), moment)
  })
}

const askFor = async (acquirer: Acquirer | undefined, { paymentId, id, units, ticker }: Refund, refundedUnits: bigint): Promise<AcquirerState> => {
  // It may have been asked before it was taken out of the configuration.
  if (!acquirer) return { kind: 'unknown', reason: 'not configured' }
  if (!acquirer.refund || !acquirer.capabilities.refund) {
    return { kind: 'refused', acquirerReference: undefined, code: 'not-offered', message: 'this acquirer gives no refunds by its interface', maskedCard: undefined }
  }
  try {
    return await acquirer.refund({ reference: paymentId, refundReference: id, units, refundedUnits, ticker: ticker as CardTicker })
  } catch (error) {
    if (error instanceof AcquirerRefusal) return { kind: 'refused', acquirerReference: undefined, code: error.code, message: error.message, maskedCard: undefined }
    if (error instanceof AcquirerUnreachable) return { kind: 'unknown', reason: error.message }
    throw error
  }
}
