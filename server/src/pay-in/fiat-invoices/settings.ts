import type { RoutingTable } from '../../cards/acquiring/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'

export interface FiatInvoiceSettings {
  catalogue: Catalogue
  table: RoutingTable
  /** where payers reach the api, without a slash at its end */
  publicUrl: string
}

/** The payer's page of an invoice. */
export const pageUrl = ({ publicUrl }: Pick<FiatInvoiceSettings, 'publicUrl'>, id: string): string =>
  `${publicUrl}/invoices/fiat/${id}`

/** Where an acquirer sends the payer back to: the page then says that it is waiting for the acquirer's word. */
export const returnUrl = (settings: Pick<FiatInvoiceSettings, 'publicUrl'>, id: string): string =>
  `${pageUrl(settings, id)}?returned=1`
