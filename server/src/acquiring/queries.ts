import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'
import { totalOf } from '../ledger/index.ts'
import { AWAITED, UNDER_WAY, type PaymentState } from './machine.ts'

/** What an acquirer holds for us by the books, minor units; below 0 when it has advanced money. */
export const heldBy = async (db: Db | Tx, acquirer: string, ticker: string): Promise<bigint> =>
  -(await totalOf(db, ticker, `acquirer:${acquirer}`))

/** Whether a payment may still bring money by itself, so that another try of its invoice has to wait. */
export const isUnderWay = ({ state }: { state: PaymentState }): boolean => UNDER_WAY.includes(state)

/** Whether an invoice has a payment whose end its expiry waits for. Asked with the invoice's row locked. */
export const hasAwaited = async (tx: Tx, merchantId: string, invoiceId: string): Promise<boolean> => {
  const { rows } = await sql`select from payments where merchant_id = ${merchantId} and invoice_id = ${invoiceId}
    and state = any(${[...AWAITED]}::text[]) limit 1`.execute(tx)
  return rows.length > 0
}

/** A subquery: the awaited payments of the invoice `i` (merchant_id, id) of the query around it. */
export const awaitedPayments = sql`select from payments p where p.merchant_id = i.merchant_id and p.invoice_id = i.id
  and p.state = any(${[...AWAITED]}::text[])`
