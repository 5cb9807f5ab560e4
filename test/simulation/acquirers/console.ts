/**
 * The operator who reads the acquirers' consoles, and answers the alerts that ask for it: how much of a disputed
 * payment went back, and which refund was never made.
 */
import { sql } from 'kysely'
import { findPayment, resolveDispute, resolveRefund } from '../../../server/src/cards/acquiring/index.ts'
import type { PaymentSubscriber } from '../../../server/src/cards/acquiring/index.ts'
import { RefundRefused } from '../../../server/src/cards/acquiring/refunding.ts'
import { carryOut } from '../../../server/src/ledger/effects/index.ts'
import { createInvoicePaymentSubscriber } from '../../../server/src/pay-in/fiat-invoices/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import { openSubjects } from '../../../server/src/platform/runtime/alerts.ts'
import type { RefundAsked } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Payment } from './account.ts'

/** As the commands of an operator have it. */
export const subscriberOf = ({ catalogue, routing }: Simulation): PaymentSubscriber =>
  createInvoicePaymentSubscriber({ catalogue, publicUrl: 'http://127.0.0.1:1', table: routing })

const wentBack = ({ status, paid, refunded, refundedThere }: Payment): bigint =>
  status === 'reversed' ? paid! : refunded + refundedThere

/** @returns how many disputes were answered */
export const answerDisputes = async (simulation: Simulation): Promise<number> => {
  const { acquirers, db } = simulation
  const payments = new Map(acquirers.payments().map((one) => [one.reference, one]))
  const subjects = await openSubjects(db, ['payment-disputed'], '')
  let answered = 0
  for (const reference of subjects) {
    const known = await findPayment(db, reference)
    const units = wentBack(payments.get(reference)!) - known!.refundedUnits
    try {
      await inTransaction(db, async (tx) => {
        const moment = simulation.moment()
        await carryOut(tx, await resolveDispute(tx, reference, units, 'the console', moment), moment)
      })
      answered += 1
    } catch (error) {
      // It is answered later.
      if (!(error as Error).message.startsWith('a refund of payment ')) throw error
    }
  }
  return answered
}

/** The refunds that the worker has begun for members. */
const refundsOfMembers = async ({
  books,
  db,
}: Simulation): Promise<Pick<RefundAsked, 'reference' | 'id' | 'before'>[]> => {
  const refunds = new Map(books.requested.flatMap(({ id, refund }) => (refund ? [[id, refund] as const] : [])))
  const { rows } = await sql<{ id: string; request: string }>`select withdrawal_id as id, request_id as request
    from payout_lines where request_id = any(${[...refunds.keys()]}::uuid[]) and state = 'placed'`.execute(db)
  return rows.map(({ id, request }) => {
    const { reference, before } = refunds.get(request)!
    return { reference, id, before }
  })
}

/** Ends refunds that the console does not show. @returns how many were ended */
export const endLostRefunds = async (simulation: Simulation): Promise<number> => {
  const { acquirers, books, db } = simulation
  const payments = new Map(acquirers.payments().map((one) => [one.reference, one]))
  let ended = 0
  for (const asked of [...books.refundsAsked, ...(await refundsOfMembers(simulation))]) {
    const { reference, id, before } = asked
    if (payments.get(reference)!.refunds > before) continue
    const lost = { id, how: 'refused', by: 'the console does not show it' } as const
    try {
      await inTransaction(db, async (tx) => {
        const moment = simulation.moment()
        await carryOut(tx, await resolveRefund(tx, lost, subscriberOf(simulation), moment), moment)
      })
      ended += 1
    } catch (error) {
      if (!(error instanceof RefundRefused)) throw error
    }
  }
  return ended
}
