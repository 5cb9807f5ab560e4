import type { MakingSettings } from '../../pay-in/payment-links/index.ts'
import type { DashboardDeps } from '../../people/pages/index.ts'

export interface InvoicingDeps extends DashboardDeps, Omit<MakingSettings, 'publicUrl'> {}

/** Paths behind that of the merchant. */
export const NEW_INVOICE = 'invoices/new'
export const INVOICE = 'invoices/{kind}/{id}'
export const LINKS = 'links'
export const NEW_LINK = `${LINKS}/new`
export const LINK = `${LINKS}/{id}`
export const LINK_MAIL = `${LINK}/mail`

/** Rows of a page of links. */
export const ROWS = 30
/** Payments that the page of a link shows. */
export const SHOWN_PAYMENTS = 10
/** The totals of a link are those of so many of its newest invoices. */
export const MOST_COUNTED = 10_000
