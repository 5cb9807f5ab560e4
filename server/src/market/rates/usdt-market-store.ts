import { sql } from 'kysely'
import type { Level, OfficialRate } from '../../adapters/rates/port.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Agreement, Dropped } from './agreement.ts'
import type { UsdtMarket, OrderBook } from './usdt-market.ts'

/** The last reading of a market. */
export interface StoredUsdtMarket extends UsdtMarket {
  /** why the market is closed; null: it is open */
  closedBecause: string | null
  /** the last accepted median, 1e-18 of the market's quote for one base */
  believed: bigint | null
  believedAt: Date | null
  dropped: Dropped[]
  observedAt: Date
}

/** Levels stored for each side; further ones matter only for amounts beyond any limit. */
const MOST_LEVELS = 50

type Row = Omit<StoredUsdtMarket, 'books'> & {
  books: (Omit<OrderBook, 'bids' | 'asks'> & Record<'bids' | 'asks', [string, string][]>)[]
}

/** All stored readings, stale ones too. */
export const listUsdtMarkets = async (db: Db | Tx): Promise<StoredUsdtMarket[]> => {
  const { rows } = await sql<Row>`select ticker, closed_because as "closedBecause", believed_e18 as believed,
    believed_at as "believedAt", quorum, books, dropped, observed_at as "observedAt" from market_legs order by ticker`.execute(
    db,
  )
  const levels = (stored: readonly [string, string][]): Level[] =>
    stored.map(([price, amount]) => ({ price: BigInt(price), amount: BigInt(amount) }))
  return rows.map((row) => ({
    ...row,
    books: row.books.map((book) => ({ ...book, bids: levels(book.bids), asks: levels(book.asks) })),
  }))
}

/** Stores a reading. The reading of a closed market does not change the last accepted median. */
export const storeUsdtMarket = async (
  db: Db | Tx,
  { ticker, quorum, agreement, at }: { ticker: string; quorum: number; agreement: Agreement; at: Date },
): Promise<void> => {
  const open = agreement.kind === 'open'
  const pairs = (levels: readonly Level[]): [string, string][] =>
    levels.slice(0, MOST_LEVELS).map(({ price, amount }) => [price.toString(), amount.toString()])
  const books = open ? agreement.books.map((book) => ({ ...book, bids: pairs(book.bids), asks: pairs(book.asks) })) : []
  await sql`insert into market_legs(ticker, closed_because, believed_e18, believed_at, quorum, books, dropped, observed_at)
    values (${ticker}, ${open ? null : agreement.reason}, ${open ? agreement.middle : null}, ${open ? at : null}, ${quorum},
      ${JSON.stringify(books)}, ${JSON.stringify(agreement.dropped)}, ${at})
    on conflict (ticker) do update set closed_because = excluded.closed_because, quorum = excluded.quorum, books = excluded.books,
      dropped = excluded.dropped, observed_at = excluded.observed_at,
      believed_e18 = coalesce(excluded.believed_e18, market_legs.believed_e18),
      believed_at = coalesce(excluded.believed_at, market_legs.believed_at)`.execute(db)
}

export interface StoredOfficialRate extends OfficialRate {
  source: string
}

export const listOfficialRates = async (db: Db | Tx): Promise<StoredOfficialRate[]> => {
  const { rows } = await sql<{ ticker: string; source: string; perUsd: bigint; observedAt: Date }>`
    select ticker, source, per_usd_e18 as "perUsd", observed_at as "observedAt" from official_rates order by ticker, source`.execute(
    db,
  )
  return rows.map((row) => ({ ...row, observedAt: row.observedAt.getTime() }))
}

export const storeOfficialRates = async (
  db: Db | Tx,
  source: string,
  rates: readonly OfficialRate[],
): Promise<void> => {
  for (const { ticker, perUsd, observedAt } of rates) {
    await sql`insert into official_rates(ticker, source, per_usd_e18, observed_at)
      values (${ticker}, ${source}, ${perUsd}, ${new Date(observedAt)})
      on conflict (ticker, source) do update set per_usd_e18 = excluded.per_usd_e18, observed_at = excluded.observed_at`.execute(
      db,
    )
  }
}
