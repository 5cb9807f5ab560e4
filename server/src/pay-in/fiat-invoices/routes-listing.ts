import { listFiatInvoices as operation } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import { companyOf } from '../../merchants/accounts/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { mailAddress } from '../../platform/base/mail-address.ts'
import { readIds, readTicker, readUnitRange, type ListedAsset, type ListQuery } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { isFiatInvoiceKey, listFiatInvoices, type FiatInvoiceFilter } from './listing.ts'
import { lookupBody } from './notice.ts'
import { pageUrl } from './settings.ts'

export interface FiatInvoiceListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
  publicUrl: string
}

/** The list of a merchant's fiat invoices (`contract.md` section 20). */
export const fiatInvoiceListRoute = ({ runtime: { db, clock }, catalogue, publicUrl }: FiatInvoiceListDeps): Route =>
  listRoute(
    operation,
    clock,
    async ({ merchantId, query, page }) => {
      const filter = filterOf(query, readTicker(query.ticker, catalogue.fiat))
      const { rows, next } = await listFiatInvoices(db, merchantId, filter, page)
      const company = await companyOf(db, merchantId)
      const items = rows.map((invoice) => ({
        ...lookupBody(invoice, company, catalogue),
        ...(invoice.email === null ? {} : { email: invoice.email }),
        url: pageUrl({ publicUrl }, invoice.id),
        createdAt: invoice.createdAt.getTime(),
      }))
      return { items, next }
    },
    isFiatInvoiceKey,
  )

const filterOf = (query: ListQuery, asset: ListedAsset | null): FiatInvoiceFilter => ({
  ids: readIds(query),
  states: query.status === undefined ? null : ([query.status.toLowerCase()] as FiatInvoiceFilter['states']),
  ticker: asset && asset.ticker,
  ...readUnitRange(query, asset),
  meta: query.meta ?? null,
  linkId: null,
  email: query.email === undefined ? null : (mailAddress(query.email) ?? query.email),
})
