import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { sql } from 'kysely'
import { formatUnits } from '../../platform/money/index.ts'
import type { LinkInvoice } from '../forms/index.ts'
import { claimOf } from './claims-store.ts'
import type { Invoice } from './invoice.ts'
import { isOpen } from './machine.ts'
import { readInvoice, type InvoiceBody } from './request.ts'
import { pageUrl, type InvoiceSettings } from './settings.ts'
import { insertInvoices, type InvoiceRow } from './store.ts'

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

/** Finds an invoice of a payment link, unless its asset is in the catalogue no more. @param at business clock */
export const findLinkInvoice = async (
  db: Db | Tx,
  { merchantId, linkId, id }: { merchantId: string; linkId: string; id: string },
  settings: PlacingSettings,
  at: Date,
): Promise<LinkInvoice | undefined> => {
  const { rows } = await sql<
    Pick<Invoice, 'state' | 'ticker' | 'units' | 'clientExpiresAt' | 'paid' | 'waiting' | 'refunded'> &
      Pick<InvoiceRow, 'baseTicker' | 'baseE18'>
  >`select state, ticker, units, paid_units as paid, waiting_units as waiting, refunded,
      base_ticker as "baseTicker", base_e18 as "baseE18",
      client_expires_at as "clientExpiresAt"
    from crypto_invoices where merchant_id = ${merchantId} and link_id = ${linkId} and id = ${id}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { state, ticker, units, baseTicker, baseE18, clientExpiresAt, paid, waiting, refunded } = row
  const inTime = state === 'pending' || (isOpen(state) && clientExpiresAt > at)
  // Paying the rest completes an expired invoice, unless its payer asked for a refund.
  const canComplete = state === 'expired' && paid + waiting > 0n && !refunded
  const claim = canComplete ? await claimOf(db, merchantId, id) : undefined
  const isCompletable = canComplete && (claim === undefined || claim.state === 'refused')
  const [asked, amount, scale] =
    baseTicker === null ? [ticker!, units!, settings.catalogue.findCrypto(ticker!)?.scale] : [baseTicker, baseE18!, 18]
  if (scale === undefined) return undefined
  return {
    ticker: asked,
    value: formatUnits(amount, scale),
    isOpen: inTime || isCompletable,
    url: pageUrl(settings, id),
  }
}

/**
 * How many invoices of a payment link are paid or can still be paid: at most `most`. Paying the rest completes an
 * expired invoice that was paid in part, so it counts until it is refunded.
 */
export const countLinkInvoices = async (
  tx: Db | Tx,
  merchantId: string,
  linkId: string,
  most: number,
): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*) as n from (
      (select from crypto_invoices where merchant_id = ${merchantId} and link_id = ${linkId} and state <> 'expired'
        limit ${most})
      union all
      (select from crypto_invoices where merchant_id = ${merchantId} and link_id = ${linkId} and state = 'expired'
        and (paid_units > 0 or waiting_units > 0) and not refunded limit ${most})
      limit ${most}) used`.execute(tx)
  ).rows[0]!.n
