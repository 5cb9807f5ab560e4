import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import {
  examination,
  isAmong,
  isAnyOf,
  isInPage,
  isInTime,
  isValue,
  pageOf,
  rowsOfPage,
  type Examined,
  type Listed,
  type ListPage,
} from '../../platform/lists/page.ts'
import type { LinkKind, LinkStatus, PaymentLink } from './link.ts'
import { COLUMNS, hasStatus } from './store.ts'

/** Conditions on links, all of which hold; null: any. */
export interface LinkFilter {
  ids: readonly string[] | null
  status: LinkStatus | null
  kind: LinkKind | null
  ticker: string | null
  localId: string | null
}

/** The filter that every link fits. */
export const ANY_LINK: LinkFilter = { ids: null, status: null, kind: null, ticker: null, localId: null }

/** A plain comparison, so that the index finds the link in a table of any size. */
const hasLocalId = (localId: string | null): RawBuilder<unknown> =>
  localId === null ? sql`true` : sql`l.local_id = ${localId}`

/** A page of a merchant's links, newest first. The key of a row is its id. @param at business clock */
export const listLinks = async (
  db: Db,
  merchantId: string,
  filter: LinkFilter,
  page: ListPage,
  at: Date,
): Promise<Listed<PaymentLink>> => {
  const { ids, status, kind, ticker, localId } = filter
  const conditions = sql`${hasStatus(status, at)} and ${isAmong(sql`l.kind`, kind && [kind])}
    and ${isValue(sql`l.ticker`, ticker)} and ${isInTime(sql`l.created_at`, page)}`
  const select = sql`select ${COLUMNS}, ${examination(sql`l.id desc`, conditions)} from payment_links l
    where l.merchant_id = ${merchantId} and ${isInPage(sql`l.id`, page)} and ${isAnyOf(sql`l.id`, ids)}
      and ${hasLocalId(localId)}
    order by l.id desc`
  const { rows } = await sql<PaymentLink & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  return pageOf(rows, page.limit, ({ id }) => id)
}
