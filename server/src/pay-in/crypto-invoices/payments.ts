import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'
import type { Payment } from './invoice.ts'

const COLUMNS =
  sql.raw(`p.merchant_id as "merchantId", p.deposit_id as "depositId", p.invoice_id as "invoiceId", p.units, p.fee_units as fee, p.state,
  p.late, p.told as notified, p.price_e18 as "priceE18", p.unvalued, p.arrived_at as "arrivedAt", p.mined_at as "minedAt", p.mined_by as "minedBy"`)

/** Returns the payments of an invoice, oldest first. Code that changes them locks the invoice first. */
export const paymentsOf = async (db: Db | Tx, merchantId: string, invoiceId: string): Promise<Payment[]> => {
  const { rows } = await sql<Payment>`select ${COLUMNS} from crypto_invoice_payments p
    where p.merchant_id = ${merchantId} and p.invoice_id = ${invoiceId} order by p.arrived_at, p.deposit_id`.execute(db)
  return rows
}

/** A payment of an invoice with the assets that its amounts are in. */
export type PaymentOfInvoice = Payment & { ticker: string }

/** A page of all payments of a merchant's invoices, by the id of their deposit. */
export const paymentsById = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<PaymentOfInvoice[]> => {
  const { rows } = await sql<PaymentOfInvoice>`select ${COLUMNS}, i.ticker from crypto_invoice_payments p
    join crypto_invoices i on i.merchant_id = p.merchant_id and i.id = p.invoice_id and i.ticker is not null
    where p.merchant_id = ${merchantId} and p.deposit_id > ${after} and p.arrived_at < ${before}
    order by p.deposit_id limit ${limit}`.execute(db)
  return rows
}

/** Stores payments in their present state. */
export const storePayments = async (tx: Tx, payments: readonly Payment[]): Promise<void> => {
  for (const payment of payments) {
    const {
      merchantId,
      depositId,
      invoiceId,
      units,
      fee,
      state,
      late,
      notified,
      priceE18,
      unvalued,
      arrivedAt,
      minedAt,
      minedBy,
    } = payment
    await sql`insert into crypto_invoice_payments(merchant_id, deposit_id, invoice_id, units, fee_units, state, late, told, price_e18, unvalued, arrived_at, mined_at, mined_by)
      values (${merchantId}, ${depositId}, ${invoiceId}, ${units}, ${fee}, ${state}, ${late}, ${notified}, ${priceE18}, ${unvalued}, ${arrivedAt}, ${minedAt}, ${minedBy})
      on conflict (merchant_id, deposit_id) do update set state = excluded.state, told = excluded.told,
        price_e18 = excluded.price_e18, unvalued = excluded.unvalued, mined_at = excluded.mined_at`.execute(tx)
  }
}

/** Marks everything credited so far as notified. */
export const markNotified = async (tx: Tx, merchantId: string, invoiceId: string): Promise<void> => {
  await sql`update crypto_invoice_payments set told = true
    where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and state = 'credited' and not told`.execute(tx)
}
