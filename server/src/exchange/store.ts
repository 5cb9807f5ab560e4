import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'
import type { Direction } from './direction.ts'
import type { Exchange } from './exchange.ts'
import type { Side } from './pricing.ts'
import type { PriceBasis, Quote } from './quoting.ts'

export const insertExchange = async (tx: Tx, e: Exchange): Promise<void> => {
  await sql`insert into exchanges(merchant_id, id, spend_ticker, target_ticker, side, exchange_units, fee_units, target_units, pair_first,
      pair_second, price, market_price, basis, state, failed_reason, local_id, meta, transfer_id, created_at)
    values (${e.merchantId}, ${e.id}, ${e.spendTicker}, ${e.targetTicker}, ${e.side}, ${e.exchange}, ${e.fee}, ${e.target}, ${e.first},
      ${e.second}, ${e.price}, ${e.market}, ${JSON.stringify(e.basis)}, ${e.state}, ${e.failedReason}, ${e.localId}, ${e.meta}, ${e.transferId},
      ${e.createdAt})`.execute(tx)
}

/** An estimate's promise. */
export interface StoredQuote {
  price: bigint
  market: bigint
  basis: PriceBasis
}

type Asked = { merchantId: string; direction: Direction; side: Side; amount: bigint }

export const insertQuote = async (
  db: Db | Tx,
  { merchantId, direction, side, amount }: Asked,
  quoted: Quote,
  { id, expiresAt }: { id: string; expiresAt: Date },
): Promise<void> => {
  await sql`insert into exchange_quotes(merchant_id, id, spend_ticker, target_ticker, side, amount, price, market, target_units, basis, expires_at)
    values (${merchantId}, ${id}, ${direction.spend.ticker}, ${direction.target.ticker}, ${side}, ${amount}, ${quoted.price}, ${quoted.market},
      ${quoted.target}, ${JSON.stringify(quoted.basis)}, ${expiresAt})`.execute(db)
}

/**
 * Takes an estimate's promise for this very order, once for ever: a second order that names the same price finds it gone.
 * What the caller rolls back is there again.
 */
export const takeQuote = async (tx: Tx, { merchantId, direction, side, amount }: Asked, price: bigint, now: Date): Promise<StoredQuote | undefined> => {
  const { rows } = await sql<StoredQuote>`delete from exchange_quotes q using (
      select id from exchange_quotes where merchant_id = ${merchantId} and spend_ticker = ${direction.spend.ticker}
        and target_ticker = ${direction.target.ticker} and side = ${side} and amount = ${amount} and price = ${price} and expires_at > ${now}
      order by expires_at limit 1 for update skip locked) taken
    where q.merchant_id = ${merchantId} and q.id = taken.id returning q.price, q.market, q.basis`.execute(tx)
  return rows[0]
}

/** What estimates have promised of an asset and nobody has taken yet, ledger units. */
export const promisedOf = async (db: Db | Tx, asset: string, now: Date): Promise<bigint> => {
  const { rows } = await sql<{ units: bigint }>`select coalesce(sum(target_units), 0) as units from exchange_quotes
    where target_ticker = ${asset} and expires_at > ${now}`.execute(db)
  return rows[0]!.units
}

/** @returns how many promises had run out */
export const pruneQuotes = async (db: Db, before: Date): Promise<number> => {
  const { rows } = await sql`delete from exchange_quotes where expires_at < ${before} returning 1`.execute(db)
  return rows.length
}
