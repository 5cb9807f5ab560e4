import { sql } from 'kysely'
import type { Catalogue, CryptoAsset } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { OrderFinder } from '../../ledger/orders/index.ts'
import { orderBody, type Carried } from './notice.ts'
import { findById } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/** Finds withdrawals, alone or after an exchange. */
export const createWithdrawalFinder =
  ({ db, catalogue }: { db: Db; catalogue: Catalogue }): OrderFinder =>
  async (merchantId, id) => {
    const withdrawal = await findById(db, merchantId, id)
    return withdrawal && orderBody(withdrawal, assetOf(catalogue, withdrawal), await carriedOf(db, withdrawal))
  }

export const assetOf = (catalogue: Catalogue, { ticker }: Withdrawal): CryptoAsset => {
  const asset = catalogue.findCrypto(ticker)
  if (!asset) throw new Error(`asset ${ticker} is no longer configured`)
  return asset
}

export const carriedOf = async (db: Db, { outgoingId }: Withdrawal): Promise<Carried> => {
  if (outgoingId === null) return { hash: null, from: [], block: null }
  const { rows } =
    await sql<Carried>`select coalesce(o.mined_hash, a.hash) as hash, o.senders as "from", o.mined_height as block
    from outgoing o left join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.id = ${outgoingId}`.execute(db)
  return rows[0] ?? { hash: null, from: [], block: null }
}
