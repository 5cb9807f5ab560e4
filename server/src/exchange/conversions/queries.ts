import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { ConversionState } from './machine.ts'

/** The automatic exchange of received money. */
export interface ListedConversion {
  /** of the deposit or the card payment */
  id: string
  /** the asset that was received */
  ticker: string
  targetTicker: string
  state: ConversionState
  failedReason: string | null
  /** when it was recorded */
  createdAt: Date
}

/** Returns the conversions of a merchant's deposits and card payments, oldest first. */
export const conversionsOf = async (
  db: Db,
  merchantId: string,
  ids: readonly string[],
): Promise<ListedConversion[]> => {
  const { rows } = await sql<ListedConversion>`select id, ticker, target_ticker as "targetTicker", state,
      failed_reason as "failedReason", created_at as "createdAt"
    from conversions where merchant_id = ${merchantId} and id = any(${[...ids]}::uuid[])
    order by created_at, id`.execute(db)
  return rows
}
