import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** A row, or several rows together, that break an invariant. */
export interface Violation {
  invariant: string
  /** null when no single asset is concerned */
  asset: string | null
  /** null when no single merchant is concerned */
  merchantId: string | null
  /** the object that breaks it, such as `withdrawal ID`; with the invariant's name it identifies the violation */
  subject: string
  /** plain English, for an operator */
  text: string
}

/** The key of a row in a walk; the walk continues behind it. */
export interface Place {
  merchantId: string
  key: string
}

export interface Page {
  violations: readonly Violation[]
  /** where the next page begins; undefined after the last row */
  next: Place | undefined
}

export interface Invariant {
  name: string
  /** plain English */
  statement: string
  /** the usual scope of a violation; `Violation` states it for each */
  scope: 'asset' | 'merchant' | 'whole'
  /** the least key of its table */
  start: Place
  /**
   * Checks one page of rows in one statement, and so in one snapshot: no transaction is seen half done. It reads at
   * most `most` rows of its own table, and the rows that belong to them, by index.
   */
  find(db: Db | Tx, after: Place, most: number): Promise<Page>
}

/** Merchant ids and ids of objects above it are all real ones. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'
export const FIRST: Place = { merchantId: NO_ID, key: NO_ID }

/** One row of a page: a violation, or nulls when there is none, and the last key of the page. */
export interface PageRow {
  asset: string | null
  merchantId: string | null
  subject: string | null
  text: string | null
  lastMerchantId: string
  lastKey: string
  count: number
}

/**
 * The end of every statement. It joins `found` (asset, merchant_id, subject, text) with the last key of `page`
 * (merchant_id, key), so that a page without violations also returns a row.
 */
export const FOUND = sql`select f.asset, f.merchant_id as "merchantId", f.subject, f.text, l.merchant_id as "lastMerchantId", l.key as "lastKey", l.count
  from (select p.merchant_id, p.key::text as key, count(*) over () as count from page p order by p.merchant_id desc, p.key desc limit 1) l
  left join found f on true`

export const pageOf = (invariant: string, rows: readonly PageRow[], most: number): Page => {
  const [first] = rows
  return {
    violations: rows.flatMap(({ asset, merchantId, subject, text }) =>
      subject === null || text === null ? [] : [{ invariant, asset, merchantId, subject, text }],
    ),
    next: first && first.count >= most ? { merchantId: first.lastMerchantId, key: first.lastKey } : undefined,
  }
}
