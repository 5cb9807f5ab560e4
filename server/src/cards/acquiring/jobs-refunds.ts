import {
  AcquirerRefusal,
  AcquirerUnreachable,
  type Acquirer,
  type CardTicker,
  type RefundOrder,
} from '../../adapters/acquirers/port.ts'
import { uuidOf } from '../../platform/base/id.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { Payment, PaymentSubscriber } from './payment.ts'
import { heedRefund, recordRefundSending, recordRefundUnsent, RefundRefused, type RefundAnswer } from './refunding.ts'
import { claimRefunds, countSameAmount, findRefund, refundAgainAt, type Refund } from './refund-store.ts'
import { findPayment } from './store.ts'
import { inAcquirerCall } from './traced-call.ts'

/** After this time another worker may claim the refund. It can't send the refund, and only queries its status. */
const LEASE_MS = 120_000
const AGAIN_MS = 60_000
const MOST_AT_ONCE = 10

export interface RefundJobDeps {
  runtime: Runtime
  acquirers: ReadonlyMap<string, Acquirer>
  subscriber: PaymentSubscriber
  pause(name: string): Promise<void>
}

/** Creates the job that sends each refund once, to the acquirer of its payment, and queries it until it has ended. */
export const createRefundJob = (deps: RefundJobDeps, everyMs: number): Job => ({
  name: 'refunds of payments',
  everyMs,
  run: async () => {
    const due = await claimRefunds(deps.runtime.db, momentOf(deps.runtime).at, LEASE_MS, MOST_AT_ONCE)
    await Promise.all(due.map((refund) => guardedStep(deps, refund)))
    return due.length === MOST_AT_ONCE
  },
})

const guardedStep = async (deps: RefundJobDeps, refund: Refund): Promise<void> => {
  try {
    await step(deps, refund)
  } catch (error) {
    if (error instanceof ClaimLost) return
    deps.runtime.log.warn({ err: error, refund: refund.id }, 'a step of a refund failed and is tried again')
    await refundAgainAt(deps.runtime.db, refund, new Date(deps.runtime.clock.business() + AGAIN_MS))
  }
}

/** Another worker has claimed the refund: this one must not send it. */
class ClaimLost extends Error {
  override name = 'ClaimLost'
}

const step = async (deps: RefundJobDeps, refund: Refund): Promise<void> => {
  const { runtime } = deps
  const acquirer = deps.acquirers.get(refund.acquirer)
  const payment = await findPayment(runtime.db, refund.paymentId)
  const order = orderOf(refund, payment!, await namesOf(runtime.db, refund))
  const answer = refund.state === 'asked' ? await ask(acquirer, order) : await send(deps, acquirer, refund, order)
  await deps.pause('refund-answer-not-stored')
  if (answer)
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      await carryOut(tx, await heedRefund(tx, refund, answer, deps.subscriber, moment), moment)
    })
}

type Names = Pick<RefundOrder, 'refundReference' | 'requestKey'>

/**
 * Returns the reference of a refund with the acquirer, and the key of its request (decision 219). The reference is
 * derived from the payment, the amount and how many other refunds of the payment have this amount, without refused
 * ones. So a restored database that has forgotten the refund sends it again under the reference that the
 * acquirer knows. A refund that was sent by an older release has its id.
 */
const namesOf = async (db: Db, refund: Refund): Promise<Names> => {
  if (refund.reference !== null) return { refundReference: refund.reference }
  if (refund.state === 'asked') return { refundReference: refund.id }
  const { refused, others } = await countSameAmount(db, refund)
  const refundReference = uuidOf(`refund ${others} of ${refund.units} of payment ${refund.paymentId}`)
  return refused === 0
    ? { refundReference }
    : { refundReference, requestKey: uuidOf(`${refundReference} after ${refused} refused`) }
}

const orderOf = (refund: Refund, payment: Payment, names: Names): RefundOrder => ({
  reference: refund.paymentId,
  acquirerReference: payment.acquirerReference ?? undefined,
  ...names,
  units: refund.units,
  refundedUnits: payment.refundedUnits - refund.units,
  ticker: refund.ticker as CardTicker,
})

