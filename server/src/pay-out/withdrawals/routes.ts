import { feeLookupErrors, generalErrors, orderErrors } from '@bursar/contract'
import { isUuid } from '../../platform/base/id.ts'
import { balancesOf, type Balance, type Committer } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { type OrderPolicy, placePayout, readOwnFee, readRequest } from '../../ledger/orders/index.ts'
import { ApiRefusal, type ApiAnswer, type ApiRequest, type Route, refusal } from '../../platform/api/route.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { type AddressHolders, intentOfOrder, newWithdrawal, orderOf, readPlace } from './placing.ts'
import { checkLargest, isTooLarge } from './limits.ts'
import { assetOf, carriedOf, wireStatus, withdrawalBody } from './notice.ts'
import { currentFee, readAmount, readAsset, readDestination, type Rules, type WithdrawalBody } from './request.ts'
import { findById } from './store.ts'
import { createTermsReader, type Terms } from './terms.ts'
import type { Place } from './withdrawal.ts'

export interface WithdrawalRoutesDeps {
  runtime: Runtime
  committer: Committer
  holders: Pick<AddressHolders, 'holderOf'>
  rules: Rules
  orderPolicy: OrderPolicy
}

export const withdrawalRoutes = (deps: WithdrawalRoutesDeps): Route[] => {
  const { runtime, rules } = deps
  const terms = createTermsReader(runtime.db, rules.catalogue, runtime.clock.now)
  return [
    { operation: 'createCryptoWithdrawal', handle: async (request) => create(deps, request, await terms()) },
    {
      operation: 'getCryptoWithdrawalFee',
      handle: async ({ query }) =>
        asLookup(async () => {
          const asked = { ticker: query.ticker!, blockchain: query.blockchain! }
          const where = readAsset(asked, rules, feeLookupErrors.assetNotSupported)
          const units = readAmount(query.amount!, where)
          const to = query.address
          const internal =
            to !== undefined &&
            (await deps.holders.holderOf(where.on.network, readDestination(to, where.on.network, rules))) === 'merchant'
          const fee = currentFee(where, units, internal, await terms(), rules.catalogue)
          return ok({ value: formatUnits(fee, where.asset.scale) })
        }),
    },
    {
      operation: 'getCryptoWithdrawal',
      handle: async ({ merchantId, params }) => {
        const id = params.id!.toLowerCase()
        const withdrawal = isUuid(id) ? await findById(runtime.db, merchantId, id) : undefined
        if (!withdrawal) {
          throw refusal(generalErrors.notFound, 'no such withdrawal: check its id')
        }
        const asset = assetOf(rules.catalogue, withdrawal)
        return ok(withdrawalBody(withdrawal, asset, wireStatus(withdrawal), await carriedOf(runtime.db, withdrawal)))
      },
    },
  ]
}

/**
 * Turns a refusal with a code of orders into an invalid request that names the parameter, because a lookup places no
 * order.
 */
const asLookup = async (answer: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 400 || error.code === feeLookupErrors.assetNotSupported.code)
      throw error
    const field = error.field === 'to' ? 'address' : error.field
    throw new ApiRefusal(
      error.status,
      generalErrors.invalidRequest.code,
      error.message,
      field === undefined ? {} : { field },
    )
  }
}

const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

const create = async (deps: WithdrawalRoutesDeps, request: ApiRequest, terms: Terms): Promise<ApiAnswer> => {
  const body = request.body as WithdrawalBody
  const { rules } = deps
  const { merchantId, keyId, answerKeys, localId, meta } = readRequest(request)
  const where = readAsset(body, rules, orderErrors.invalidOrder)
  const units = readAmount(body.amount, where)
  const place = await readPlace(deps, { ...body, merchantId }, where, terms)
  const fee = readOwnFee(body.fee, currentFee(where, units, place.internal, terms, rules.catalogue), where.asset)
  // If the balance is lower than that, the ledger refuses the order.
  const [balance] = await balanceWhenOver(deps, place, merchantId, units, terms)
  if (balance && balance.posted - balance.held >= units + fee) checkLargest(place, merchantId, units, terms.days)
  const intentId = intentOfOrder(merchantId, { localId, answerKeys }, deps.runtime.newId)
  const given = { merchantId, intentId, units, fee, localId, meta, notifiedAs: null }
  const withdrawal = newWithdrawal(place, given, momentOf(deps.runtime))
  const payment = { merchantId, asset: where.asset, units, to: { network: where.on.network, address: place.to } }
  return placePayout(deps, { merchantId, answerKeys, localId }, orderOf(withdrawal, place, keyId), payment)
}

/** Reads the merchant's balance, only if the amount exceeds all limits. */
const balanceWhenOver = async (
  { runtime }: WithdrawalRoutesDeps,
  place: Place,
  merchantId: string,
  units: bigint,
  { days }: Terms,
): Promise<Balance[]> =>
  isTooLarge(place, merchantId, units, days)
    ? balancesOf(runtime.db, 'merchant', [{ merchantId, asset: place.where.asset.ticker }])
    : []
