import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { RowTable, Scalar } from '../../ledger/postings/index.ts'
import type { Direction } from './direction.ts'
import type { Exchange } from './exchange.ts'
import type { Side } from './pricing.ts'
import type { PriceBasis, Quote } from './quoting.ts'

export const exchangeRows: RowTable = {
  name: 'exchanges',
  columns: [
    ['merchant_id', 'uuid'],
    ['id', 'uuid'],
    ['spend_ticker', 'text'],
    ['target_ticker', 'text'],
    ['side', 'text'],
    ['exchange_units', 'numeric'],
    ['fee_units', 'numeric'],
    ['target_units', 'numeric'],
    ['pair_first', 'text'],
    ['pair_second', 'text'],
    ['price', 'numeric'],
    ['market_price', 'numeric'],
    ['basis', 'jsonb'],
    ['state', 'text'],
    ['failed_reason', 'text'],
    ['local_id', 'text'],
    ['meta', 'text'],
    ['transfer_id', 'uuid'],
    ['api_key_id', 'uuid'],
    ['created_at', 'timestamptz'],
  ].map(([name, type]) => ({ name: name!, type: type! })),
}

export const rowOf = (e: Exchange): Scalar[] => [
  e.merchantId,
  e.id,
  e.spendTicker,
  e.targetTicker,
  e.side,
  e.exchange,
  e.fee,
  e.target,
  e.first,
  e.second,
  e.price,
  e.market,
  JSON.stringify(e.basis),
  e.state,
  e.failedReason,
  e.localId,
  e.meta,
  e.transferId,
  e.keyId,
  e.createdAt.toISOString(),
]

/** An exchange as it is read: without the ledger transfer. */
export type FoundExchange = Omit<Exchange, 'transferId'>

export const EXCHANGE =
  sql.raw(`e.merchant_id as "merchantId", e.id, e.spend_ticker as "spendTicker", e.target_ticker as "targetTicker", e.side,
  e.exchange_units as exchange, e.fee_units as fee, e.target_units as target, e.pair_first as first, e.pair_second as second, e.price, e.market_price as market,
  e.basis, e.state, e.failed_reason as "failedReason", e.local_id as "localId", e.meta, e.api_key_id as "keyId", e.created_at as "createdAt"`)

export const findExchange = async (db: Db, merchantId: string, id: string): Promise<FoundExchange | undefined> => {
  const { rows } = await sql<FoundExchange>`select ${EXCHANGE} from exchanges e
    where e.merchant_id = ${merchantId} and e.id = ${id}`.execute(db)
  return rows[0]
}

/** The validity of a quote: this exact order, at this price. */
export interface Promisable {
  merchantId: string
  direction: Direction
  side: Side
  amount: bigint
}

/** The quote of an estimate. */
export interface StoredQuote {
  merchantId: string
  id: string
  price: bigint
  market: bigint
  basis: PriceBasis
}

export interface NewQuote extends Promisable {
  id: string
  quoted: Quote
  expiresAt: Date
}

export const insertQuotes = async (db: Db, quoteStore: readonly NewQuote[]): Promise<void> => {
  if (quoteStore.length === 0) return
  const column = <T>(of: (quote: NewQuote) => T): T[] => quoteStore.map(of)
  await sql`insert into exchange_quotes(merchant_id, id, spend_ticker, target_ticker, side, amount, price, market, target_units, basis, expires_at)
    select * from unnest(${column((p) => p.merchantId)}::uuid[], ${column((p) => p.id)}::uuid[], ${column((p) => p.direction.spend.ticker)}::text[],
      ${column((p) => p.direction.target.ticker)}::text[], ${column((p) => p.side)}::text[], ${column((p) => p.amount)}::numeric[],
      ${column((p) => p.quoted.price)}::numeric[], ${column((p) => p.quoted.market)}::numeric[], ${column((p) => p.quoted.target)}::numeric[],
      ${column((p) => JSON.stringify(p.quoted.basis))}::jsonb[], ${column((p) => p.expiresAt)}::timestamptz[])`.execute(
    db,
  )
}

/**
 * Finds and locks the quotes for these orders, until the transaction ends. No two of the orders may be alike.
 * @returns for each order its quote, undefined when it has none that is still valid
 */
export const lockQuotes = async (
  tx: Tx,
  asked: readonly (Promisable & { price: bigint })[],
  now: Date,
): Promise<(StoredQuote | undefined)[]> => {
  if (asked.length === 0) return []
  const column = <T>(of: (order: Promisable & { price: bigint }) => T): T[] => asked.map(of)
  const { rows } = await sql<
    StoredQuote & { n: number }
  >`select a.n, q.* from unnest(${column((o) => o.merchantId)}::uuid[],
      ${column((o) => o.direction.spend.ticker)}::text[], ${column((o) => o.direction.target.ticker)}::text[], ${column((o) => o.side)}::text[],
      ${column((o) => o.amount)}::numeric[], ${column((o) => o.price)}::numeric[]) with ordinality a(merchant_id, spend, target, side, amount, price, n)
    cross join lateral (select merchant_id as "merchantId", id, price, market, basis from exchange_quotes
      where merchant_id = a.merchant_id and spend_ticker = a.spend and target_ticker = a.target and side = a.side and amount = a.amount
        and price = a.price and expires_at > ${now}
      order by expires_at limit 1 for update skip locked) q`.execute(tx)
  const found = new Map(rows.map(({ n, ...quote }) => [n, quote]))
  return asked.map((_, i) => found.get(i + 1))
}

/** Ends locked quotes, because each can be used once only. They are valid again when the caller rolls back. */
export const endQuotes = async (tx: Tx, taken: readonly StoredQuote[]): Promise<void> => {
  if (taken.length === 0) return
  await sql`delete from exchange_quotes q using unnest(${taken.map(({ merchantId }) => merchantId)}::uuid[], ${taken.map(({ id }) => id)}::uuid[]) t(m, i)
    where q.merchant_id = t.m and q.id = t.i`.execute(tx)
}

/**
 * Returns, for each merchant and pair in the order asked, the total of its valid quotes in ledger units of the target.
 */
export const quotedTo = async (
  db: Db | Tx,
  pairs: readonly { merchantId: string; spend: string; target: string }[],
  now: Date,
): Promise<bigint[]> => {
  const { rows } = await sql<{ units: bigint }>`select coalesce(q.units, 0) as units
    from unnest(${pairs.map(({ merchantId }) => merchantId)}::uuid[], ${pairs.map(({ spend }) => spend)}::text[], ${pairs.map(({ target }) => target)}::text[])
      with ordinality p(m, spend, target, n)
    cross join lateral (select sum(target_units) as units from exchange_quotes
      where merchant_id = p.m and spend_ticker = p.spend and target_ticker = p.target and expires_at > ${now}) q order by p.n`.execute(
    db,
  )
  return rows.map(({ units }) => units)
}

/** @returns how many quotes had expired */
export const pruneQuotes = async (db: Db, before: Date): Promise<number> => {
  const { rows } = await sql`delete from exchange_quotes where expires_at < ${before} returning 1`.execute(db)
  return rows.length
}
