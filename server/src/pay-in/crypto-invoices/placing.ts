import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { sql } from 'kysely'
import { readInvoice, type InvoiceBody } from './request.ts'
import { pageUrl, type InvoiceSettings } from './settings.ts'
import { insertInvoices } from './store.ts'

/** What an invoice that no signed request asked for has, beside the fields of such a request. */
export interface Placed {
  merchantId: string
  /** the payment link from which its payer makes it */
  linkId: string | null
  body: Omit<InvoiceBody, 'target' | 'toPendingImmediate'>
}

export type PlacingSettings = Pick<InvoiceSettings, 'catalogue' | 'networks' | 'publicUrl'>

/**
 * Stores an invoice that a person, or the payer of a payment link, makes. Throws an ApiRefusal that names the field.
 * @returns its id, and the URL of its payment page
 */
export const placeInvoice = async (
  tx: Tx,
  { merchantId, linkId, body }: Placed,
  settings: PlacingSettings,
  moment: Moment,
): Promise<{ id: string; url: string }> => {
  const invoice = { ...readInvoice(merchantId, body, settings, moment), linkId }
  await insertInvoices(tx, [{ invoice, keyId: null, keys: [], answer: { status: 303, body: '' } }])
  return { id: invoice.id, url: pageUrl(settings, invoice.id) }
}

/** Throws the ApiRefusal of the first field with which no invoice can be made. */
export const checkInvoice = (
  { merchantId, body }: Omit<Placed, 'linkId'>,
  settings: Omit<PlacingSettings, 'publicUrl'>,
  moment: Moment,
): void => {
  readInvoice(merchantId, body, settings, moment)
}

/** Invoices of a payment link in one asset. */
export interface LinkTotal {
  ticker: string
  paid: number
  /** credited, ledger units */
  units: bigint
}

/** What the newest `most` invoices of a payment link were paid, by asset. */
export const invoiceTotals = async (db: Db, merchantId: string, linkId: string, most: number): Promise<LinkTotal[]> =>
  (
    await sql<LinkTotal>`select i.ticker, count(*) filter (where i.state = 'paid') as paid, sum(i.paid_units) as units
      from (select * from crypto_invoices where merchant_id = ${merchantId} and link_id = ${linkId}
        order by id desc limit ${most}) i
      where i.ticker is not null and i.paid_units > 0 group by i.ticker order by i.ticker`.execute(db)
  ).rows

/** How many invoices of a payment link are paid or can still be paid: at most `most`. */
export const countLinkInvoices = async (
  tx: Db | Tx,
  merchantId: string,
  linkId: string,
  most: number,
): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*) as n from (select from crypto_invoices
      where merchant_id = ${merchantId} and link_id = ${linkId} and state <> 'expired' limit ${most}) used`.execute(tx)
  ).rows[0]!.n
