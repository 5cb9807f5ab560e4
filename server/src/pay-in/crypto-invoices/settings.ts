import type { Network } from '@bursar/chainkit'
import type { DepositKeys } from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { ClaimTokens } from './claim-tokens.ts'

export interface InvoiceSettings {
  catalogue: Catalogue
  /** networks this installation watches */
  networks: ReadonlySet<Network>
  keys: DepositKeys
  /** fresh prices in 1e-18 USD for one whole unit; a ticker without one is absent */
  prices(db: Db | Tx, tickers: readonly string[]): Promise<ReadonlyMap<string, bigint>>
  /** how long a quote is valid, ms of the business clock */
  quoteMs: number
  /**
   * ms after the end of a quote or of an invoice by which a payment that was seen in time must be mined to count as
   * such
   */
  minedWithinMs: number
  /** the public URL of the api, without a trailing slash */
  publicUrl: string
  claimTokens: ClaimTokens
  /** Called for a paid invoice, in the transaction that makes it paid. */
  onPaid?(tx: Tx, invoice: { merchantId: string; id: string }, at: Date): Promise<void>
}

/** The payer's page of an invoice. */
export const pageUrl = ({ publicUrl }: Pick<InvoiceSettings, 'publicUrl'>, id: string): string =>
  `${publicUrl}/invoices/crypto/${id}`

/** The URL of the page with the signed link, which proves that the payer of an underpaid invoice received our mail. */
export const claimUrl = (settings: Pick<InvoiceSettings, 'publicUrl' | 'claimTokens'>, id: string): string =>
  `${pageUrl(settings, id)}?claim=${settings.claimTokens.of(id)}`
