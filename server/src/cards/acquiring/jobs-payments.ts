import { AcquirerRefusal, AcquirerUnreachable, type Acquirer } from '../../adapters/acquirers/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import { raiseAlert, raiseOrRenewAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { heedAnswer } from './answering.ts'
import { recordAsked, recordMade, recordNotTaken, recordUnanswered } from './commands.ts'
import { forgetOldHealth, readFailing, recordOutcome } from './health.ts'
import { forgetOldCallbacks } from './callback.ts'
import type { Payment, PaymentSubscriber } from './payment.ts'
import { callbackPath } from './routes.ts'
import type { RoutingTable } from './routing.ts'
import { nextAfterFailure } from './schedule.ts'
import { inAcquirerCall } from './traced-call.ts'
import { askAgainAt, claimPayments, type PaymentLine } from './store.ts'

/** Longer than the deadline of any adapter. */
const LEASE_MS = 120_000
const MOST_AT_ONCE = 10
const MISSING_AGAIN_MS = 5 * 60_000

export interface PaymentJobDeps {
  runtime: Runtime
  acquirers: ReadonlyMap<string, Acquirer>
  table: RoutingTable
  subscriber: PaymentSubscriber
  /** our public origin, used by acquirers and payers, without a trailing slash */
  publicUrl: string
  pause(name: string): Promise<void>
}

/** How often to look for payments whose acquirer is not configured. */
const MISSING_EVERY_MS = 10_000

/**
 * Creates the jobs that advance payments. They send planned payments to their acquirer, and query all others that are
 * due, because an acquirer called or because its callback may have been lost. Each account has one job for each of
 * these two tasks, so an acquirer that hangs or answers slowly delays neither other acquirers' pages nor its own.
 */
export const createPaymentJobs = (deps: PaymentJobDeps, everyMs: number): Job[] => {
  const names = [...deps.acquirers.keys()]
  return [
    ...names.flatMap((acquirer) => [
      jobOf(deps, `give payments to ${acquirer}`, { acquirer, isPlanned: true }, everyMs),
      jobOf(deps, `ask ${acquirer} for payments`, { acquirer, isPlanned: false }, everyMs),
    ]),
    jobOf(deps, 'payments of acquirers that are not configured', { noneOf: names }, MISSING_EVERY_MS),
  ]
}

const jobOf = (deps: PaymentJobDeps, name: string, line: PaymentLine, everyMs: number): Job => ({
  name,
  everyMs,
  idleMs: IDLE_MS,
  run: async () => {
    const due = await claimPayments(deps.runtime.db, line, momentOf(deps.runtime).at, LEASE_MS, MOST_AT_ONCE)
    await Promise.all(due.map((payment) => guardedStep(deps, payment)))
    // Run again at once: a payment that was passed to the next acquirer is planned again, and its payer is waiting.
    return due.length > 0
  },
})

const guardedStep = async (deps: PaymentJobDeps, payment: Payment): Promise<void> => {
  try {
    await step(deps, payment)
  } catch (error) {
    deps.runtime.log.warn({ err: error, payment: payment.id }, 'a step of a payment failed and is tried again')
    await askAgainAt(deps.runtime.db, payment, nextAfterFailure(payment, momentOf(deps.runtime).at))
  }
}

const step = async (deps: PaymentJobDeps, payment: Payment): Promise<void> => {
  const { runtime, acquirers } = deps
  const acquirer = acquirers.get(payment.acquirer)
  if (!acquirer) {
    const text = `Payment ${payment.id} is at ${payment.acquirer}, which is not configured: configure it again until all its payments have ended`
    await raiseAlert(runtime.db, { kind: 'acquirer-missing', subject: payment.acquirer, text }, momentOf(runtime))
    return askAgainAt(runtime.db, payment, new Date(runtime.clock.business() + MISSING_AGAIN_MS))
  }
  if (payment.state === 'planned') return create(deps, acquirer, payment)
  // The worker that sent it to the acquirer has not recorded an answer.
  const known = payment.state === 'asking' ? await giveUpWaiting(deps, payment) : payment
  if (known) await ask(deps, acquirer, { ...known, epoch: payment.epoch })
}

const giveUpWaiting = async (
  { runtime, table, subscriber }: PaymentJobDeps,
  { id }: Payment,
): Promise<Payment | undefined> => {
  const failing = await readFailing(runtime.db, momentOf(runtime).at)
  return inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const unanswered = await recordUnanswered(tx, id, { table, failing }, subscriber, moment)
    if (unanswered) await carryOut(tx, unanswered.effects, moment)
    return unanswered?.payment
  })
}

