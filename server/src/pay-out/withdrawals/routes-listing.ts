import { listCryptoWithdrawals } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { readIds, readTicker, readUnitRange, type ListedAsset, type ListQuery } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { listWithdrawals, type WithdrawalFilter } from './listing.ts'
import { lookupBodies } from './notice.ts'

export interface WithdrawalListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
}

/** The list of a merchant's withdrawals, each as its lookup shows it (`contract.md` section 20). */
export const withdrawalListRoute = ({ runtime: { db, clock }, catalogue }: WithdrawalListDeps): Route =>
  listRoute(listCryptoWithdrawals, clock, async ({ merchantId, query, page }) => {
    const filter = filterOf(query, readTicker(query.ticker, catalogue.crypto))
    const { rows, next } = await listWithdrawals(db, merchantId, filter, page)
    return { items: await lookupBodies(db, rows, catalogue), next }
  })

const filterOf = (query: ListQuery, asset: ListedAsset | null): WithdrawalFilter => ({
  ids: readIds(query),
  status: (query.status ?? null) as WithdrawalFilter['status'],
  ticker: asset && asset.ticker,
  blockchain: (query.blockchain ?? null) as WithdrawalFilter['blockchain'],
  ...readUnitRange(query, asset),
  meta: query.meta ?? null,
  localId: query.localId ?? null,
  address: query.address ?? null,
  hash: query.hash ?? null,
})
