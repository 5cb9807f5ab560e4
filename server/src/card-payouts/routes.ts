import { feeLookupErrors, generalErrors, orderErrors } from '@bursar/contract'
import { chargeOf, type FiatAsset } from '../assets/index.ts'
import { isUuid } from '../base/id.ts'
import type { Committer } from '../ledger/index.ts'
import { allocate, formatUnits } from '../money/index.ts'
import { checkStops, createStopsReader, placeOrder, readOwnFee, readText, refusal, type StopTerm } from '../orders/index.ts'
import { maskCard } from '../platform/card-numbers.ts'
import type { ApiAnswer, ApiRequest, Route } from '../platform/route.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import type { SecretBox } from '../platform/secrets.ts'
import { batchBody } from './notice.ts'
import type { Part, Payout } from './payout.ts'
import { holdItem } from './postings.ts'
import { checkNoCard, readCard, readCurrency, readPartLimits, readUnits, type PayoutBody, type Rules } from './request.ts'
import { cardOf } from './sending.ts'
import { split, type Random } from './splitting.ts'
import { findPayout, partRowOf, partRows, partsOf, payoutRowOf, payoutRows } from './store.ts'

export interface CardPayoutRoutesDeps {
  runtime: Runtime
  committer: Pick<Committer, 'submit'>
  rules: Rules
  /** with the key of card numbers */
  cards: SecretBox
  /** makes parts differ; unpredictability is not needed */
  random: Random
}

export const cardPayoutRoutes = (deps: CardPayoutRoutesDeps): Route[] => {
  const { runtime, rules } = deps
  const stops = createStopsReader(runtime.db, runtime.clock.now)
  return [
    { operation: 'createFiatWithdrawal', handle: async (request) => create(deps, 'single', request, await stops()) },
    { operation: 'createFiatBatchWithdrawal', handle: async (request) => create(deps, 'batch', request, await stops()) },
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
        if (!batch || batch.kind !== 'batch' || !asset) throw refusal(generalErrors.notFound, 'no such batch: check its id')
        return ok(batchBody(batch, await partsOf(runtime.db, batch), asset.scale))
      },
    },
  ]
}

const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

/** The operator's tariff on the whole of a payout, ledger units: how many parts it takes is not the merchant's concern. */
const currentFee = ({ payout }: FiatAsset, units: bigint): bigint => chargeOf(payout.fee, units)

const create = async (deps: CardPayoutRoutesDeps, kind: Payout['kind'], request: ApiRequest, stops: readonly StopTerm[]): Promise<ApiAnswer> => {
  const { rules, runtime, cards } = deps
  const body = request.body as PayoutBody
  const asset = readCurrency(body.ticker, rules, orderErrors.invalidOrder)
  const units = readUnits(body.amount, asset, orderErrors.invalidOrder)
  const card = readCard(body.to)
  for (const field of ['meta', 'localId'] as const) {
    readText(body[field], field)
    checkNoCard(body[field], field, card)
  }
  const limits = readPartLimits(kind, units, asset, rules)
  checkStops({ merchantId: request.merchantId, ticker: asset.ticker, network: null }, stops)
  const fee = readOwnFee(body.fee, currentFee(asset, units), asset)
  const payout: Payout = {
    merchantId: request.merchantId,
    id: runtime.newId(),
    kind,
    ticker: asset.ticker,
    units,
    fee,
    maskedCard: maskCard(card),
    localId: body.localId ?? null,
    meta: body.meta ?? null,
    holdId: runtime.newId(),
    createdAt: momentOf(runtime).at,
  }
  const amounts = kind === 'single' ? [units] : split(units, limits, 10n ** BigInt(asset.scale), deps.random)
  const parts = partsFor(payout, amounts, runtime.newId)
  const { transfer } = holdItem(payout, units + fee, payout.createdAt, payout.holdId)
  const rows = [
    { table: payoutRows, values: payoutRowOf(payout, cards.seal(card, cardOf(payout)), parts.length) },
    ...parts.map((part) => ({ table: partRows, values: partRowOf(part) })),
  ]
  const operation = kind === 'single' ? 'createFiatWithdrawal' : 'createFiatBatchWithdrawal'
  return placeOrder(deps.committer, request, { id: payout.id, operation, localId: payout.localId, item: { transfer, rows }, scale: asset.scale })
}

type NewPart = Pick<Part, 'merchantId' | 'payoutId' | 'number' | 'id' | 'ticker' | 'units' | 'fee' | 'createdAt'>

/** The fee goes to the parts by their amounts, to the last unit. */
const partsFor = (payout: Payout, amounts: readonly bigint[], newId: () => string): NewPart[] => {
  const fees = allocate(payout.fee, amounts)
  const { merchantId, id: payoutId, ticker, createdAt } = payout
  return amounts.map((units, number) => ({ merchantId, payoutId, number, id: newId(), ticker, units, fee: fees[number]!, createdAt }))
}
