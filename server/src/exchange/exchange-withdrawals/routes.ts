import { estimateErrors, orderErrors } from '@bursar/contract'
import { priceOrder, readPrice, type TradingDeps } from '../exchanges/index.ts'
import { type OrderPolicy, readRequest } from '../../ledger/orders/index.ts'
import type { ApiAnswer, ApiRequest, Route } from '../../platform/api/route.ts'
import {
  checkLargest,
  checkWithdrawable,
  currentFee,
  intentOfOrder,
  readAsset,
  readPlace,
  type PlacingDeps,
  type Terms,
} from '../../pay-out/withdrawals/index.ts'
import { asEstimated, estimateWhole, placeWhole, readExchange, type Asked, type OrderBody } from './asking.ts'
import { exchangeAndSend } from './commands.ts'
import { carriedOn } from './terms.ts'

export interface ExchangeWithdrawalDeps {
  trading: TradingDeps
  placing: PlacingDeps
  /** the current terms of withdrawals */
  terms(): Promise<Terms>
  orderPolicy: OrderPolicy
}

type OnNetwork<T> = T & { blockchain: string }

/** Exchanges with withdrawal to an address (`contract.md` 5.24, 5.25). */
export const exchangeWithdrawalRoutes = (deps: ExchangeWithdrawalDeps): Route[] => [
  { operation: 'estimateCryptoExchangeWithdrawal', handle: (request) => estimateCrypto(deps, request) },
  { operation: 'createCryptoExchangeWithdrawal', handle: (request) => createCrypto(deps, request) },
]

/** Reads the requested exchange and the network to which its proceeds can be sent. */
const readAsked = (
  { trading, placing }: ExchangeWithdrawalDeps,
  asked: OnNetwork<Asked>,
  errors: typeof estimateErrors | typeof orderErrors,
) => {
  const where = readAsset(asked, placing.rules, errors.invalidOrder)
  return { where, ...readExchange(trading, asked, errors, (direction) => carriedOn(direction, where)) }
}

const estimateCrypto = async (deps: ExchangeWithdrawalDeps, { merchantId, query }: ApiRequest): Promise<ApiAnswer> => {
  const { placing } = deps
  const { where, ...asking } = readAsked(deps, query as unknown as OnNetwork<Asked>, estimateErrors)
  const terms = await deps.terms()
  const { to } = query
  const isInternal = async (given: string): Promise<boolean> =>
    (await readPlace(placing, { merchantId, to: given }, where, terms)).internal
  const internal = to === undefined ? false : await asEstimated(() => isInternal(to))
  const feeOf = (received: bigint): bigint => {
    const fee = currentFee(where, received, internal, terms, placing.rules.catalogue)
    if (received > fee) checkWithdrawable(received - fee, where)
    return fee
  }
  return estimateWhole(deps.trading, { merchantId, ...asking }, query.price, feeOf)
}

const createCrypto = async (deps: ExchangeWithdrawalDeps, request: ApiRequest): Promise<ApiAnswer> => {
  const { trading, placing } = deps
  const body = request.body as OnNetwork<OrderBody>
  const given = readRequest(request)
  const { merchantId, localId, answerKeys } = given
  const { where, ...asking } = readAsked(deps, body, orderErrors)
  const limit = readPrice(body.price, orderErrors)
  const terms = await deps.terms()
  const place = await readPlace(placing, { merchantId, to: body.to }, where, terms)
  const order = await priceOrder(trading, { ...given, ...asking, limit, fee: body.exchangeFee })
  const feeOf = (received: bigint): bigint => {
    checkLargest(place, merchantId, received, terms.days)
    return currentFee(where, received, place.internal, terms, placing.rules.catalogue)
  }
  const intentId = intentOfOrder(merchantId, { localId, answerKeys }, trading.runtime.newId)
  const whole = { ...order, place, currentFee: feeOf, withdrawalFee: body.fee, causedBy: null, intentId, answerKeys }
  return placeWhole(trading.runtime, deps.orderPolicy, given, (tx, moment, charge) =>
    exchangeAndSend(tx, trading, { ...whole, charge }, moment),
  )
}
