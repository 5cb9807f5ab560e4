/** Counts of invoices and claims that a merchant looks after, as parts of one statement of another module. */
import { sql, type RawBuilder } from 'kysely'

/** SQL: how many claims wait for the merchant's decision, at most `most`. */
export const countUndecided = (merchantId: string, most: number): RawBuilder<number> =>
  sql`(select count(*) from (select from refund_claims where merchant_id = ${merchantId} and state in ('requested', 'failed') limit ${most}) c)`

/** SQL: how many invoices that were created since a time have expired with a part of their amount, at most `most`. */
export const countUnderpaid = (merchantId: string, since: Date, most: number): RawBuilder<number> =>
  sql`(select count(*) from (select from crypto_invoices where merchant_id = ${merchantId} and created_at >= ${since}
    and state = 'expired' and paid_units > 0 and not refunded limit ${most}) i)`

/** SQL: whether the merchant has an invoice. */
export const hasCryptoInvoice = (merchantId: string): RawBuilder<boolean> =>
  sql`exists (select from crypto_invoices where merchant_id = ${merchantId})`

/** SQL: the newest invoice of a merchant; null without one. @param merchant SQL of the merchant's id */
export const newestCryptoInvoice = (merchant: RawBuilder<string>): RawBuilder<string | null> =>
  sql`(select id from crypto_invoices where merchant_id = ${merchant} order by id desc limit 1)`

/** SQL: when the newest claim that waits for a decision was made; null without one. @param merchant SQL of its id */
export const newestUndecided = (merchant: RawBuilder<string>): RawBuilder<Date | null> =>
  sql`(select requested_at from refund_claims where merchant_id = ${merchant} and state in ('requested', 'failed')
    order by requested_at desc limit 1)`