/**
 * Queries the acquirer once more about a refund that an operator is about to record as not made. Throws a RefundRefused
 * when the acquirer shows the refund, says that it has it, or can't be asked. A refund that was not sent is queried as
 * well, because a restored copy of the database may have forgotten that it was. An account that is no longer configured
 * is not queried, and nothing can be sent to it either.
 */
export const requireNotShown = async (
  { runtime, acquirers }: Pick<RefundJobDeps, 'runtime' | 'acquirers'>,
  id: string,
): Promise<void> => {
  const refund = await findRefund(runtime.db, id)
  const payment = refund && (await findPayment(runtime.db, refund.paymentId))
  const acquirer = refund && acquirers.get(refund.acquirer)
  if (!payment || (refund.state !== 'asked' && refund.state !== 'requested') || !acquirer?.refundState) return
  const order = orderOf(refund, payment, await namesOf(runtime.db, refund))
  const answer = await acquirer.refundState(order).catch((error: unknown) => {
    if (error instanceof AcquirerUnreachable)
      throw new RefundRefused(`${acquirer.name} can't be queried about refund ${id} now (${error.message}): try again`)
    throw error
  })
  if (answer.kind === 'succeeded' || answer.kind === 'reversed')
    throw new RefundRefused(`${acquirer.name} shows refund ${id} as made: the worker posts it`)
  if (answer.kind === 'waiting')
    throw new RefundRefused(
      `${acquirer.name} has refund ${id} in its queue (${answer.reason ?? 'waiting'}): the payer may still get the money`,
    )
}

const ask = async (acquirer: Acquirer | undefined, order: RefundOrder): Promise<RefundAnswer> => {
  // It may have been sent before its acquirer was removed from the configuration.
  if (!acquirer?.refundState)
    return { state: { kind: 'unknown', reason: 'its acquirer is not configured' }, isToRefund: false }
  try {
    return { state: await acquirer.refundState(order), isToRefund: false }
  } catch (error) {
    if (error instanceof AcquirerUnreachable)
      return { state: { kind: 'unknown', reason: error.message }, isToRefund: false }
    throw error
  }
}

/** @returns undefined when the acquirer provably did not receive it, which is recorded */
const send = async (
  deps: RefundJobDeps,
  acquirer: Acquirer | undefined,
  refund: Refund,
  order: RefundOrder,
): Promise<RefundAnswer | undefined> => {
  const { runtime } = deps
  if (!acquirer) return { state: { kind: 'unknown', reason: 'its acquirer is not configured' }, isToRefund: false }
  if (!acquirer.refund || !acquirer.capabilities.refund) return { state: NOT_OFFERED, isToRefund: false }
  let sent: Refund | undefined
  const sending = async (): Promise<void> => {
    const { at } = momentOf(runtime)
    const asked = { reference: order.refundReference, until: new Date(at.getTime() + LEASE_MS), at }
    sent = await inTransaction(runtime.db, (tx) => recordRefundSending(tx, refund, asked))
    if (!sent) throw new ClaimLost()
    await deps.pause('refund-asked-not-sent')
  }
  try {
    const state = await inAcquirerCall(acquirer, 'refund', refund.id, () => acquirer.refund!(order, sending))
    const isFound = sent === undefined && acquirer.capabilities.namesRefunds === true
    return { state, isToRefund: sent !== undefined, ...(isFound && { foundAs: order.refundReference }) }
  } catch (error) {
    if (error instanceof AcquirerRefusal)
      return { state: { ...NOT_OFFERED, code: error.code, message: error.message }, isToRefund: sent !== undefined }
    if (!(error instanceof AcquirerUnreachable)) throw error
    const unsent = sent
    if (!unsent || error.sent) return { state: { kind: 'unknown', reason: error.message }, isToRefund: false }
    await inTransaction(runtime.db, (tx) => recordRefundUnsent(tx, unsent, momentOf(runtime)))
    return undefined
  }
}

const NOT_OFFERED = {
  kind: 'refused',
  acquirerReference: undefined,
  code: 'not-offered',
  message: 'this acquirer gives no refunds by its interface',
  maskedCard: undefined,
} as const