const create = async (deps: PaymentJobDeps, acquirer: Acquirer, payment: Payment): Promise<void> => {
  const { runtime } = deps
  const { at } = momentOf(runtime)
  const isOurs = await inTransaction(runtime.db, (tx) =>
    recordAsked(tx, payment, new Date(at.getTime() + LEASE_MS), at),
  )
  if (!isOurs) return
  await deps.pause('payment-asked-not-sent')
  try {
    const page = await inAcquirerCall(acquirer, 'create payment', payment.id, () =>
      acquirer.createPayment(orderOf(deps, payment)),
    )
    await deps.pause('payment-made-not-stored')
    await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      await carryOut(tx, await recordMade(tx, payment.id, page, deps.subscriber, moment), moment)
    })
    await noteOutcome(deps, acquirer, true)
  } catch (error) {
    await notMade(deps, acquirer, payment, error)
  }
}

/** Times given to acquirers are real times: in a sandbox, business time may be ahead of them. */
const orderOf = (
  { runtime, publicUrl }: PaymentJobDeps,
  payment: Payment,
): Parameters<Acquirer['createPayment']>[0] => ({
  reference: payment.id,
  ticker: payment.ticker,
  units: payment.units,
  description: payment.description,
  callbackUrl: publicUrl + callbackPath(payment.acquirer),
  returnUrl: payment.returnUrl,
  email: payment.email ?? undefined,
  language: payment.language,
  expiresAt: payment.expiresAt.getTime() - (runtime.clock.business() - runtime.clock.now()),
})

/**
 * Handles a failed call that should have made a page. No payer has seen the page, so another acquirer may get the
 * order. If this acquirer may have received it, it is still queried.
 */
const notMade = async (deps: PaymentJobDeps, acquirer: Acquirer, payment: Payment, error: unknown): Promise<void> => {
  const { runtime, table, subscriber } = deps
  const isRefusal = error instanceof AcquirerRefusal
  if (!isRefusal && !(error instanceof AcquirerUnreachable)) throw error
  await noteOutcome(deps, acquirer, false)
  if (!isRefusal && error.sent) {
    runtime.log.warn({ err: error, payment: payment.id }, 'an acquirer did not answer an order')
    await giveUpWaiting(deps, payment)
    return
  }
  const why = { refusalCode: isRefusal ? error.code : 'unreachable', refusalMessage: error.message }
  const failing = await readFailing(runtime.db, momentOf(runtime).at)
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await carryOut(tx, await recordNotTaken(tx, payment.id, why, { table, failing }, subscriber, moment), moment)
  })
}

const ask = async (deps: PaymentJobDeps, acquirer: Acquirer, payment: Payment): Promise<void> => {
  const { runtime, subscriber } = deps
  await deps.pause('payment-not-asked')
  let answer
  try {
    answer = await acquirer.paymentState(payment.id, payment.acquirerReference ?? undefined)
  } catch (error) {
    if (!(error instanceof AcquirerUnreachable)) throw error
    await noteOutcome(deps, acquirer, false)
    const text = `${acquirer.name} can't be queried about payments (${error.message}): payers wait, nothing is lost`
    await raiseOrRenewAlert(
      runtime.db,
      { kind: 'acquirer-unreachable', subject: acquirer.name, text },
      momentOf(runtime),
    )
    return askAgainAt(runtime.db, payment, nextAfterFailure(payment, momentOf(runtime).at))
  }
  await deps.pause('payment-answer-not-stored')
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await carryOut(
      tx,
      await heedAnswer(
        tx,
        payment,
        answer,
        { subscriber, takesOtherCards: acquirer.capabilities.takesOtherCards ?? false },
        moment,
      ),
      moment,
    )
  })
  const over = ['acquirer-unreachable', 'acquirer-missing'] as const
  await resolveAlertsOf(runtime.db, over, [acquirer.name], momentOf(runtime).at)
}

const noteOutcome = ({ runtime }: PaymentJobDeps, { name }: Acquirer, good: boolean): Promise<void> =>
  recordOutcome(runtime.db, { acquirer: name, direction: 'payIn', good }, momentOf(runtime).at)

/** Creates the job that deletes old callbacks and counts. */
export const createAcquiringPruneJob = (runtime: Runtime): Job => ({
  name: 'acquirers: old health and callbacks',
  everyMs: 3_600_000,
  run: async () => {
    const { at } = momentOf(runtime)
    await forgetOldHealth(runtime.db, at)
    await forgetOldCallbacks(runtime.db, at)
    return false
  },
})
