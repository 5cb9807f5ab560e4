import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { totalOf } from '../../ledger/postings/index.ts'
import { AWAITED, UNDER_WAY, type PaymentState } from './machine.ts'
import type { Payment } from './payment.ts'

/** What an acquirer holds for us by the books, minor units; below 0 when it has advanced money. */
export const heldBy = async (db: Db | Tx, acquirer: string, ticker: string): Promise<bigint> =>
  -(await totalOf(db, ticker, `acquirer:${acquirer}`))

type Standing = Pick<Payment, 'state' | 'calledAt'>

/** The states without money that an acquirer may call about to say that it has money after all. */
const WITHOUT_MONEY: readonly PaymentState[] = ['refused', 'expired', 'not-taken']
/** So long the word of an acquirer that calls a payment paid after all is waited for. It is asked about for longer. */
const CALL_AWAITED_MS = 3_600_000

/** Whether a payment had ended without money and its acquirer has just called it paid, unconfirmed so far. */
const isCalledPaid = ({ state, calledAt }: Standing, at: Date): boolean =>
  WITHOUT_MONEY.includes(state) && calledAt !== null && at.getTime() - calledAt.getTime() < CALL_AWAITED_MS

/** Whether a payment may still bring money by itself, so that another try of its invoice has to wait. */
export const isUnderWay = (payment: Standing, at: Date): boolean =>
  UNDER_WAY.includes(payment.state) || isCalledPaid(payment, at)

/** Whether an invoice's failure waits for the end of a payment. */
export const isAwaited = (payment: Standing, at: Date): boolean =>
  AWAITED.includes(payment.state) || isCalledPaid(payment, at)

/** A subquery: the awaited payments of the invoice `i` (merchant_id, id) of the query around it. */
export const awaitedPayments = (
  at: Date,
): ReturnType<typeof sql> => sql`select from payments p where p.merchant_id = i.merchant_id and p.invoice_id = i.id
  and (p.state = any(${[...AWAITED]}::text[])
    or (p.state = any(${[...WITHOUT_MONEY]}::text[]) and p.called_at > ${new Date(at.getTime() - CALL_AWAITED_MS)}))`
