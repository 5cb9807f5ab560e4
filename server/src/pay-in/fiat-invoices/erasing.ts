import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

/**
 * Removes a payer's e-mail address from the fiat invoices of one merchant, or of all. It ignores case, and reads every
 * invoice of those merchants.
 * @param emails the forms of the address (`addressForms`)
 * @returns the number of invoices that had it
 */
export const eraseFiatInvoiceEmails = async (
  tx: Tx,
  emails: readonly string[],
  merchantId: string | null,
): Promise<number> =>
  Number(
    (
      await sql`update fiat_invoices set email = null where lower(email) in (select lower(one) from unnest(${[...emails]}::text[]) one)
        and (${merchantId}::uuid is null or merchant_id = ${merchantId})`.execute(tx)
    ).numAffectedRows ?? 0n,
  )
