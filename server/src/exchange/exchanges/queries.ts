import { sql } from 'kysely'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { OrderFinder } from '../../ledger/orders/index.ts'
import { exchangeNotice } from './notice.ts'
import { findExchange, type FoundExchange } from './store.ts'

/** An exchange as its notification states it. Throws when an asset of it is no longer configured. */
export const exchangeBody = (exchange: FoundExchange, catalogue: Catalogue): Record<string, unknown> => {
  const [spend, target] = [catalogue.find(exchange.spendTicker), catalogue.find(exchange.targetTicker)]
  if (!spend || !target) throw new Error(`${exchange.spendTicker} or ${exchange.targetTicker} is no longer configured`)
  return exchangeNotice(exchange, { spend: spend.scale, target: target.scale }).body as Record<string, unknown>
}

/** Finds exchanges; their amount is the amount received. */
export const createExchangeFinder =
  ({ db, catalogue }: { db: Db; catalogue: Catalogue }): OrderFinder =>
  async (merchantId, id) => {
    const exchange = await findExchange(db, merchantId, id)
    if (!exchange) return undefined
    const body = exchangeBody(exchange, catalogue)
    return { ...body, ticker: body.targetTicker, amount: body.targetAmount }
  }

/** The ids of exchanges that conversions of these payments have made. */
export const exchangesCausedBy = async (db: Db, merchantId: string, causeIds: readonly string[]): Promise<string[]> =>
  (
    await sql<{ id: string }>`select id from exchanges
      where merchant_id = ${merchantId} and local_id = any(${[...causeIds]}::text[]) and api_key_id is null`.execute(db)
  ).rows.map(({ id }) => id)
