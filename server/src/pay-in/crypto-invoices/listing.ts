import { NETWORKS, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, ownerOf } from '../../chain/addresses/index.ts'
import { addressForms } from '../../platform/base/mail-address.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  examination,
  isAmong,
  isAnyOf,
  isHashedValue,
  isId,
  isInPage,
  isInTime,
  isInUnits,
  isValue,
  pageOf,
  rowsOfPage,
  type Examined,
  type Listed,
  type ListPage,
  type UnitRange,
} from '../../platform/lists/page.ts'
import type { Invoice } from './invoice.ts'
import type { InvoiceState } from './machine.ts'
import { INVOICE_COLUMNS, invoiceOf, type InvoiceRow } from './store.ts'

/** Conditions on invoices, all of which hold; null: any. The range is of the amount that an invoice asks for. */
export interface InvoiceFilter extends UnitRange {
  ids: readonly string[] | null
  states: readonly InvoiceState[] | null
  ticker: string | null
  blockchain: Network | null
  meta: string | null
  /** of the payer, in any form (`addressForms`) */
  email: string | null
  /** at which the invoice is paid */
  address: string | null
  /** the payment link from which it was made */
  linkId: string | null
}

/** A page of a merchant's invoices, newest first. The key of a row is its id. */
export const listInvoices = async (
  db: Db,
  merchantId: string,
  filter: InvoiceFilter,
  page: ListPage,
): Promise<Listed<Invoice>> => {
  const addressIds = await addressIdsOf(db, filter)
  const emails = filter.email === null ? null : [filter.email, ...addressForms(filter.email)]
  const conditions = sql`${isAmong(sql`i.state`, filter.states)} and ${isValue(sql`i.ticker`, filter.ticker)}
    and ${isValue(sql`i.blockchain`, filter.blockchain)}
    and ${isInUnits(sql`i.units`, filter)} and ${isInTime(sql`i.created_at`, page)}`
  const select = sql`select ${INVOICE_COLUMNS}, ${examination(sql`i.id desc`, conditions)}
    from crypto_invoices i
    where i.merchant_id = ${merchantId} and ${isInPage(sql`i.id`, page)} and ${isAnyOf(sql`i.id`, filter.ids)}
      and ${isId(sql`i.link_id`, filter.linkId)}
      and ${isAnyOf(sql`i.address_id`, addressIds)} and ${isAmong(sql`i.email`, emails)}
      and ${isHashedValue(sql`i.meta`, filter.meta)}
    order by i.id desc`
  const { rows } = await sql<InvoiceRow & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  const { rows: found, next } = pageOf(rows, page.limit, ({ id }) => id)
  return { rows: found.map(invoiceOf), next }
}

/** The addresses among which those of the invoices are; null: any. One text may be an address of several networks. */
const addressIdsOf = async (db: Db, { address }: InvoiceFilter): Promise<string[] | null> => {
  if (address === null) return null
  const families = [...new Set(NETWORKS.map(familyOf))]
  const owners = await Promise.all(families.map((family) => ownerOf(db, family, [address])))
  return owners.flatMap((byAddress) => byAddress.get(address)?.addressId ?? [])
}
