import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { totalOf } from '../../ledger/postings/index.ts'
import { AWAITED, UNDER_WAY, type PaymentState } from './machine.ts'
import type { Payment } from './payment.ts'

/** Returns an acquirer's balance in the books, in minor units; negative when the acquirer has advanced money. */
export const heldBy = async (db: Db | Tx, acquirer: string, ticker: string): Promise<bigint> =>
  -(await totalOf(db, ticker, `acquirer:${acquirer}`))

type CalledPayment = Pick<Payment, 'state' | 'calledAt'>

/** The ended states without money after which an acquirer may still report, by a callback, that it has money. */
const WITHOUT_MONEY: readonly PaymentState[] = ['refused', 'expired', 'not-taken']
/** How long an invoice waits for confirmation of such a callback. The payment is queried for longer. */
const CALL_AWAITED_MS = 3_600_000

/** Whether a payment ended without money and its acquirer has since reported it paid, not confirmed yet. */
const isCalledPaid = ({ state, calledAt }: CalledPayment, at: Date): boolean =>
  WITHOUT_MONEY.includes(state) && calledAt !== null && at.getTime() - calledAt.getTime() < CALL_AWAITED_MS

/** Whether the payer may still pay, so that another attempt at the same invoice has to wait. */
export const isUnderWay = (payment: CalledPayment, at: Date): boolean =>
  UNDER_WAY.includes(payment.state) || isCalledPaid(payment, at)

/** Whether an invoice can fail only after the end of this payment. */
export const isAwaited = (payment: CalledPayment, at: Date): boolean =>
  AWAITED.includes(payment.state) || isCalledPaid(payment, at)

/** A subquery: the payments of invoice `i` (merchant_id, id) of the outer query that delay its failure. */
export const awaitedPayments = (
  at: Date,
): ReturnType<typeof sql> => sql`select from payments p where p.merchant_id = i.merchant_id and p.invoice_id = i.id
  and (p.state = any(${[...AWAITED]}::text[])
    or (p.state = any(${[...WITHOUT_MONEY]}::text[]) and p.called_at > ${new Date(at.getTime() - CALL_AWAITED_MS)}))`
