import { feeLookupErrors, generalErrors, orderErrors } from '@bursar/contract'
import { isUuid } from '../../platform/base/id.ts'
import type { Committer } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { checkStops, type OrderPolicy, placePayout, readOwnFee, readRequest } from '../../ledger/orders/index.ts'
import { type ApiAnswer, type ApiRequest, type Route, refusal } from '../../platform/api/route.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { createStopsReader, type StopTerm } from '../../ledger/stops/index.ts'
import { batchBody } from './notice.ts'
import type { Payout } from './payout.ts'
import { currentFee, newPayout, orderOf, type PlacingDeps } from './placing.ts'
import {
  checkNoCard,
  readCard,
  readCurrency,
  readPartLimits,
  readUnits,
  type PayoutBody,
  type Rules,
} from './request.ts'
import { findPayout, partsOf } from './store.ts'

export interface CardPayoutRoutesDeps extends PlacingDeps {
  runtime: Runtime
  committer: Pick<Committer, 'submit'>
  rules: Rules
  orderPolicy: OrderPolicy
}

export const cardPayoutRoutes = (deps: CardPayoutRoutesDeps): Route[] => {
  const { runtime, rules } = deps
  const stops = createStopsReader(runtime.db, runtime.clock.now)
  return [
    { operation: 'createFiatWithdrawal', handle: async (request) => create(deps, 'single', request, await stops()) },
    {
      operation: 'createFiatBatchWithdrawal',
      handle: async (request) => create(deps, 'batch', request, await stops()),
    },
    {
      operation: 'getFiatWithdrawalFee',
      handle: async ({ query }) => {
        const asset = readCurrency(query.ticker!, rules, feeLookupErrors.assetNotSupported)
        const units = readUnits(query.amount!, asset, generalErrors.invalidRequest)
        return ok({ value: formatUnits(currentFee(asset, units), asset.scale) })
      },
    },
    {
      operation: 'getFiatBatchWithdrawal',
      handle: async ({ merchantId, params }) => {
        const id = params.id!
        const batch = isUuid(id) ? await findPayout(runtime.db, merchantId, id) : undefined
        const asset = batch && rules.catalogue.findFiat(batch.ticker)
        if (!batch || batch.kind !== 'batch' || !asset)
          throw refusal(generalErrors.notFound, 'no such batch: check its id')
        return ok(batchBody(batch, await partsOf(runtime.db, batch), asset.scale))
      },
    },
  ]
}

const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

const create = async (
  deps: CardPayoutRoutesDeps,
  kind: Payout['kind'],
  request: ApiRequest,
  stops: readonly StopTerm[],
): Promise<ApiAnswer> => {
  const { rules, runtime } = deps
  const body = request.body as PayoutBody
  const asset = readCurrency(body.ticker, rules, orderErrors.invalidOrder)
  const units = readUnits(body.amount, asset, orderErrors.invalidOrder)
  const card = readCard(body.to)
  const { merchantId, keyId, answerKeys, localId, meta } = readRequest(request)
  for (const field of ['meta', 'localId'] as const) checkNoCard(body[field], field, card)
  const limits = readPartLimits(kind, units, asset, rules)
  checkStops({ merchantId, ticker: asset.ticker, network: null }, stops)
  const fee = readOwnFee(body.fee, currentFee(asset, units), asset)
  const given = { merchantId, kind, units, fee, localId, meta, notifiedAs: null }
  const payout = newPayout(given, asset, card, momentOf(runtime))
  const order = orderOf(payout, { card, limits, scale: asset.scale, keyId }, deps, runtime.newId)
  const payment = { merchantId, asset, units, to: null }
  return placePayout(deps, { merchantId, answerKeys, localId }, order, payment)
}
