import { listCardPayouts } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { readIds, readTicker, readUnitRange, type ListedAsset, type ListQuery } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { listPayouts, type PayoutFilter } from './listing.ts'
import { batchBody } from './notice.ts'

export interface CardPayoutListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
}

/** The list of a merchant's card payouts, each as the lookup of a batch shows it (`contract.md` section 20). */
export const cardPayoutListRoute = ({ runtime: { db, clock }, catalogue }: CardPayoutListDeps): Route =>
  listRoute(listCardPayouts, clock, async ({ merchantId, query, page }) => {
    const filter = filterOf(query, readTicker(query.ticker, catalogue.fiat))
    const { rows, next } = await listPayouts(db, merchantId, filter, page)
    const items = rows.map(({ payout, parts }) => {
      const asset = catalogue.findFiat(payout.ticker)
      if (!asset) throw new Error(`currency ${payout.ticker} is no longer configured`)
      return { ...batchBody(payout, parts, asset.scale), kind: payout.kind }
    })
    return { items, next }
  })

const filterOf = (query: ListQuery, asset: ListedAsset | null): PayoutFilter => ({
  ids: readIds(query),
  status: (query.status ?? null) as PayoutFilter['status'],
  ticker: asset && asset.ticker,
  ...readUnitRange(query, asset),
  meta: query.meta ?? null,
  localId: query.localId ?? null,
})
