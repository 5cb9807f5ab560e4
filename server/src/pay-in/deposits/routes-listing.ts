import { listDeposits as operation } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { readIds, readTicker, readUnitRange, type ListedAsset, type ListQuery } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { listDeposits, type DepositFilter } from './listing.ts'
import { depositBody } from './notice.ts'

export interface DepositListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
}

/** The list of a merchant's deposits, each as its lookup shows it (`contract.md` section 20). */
export const depositListRoute = ({ runtime: { db, clock }, catalogue }: DepositListDeps): Route =>
  listRoute(operation, clock, async ({ merchantId, query, page }) => {
    const filter = filterOf(query, readTicker(query.ticker, catalogue.crypto))
    const { rows, next } = await listDeposits(db, merchantId, filter, page)
    return { items: rows.map((deposit) => depositBody(deposit, catalogue)), next }
  })

const filterOf = (query: ListQuery, asset: ListedAsset | null): DepositFilter => ({
  ids: readIds(query),
  statuses: query.status === undefined ? null : ([query.status] as DepositFilter['statuses']),
  isPlain: false,
  asset: asset && asset.ticker,
  network: (query.blockchain ?? null) as DepositFilter['network'],
  ...readUnitRange(query, asset),
  meta: query.meta ?? null,
  address: query.address ?? null,
  hash: query.hash ?? null,
})
