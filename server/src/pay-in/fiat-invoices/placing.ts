import { sql } from 'kysely'
import type { BodyOf, createFiatInvoice } from '@bursar/contract'
import { awaitedPayments } from '../../cards/acquiring/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { NewId } from '../../platform/base/id.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { readRedirect, type LinkInvoice } from '../forms/index.ts'
import { offered } from './amounts.ts'
import { createInvoice } from './commands.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { FiatInvoice } from './invoice.ts'
import { isOpen } from './machine.ts'
import { readNewInvoice } from './reading.ts'
import { pageUrl, type FiatInvoiceSettings } from './settings.ts'
import { hasRunOut } from './store.ts'

/** What an invoice that no signed request asked for has, beside the fields of such a request. */
export interface PlacedFiat {
  merchantId: string
  /** the payment link from which its payer makes it */
  linkId: string | null
  body: Omit<BodyOf<typeof createFiatInvoice>, 'target' | 'toPendingImmediate'>
}

const read = ({ merchantId, body }: Omit<PlacedFiat, 'linkId'>, id: string, settings: FiatInvoiceSettings) => {
  const { redirectUrl, ...rest } = body
  const redirect = redirectUrl === undefined ? null : readRedirect(redirectUrl)
  return readNewInvoice({ merchantId, id, body: rest, redirectUrl: redirect }, settings)
}

/**
 * Stores an invoice that a person, or the payer of a payment link, makes. Throws an ApiRefusal that names the field.
 * @param newInvoiceId makes ids that can't be guessed
 * @returns its id, and the URL of its payment page
 */
export const placeFiatInvoice = async (
  tx: Tx,
  placed: PlacedFiat,
  newInvoiceId: NewId,
  settings: FiatInvoiceSettings,
  moment: Moment,
): Promise<{ id: string; url: string }> => {
  const id = newInvoiceId()
  const invoice = { ...read(placed, id, settings), linkId: placed.linkId }
  await carryOut(tx, await createInvoice(tx, invoice, null, settings, moment), moment)
  return { id, url: pageUrl(settings, id) }
}

/** Throws the ApiRefusal of the first field with which no invoice can be made. */
export const checkFiatInvoice = (placed: Omit<PlacedFiat, 'linkId'>, settings: FiatInvoiceSettings): void => {
  read(placed, '', settings)
}

/** The currencies in which cards can pay here. */
export const cardCurrencies = ({ catalogue, table }: FiatInvoiceSettings): string[] =>
  offered(catalogue, table).map(({ ticker }) => ticker)

/** Invoices of a payment link in one currency. */
export interface FiatLinkTotal {
  ticker: string
  paid: number
  /** paid, minor units */
  units: bigint
}

/** What the newest `most` invoices of a payment link were paid, by currency. */
export const fiatInvoiceTotals = async (
  db: Db,
  merchantId: string,
  linkId: string,
  most: number,
): Promise<FiatLinkTotal[]> =>
  (
    await sql<FiatLinkTotal>`select i.ticker, count(*) as paid, sum(coalesce(i.paid_units, 0)) as units
      from (select * from fiat_invoices where merchant_id = ${merchantId} and link_id = ${linkId}
        order by created_at desc, id desc limit ${most}) i
      where i.state = 'done' and i.ticker is not null group by i.ticker order by i.ticker`.execute(db)
  ).rows

/** Finds an invoice of a payment link, unless its currency is in the catalogue no more. @param at business clock */
export const findFiatLinkInvoice = async (
  db: Db | Tx,
  { merchantId, linkId, id }: { merchantId: string; linkId: string; id: string },
  settings: FiatInvoiceSettings,
  at: Date,
): Promise<LinkInvoice | undefined> => {
  const { rows } = await sql<
    Pick<FiatInvoice, 'state' | 'ticker' | 'units'> & { hasRunOut: boolean }
  >`select i.state, i.ticker, i.units, coalesce(${hasRunOut(awaitedPayments(at), at)}, false) as "hasRunOut"
    from fiat_invoices i where i.merchant_id = ${merchantId} and i.link_id = ${linkId} and i.id = ${id}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { state, ticker, units } = row
  // An invoice of a link has an amount.
  if (ticker === null || units === null) return undefined
  const scale = settings.catalogue.findFiat(ticker)?.scale
  if (scale === undefined) return undefined
  const isUnfinished = state === 'paid' || (isOpen(state) && !row.hasRunOut)
  return { ticker, value: formatUnits(units, scale), isOpen: isUnfinished, url: pageUrl(settings, id) }
}

/** How many invoices of a payment link are paid or can still be paid: at most `most`. */
export const countFiatLinkInvoices = async (
  tx: Db | Tx,
  merchantId: string,
  linkId: string,
  most: number,
): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*) as n from (select from fiat_invoices
      where merchant_id = ${merchantId} and link_id = ${linkId} and state <> 'failed' limit ${most}) used`.execute(tx)
  ).rows[0]!.n
