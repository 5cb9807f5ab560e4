import { sql } from 'kysely'
import { isUuid } from '../../platform/base/id.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  examination,
  isAmong,
  isAnyOf,
  isHashedValue,
  isId,
  isInUnits,
  isValue,
  LEAST_ID,
  pageOf,
  rowsOfPage,
  type Examined,
  type Listed,
  type ListPage,
  type UnitRange,
} from '../../platform/lists/page.ts'
import type { FiatInvoice } from './invoice.ts'
import type { FiatInvoiceState } from './machine.ts'
import { COLUMNS } from './store.ts'

/** Conditions on invoices, all of which hold; null: any. The range is of the amount that an invoice asks for. */
export interface FiatInvoiceFilter extends UnitRange {
  ids: readonly string[] | null
  states: readonly FiatInvoiceState[] | null
  ticker: string | null
  meta: string | null
  /** of the payer, as it is stored */
  email: string | null
  /** the payment link from which it was made */
  linkId: string | null
}

/** Ids of fiat invoices are random, so a key begins with the time of creation, in microseconds. */
const KEY = /^(\d{1,18})\/(.{36})$/
export const isFiatInvoiceKey = (text: string): boolean => isUuid(KEY.exec(text)?.[2] ?? '')

interface Row extends FiatInvoice, Examined {
  createdMicros: string
}

const LATEST = 9_000_000_000_000_000

/**
 * The key before which the rows of a page are: the lower one of `after` and of the end of the range. PostgreSQL would
 * begin at one of two such bounds only, and read all between them.
 */
const boundOf = ({ after, timeTo }: ListPage): { micros: number; id: string } => {
  const end = { micros: timeTo === null ? LATEST : timeTo.getTime() * 1_000, id: LEAST_ID }
  if (after === null) return end
  const [, micros, id] = KEY.exec(after)!
  return Number(micros) < end.micros ? { micros: Number(micros), id: id! } : end
}

/** A page of a merchant's invoices, newest first, each with its key, which is its time and its id. */
export const listFiatInvoices = async (
  db: Db,
  merchantId: string,
  filter: FiatInvoiceFilter,
  page: ListPage,
): Promise<Listed<FiatInvoice & { key: string }>> => {
  const { micros, id } = boundOf(page)
  const conditions = sql`${isAmong(sql`i.state`, filter.states)} and ${isValue(sql`i.ticker`, filter.ticker)}
    and ${isInUnits(sql`i.units`, filter)}`
  const select = sql`select ${COLUMNS}, (extract(epoch from i.created_at) * 1000000)::bigint::text as "createdMicros",
      ${examination(sql`i.created_at desc, i.id desc`, conditions)}
    from fiat_invoices i
    where i.merchant_id = ${merchantId}
      and (i.created_at, i.id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)
      and i.created_at >= coalesce(${page.timeFrom}::timestamptz, '-infinity')
      and ${isId(sql`i.link_id`, filter.linkId)}
      and ${isAnyOf(sql`i.id`, filter.ids)} and ${isValue(sql`i.email`, filter.email)}
      and ${isHashedValue(sql`i.meta`, filter.meta)}
    order by i.created_at desc, i.id desc`
  const { rows } = await sql<Row>`${rowsOfPage(select, sql`"createdAt" desc, id desc`, page)}`.execute(db)
  const keyOf = ({ createdMicros, id: own }: Pick<Row, 'createdMicros' | 'id'>): string => `${createdMicros}/${own}`
  const listed = pageOf(rows, page.limit, keyOf)
  return {
    rows: listed.rows.map(({ createdMicros, ...invoice }) => ({
      ...invoice,
      key: keyOf({ createdMicros, id: invoice.id }),
    })),
    next: listed.next,
  }
}
