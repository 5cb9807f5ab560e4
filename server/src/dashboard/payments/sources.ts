import type { Catalogue } from '../../market/assets/index.ts'
import { listInvoices, type InvoiceFilter } from '../../pay-in/crypto-invoices/index.ts'
import { hasHash, listDeposits, type DepositFilter } from '../../pay-in/deposits/index.ts'
import { isFiatInvoiceKey, listFiatInvoices, type FiatInvoiceFilter } from '../../pay-in/fiat-invoices/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Listed, ListPage } from '../../platform/lists/page.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Filter, StatusGroup } from './filter.ts'
import type { Source } from './merging.ts'
import { ofCardInvoice, ofDeposit, ofInvoice, type Payment } from './payment.ts'
import { soughtBy, type Sought } from './search.ts'

export interface SourceDeps {
  db: Db
  clock: Clock
  catalogue: Catalogue
}

const INVOICE: Readonly<Record<StatusGroup, InvoiceFilter['states']>> = {
  waiting: ['created', 'registered'],
  processing: ['pending'],
  paid: ['paid'],
  ended: ['expired'],
}
const CARD: Readonly<Record<StatusGroup, FiatInvoiceFilter['states']>> = {
  waiting: ['created', 'pending'],
  processing: ['paid'],
  paid: ['done'],
  ended: ['failed'],
}
/** By the newest status of its notifications. A deposit exists once it was seen, so none is waiting. */
const DEPOSIT: Readonly<Record<StatusGroup, DepositFilter['statuses']>> = {
  waiting: [],
  processing: ['Pending'],
  paid: ['Done', 'Verified'],
  ended: ['Failed'],
}

type Read = (after: string | null, limit: number) => ReturnType<Source<Payment>['read']>

/**
 * The lists that a filter selects from: those of the API, one for each kind of payment. A search reads each kind once
 * for each field that may have the text.
 */
export const sourcesOf = (deps: SourceDeps, merchantId: string, filter: Filter): Source<Payment>[] => {
  const sought: readonly (Sought | undefined)[] = filter.text === null ? [undefined] : soughtBy(filter.text)
  return sought.flatMap((one) => {
    const suffix = one === undefined || one.by === 'meta' ? '' : one.by
    return [
      source(`crypto${suffix}`, isUuid, invoices(deps, merchantId, filter, one)),
      source(`card${suffix}`, isFiatInvoiceKey, cardInvoices(deps, merchantId, filter, one)),
      source(`deposit${suffix}`, isUuid, deposits(deps, merchantId, filter, one)),
    ].flatMap((found) => found ?? [])
  })
}

const source = (name: string, isKey: Source<Payment>['isKey'], read: Read | undefined): Source<Payment> | undefined =>
  read && { name, isKey, read }

/** Reads pages of a list of the API, as payments. */
const reading =
  <Row>(
    { clock, catalogue }: SourceDeps,
    { timeFrom, timeTo }: Filter,
    list: (page: ListPage) => Promise<Listed<Row>>,
    paymentOf: (row: Row, catalogue: Catalogue) => Payment,
  ): Read =>
  async (after, limit) => {
    const { rows, next } = await list({ limit, after, timeFrom, timeTo, aheadMs: clock.business() - clock.now() })
    return { rows: rows.map((row) => paymentOf(row, catalogue)), next }
  }

const idsOf = (sought: Sought | undefined): string[] | null => (sought?.by === 'id' ? [sought.text] : null)
const metaOf = (sought: Sought | undefined): string | null => (sought?.by === 'meta' ? sought.text : null)
const addressOf = (sought: Sought | undefined): string | null => (sought?.by === 'address' ? sought.text : null)

const invoices = (deps: SourceDeps, merchantId: string, filter: Filter, sought?: Sought): Read | undefined => {
  const { kind, asset, statusGroup } = filter
  if ((kind !== null && kind !== 'crypto') || asset?.isCrypto === false || sought?.by === 'hash') return undefined
  const given: InvoiceFilter = {
    ids: idsOf(sought),
    states: statusGroup && INVOICE[statusGroup],
    ticker: asset && asset.ticker,
    blockchain: filter.network,
    unitsFrom: filter.unitsFrom,
    unitsTo: filter.unitsTo,
    meta: metaOf(sought),
    email: sought?.by === 'email' ? sought.text : null,
    address: addressOf(sought),
    linkId: filter.linkId,
  }
  return reading(deps, filter, (page) => listInvoices(deps.db, merchantId, given, page), ofInvoice)
}

const cardInvoices = (deps: SourceDeps, merchantId: string, filter: Filter, sought?: Sought): Read | undefined => {
  const { kind, asset, statusGroup, network } = filter
  if ((kind !== null && kind !== 'card') || asset?.isCrypto === true || network !== null) return undefined
  if (sought?.by === 'hash' || sought?.by === 'address') return undefined
  const given: FiatInvoiceFilter = {
    ids: idsOf(sought),
    states: statusGroup && CARD[statusGroup],
    ticker: asset && asset.ticker,
    unitsFrom: filter.unitsFrom,
    unitsTo: filter.unitsTo,
    meta: metaOf(sought),
    email: sought?.by === 'email' ? sought.stored : null,
    linkId: filter.linkId,
  }
  return reading(deps, filter, (page) => listFiatInvoices(deps.db, merchantId, given, page), ofCardInvoice)
}

const deposits = (deps: SourceDeps, merchantId: string, filter: Filter, sought?: Sought): Read | undefined => {
  const { kind, asset, statusGroup } = filter
  // A deposit that pays an invoice of a link is on the page of that invoice.
  if ((kind !== null && kind !== 'deposit') || asset?.isCrypto === false || filter.linkId !== null) return undefined
  if (sought?.by === 'email' || statusGroup === 'waiting') return undefined
  const given: DepositFilter = {
    ids: idsOf(sought),
    statuses: statusGroup && DEPOSIT[statusGroup],
    asset: asset && asset.ticker,
    network: filter.network,
    unitsFrom: filter.unitsFrom,
    unitsTo: filter.unitsTo,
    meta: metaOf(sought),
    address: addressOf(sought),
    hash: sought?.by === 'hash' ? sought.text : null,
    // A transaction, and an identifier, is found whether or not it pays an invoice.
    isPlain: sought?.by !== 'hash' && sought?.by !== 'id',
  }
  return reading(
    deps,
    filter,
    (page) => listDeposits(deps.db, merchantId, given, page),
    (one, catalogue) => ofDeposit(one, hasHash(one) ? one.transaction : null, catalogue),
  )
}
