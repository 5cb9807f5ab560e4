import type { Db, Tx } from '../db/index.ts'
import { totalOf } from '../ledger/index.ts'

/** What an acquirer holds for us by the books, minor units; below 0 when it has advanced money. */
export const heldBy = async (db: Db | Tx, acquirer: string, ticker: string): Promise<bigint> =>
  -(await totalOf(db, ticker, `acquirer:${acquirer}`))
