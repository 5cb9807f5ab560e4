import type { RoutingTable } from '../../cards/acquiring/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'

export interface FiatInvoiceSettings {
  catalogue: Catalogue
  table: RoutingTable
  /** the public URL of the api, without a trailing slash */
  publicUrl: string
}

/** The URL of an invoice's payment page. */
export const pageUrl = ({ publicUrl }: Pick<FiatInvoiceSettings, 'publicUrl'>, id: string): string =>
  `${publicUrl}/invoices/fiat/${id}`

/** The URL to which an acquirer returns the payer: the page then says that it waits for the acquirer's answer. */
export const returnUrl = (settings: Pick<FiatInvoiceSettings, 'publicUrl'>, id: string): string =>
  `${pageUrl(settings, id)}?returned=1`
