import { listExchanges as operation } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { readIds, readTicker, type ListedAsset, type ListQuery } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { exchangeBody } from '../exchanges/index.ts'
import { listExchangesWithPayouts, type Attached, type ExchangeWithPayoutFilter } from './listing.ts'

export interface ExchangeListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
}

/** The list of a merchant's exchanges, each with the withdrawal ordered with it (`contract.md` section 20). */
export const exchangeListRoute = ({ runtime: { db, clock }, catalogue }: ExchangeListDeps): Route =>
  listRoute(operation, clock, async ({ merchantId, query, page }) => {
    const filter = filterOf(query, [...catalogue.crypto, ...catalogue.fiat])
    const { rows, next } = await listExchangesWithPayouts(db, merchantId, filter, page)
    const items = rows.map(({ exchange, withdrawal }) => ({
      ...exchangeBody(exchange, catalogue),
      ...(withdrawal === undefined ? {} : { withdrawal: withdrawalOf(withdrawal) }),
    }))
    return { items, next }
  })

const withdrawalOf = ({ id, kind, localId, meta, causedBy }: Attached): Record<string, string> => ({
  id,
  kind,
  ...(localId === null ? {} : { localId }),
  ...(meta === null || meta === '' ? {} : { meta }),
  ...(causedBy === null ? {} : { causedBy }),
})

const filterOf = (query: ListQuery, assets: readonly ListedAsset[]): ExchangeWithPayoutFilter => ({
  ids: readIds(query),
  state: (query.status?.toLowerCase() ?? null) as ExchangeWithPayoutFilter['state'],
  spendTicker: readTicker(query.spendTicker, assets, 'spendTicker')?.ticker ?? null,
  targetTicker: readTicker(query.targetTicker, assets, 'targetTicker')?.ticker ?? null,
  meta: query.meta ?? null,
  localId: query.localId ?? null,
})
