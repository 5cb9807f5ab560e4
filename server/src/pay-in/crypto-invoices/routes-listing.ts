import { listCryptoInvoices } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import { companyOf } from '../../merchants/accounts/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { readIds, readTicker, readUnitRange, type ListedAsset, type ListQuery } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { claimsOf } from './claims-store.ts'
import { listInvoices, type InvoiceFilter } from './listing.ts'
import { lookupBody } from './lookup.ts'
import { pageUrl } from './settings.ts'

export interface InvoiceListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
  publicUrl: string
}

/** The list of a merchant's crypto invoices, each as its lookup shows it (`contract.md` section 20). */
export const invoiceListRoute = ({ runtime: { db, clock }, catalogue, publicUrl }: InvoiceListDeps): Route =>
  listRoute(listCryptoInvoices, clock, async ({ merchantId, query, page }) => {
    const filter = filterOf(query, readTicker(query.ticker, catalogue.crypto))
    const { rows, next } = await listInvoices(db, merchantId, filter, page)
    const expired = rows.flatMap(({ id, state }) => (state === 'expired' ? [id] : []))
    const [company, claims] = [await companyOf(db, merchantId), await claimsOf(db, merchantId, expired)]
    const items = rows.map((invoice) => {
      const { id } = invoice
      return lookupBody(invoice, { url: pageUrl({ publicUrl }, id), company, claim: claims.get(id) }, catalogue)
    })
    return { items, next }
  })

const filterOf = (query: ListQuery, asset: ListedAsset | null): InvoiceFilter => ({
  ids: readIds(query),
  states: query.status === undefined ? null : ([query.status.toLowerCase()] as InvoiceFilter['states']),
  ticker: asset && asset.ticker,
  blockchain: (query.blockchain ?? null) as InvoiceFilter['blockchain'],
  ...readUnitRange(query, asset),
  meta: query.meta ?? null,
  email: query.email ?? null,
  address: query.address ?? null,
  linkId: null,
})
