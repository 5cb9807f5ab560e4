import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { OrderFinder } from '../../ledger/orders/index.ts'
import { payoutBody } from './notice.ts'
import { findPayout, partsOf } from './store.ts'

/** Finds card payouts of every kind: single ones and batches, with or without an exchange. */
export const createPayoutFinder =
  ({ db, catalogue }: { db: Db; catalogue: Catalogue }): OrderFinder =>
  async (merchantId, id) => {
    const payout = await findPayout(db, merchantId, id)
    if (!payout) return undefined
    const asset = catalogue.findFiat(payout.ticker)
    if (!asset) throw new Error(`currency ${payout.ticker} is no longer configured`)
    return payoutBody(payout, await partsOf(db, payout), asset.scale)
  }
