import { estimateErrors, orderErrors } from '@bursar/contract'
import { checkNoCard, currentFee, readCard, readCurrency, readPartLimits } from '../../cards/card-payouts/index.ts'
import { priceOrder, readPrice, type TradingDeps } from '../exchanges/index.ts'
import { type OrderPolicy, readRequest } from '../../ledger/orders/index.ts'
import type { ApiAnswer, ApiRequest, Route } from '../../platform/api/route.ts'
import { estimateWhole, placeWhole, readExchange, type Asked, type OrderBody } from './asking.ts'
import { exchangeAndPayOut, type CardDeps } from './fiat.ts'

export interface FiatExchangeWithdrawalDeps {
  trading: TradingDeps
  cards: CardDeps
  orderPolicy: OrderPolicy
}

/** Exchanges with payout to a card (`contract.md` 5.26, 5.27). */
export const fiatExchangeWithdrawalRoutes = (deps: FiatExchangeWithdrawalDeps): Route[] => [
  { operation: 'estimateFiatExchangeWithdrawal', handle: (request) => estimateFiat(deps, request) },
  { operation: 'createFiatExchangeWithdrawal', handle: (request) => createFiat(deps, request) },
]

const readAsked = (
  { trading, cards }: FiatExchangeWithdrawalDeps,
  asked: Asked,
  errors: typeof estimateErrors | typeof orderErrors,
) => {
  const asset = readCurrency(asked.ticker, cards.rules, errors.invalidOrder)
  return { asset, ...readExchange(trading, asked, errors) }
}

const estimateFiat = async (
  deps: FiatExchangeWithdrawalDeps,
  { merchantId, query }: ApiRequest,
): Promise<ApiAnswer> => {
  const { asset, ...asking } = readAsked(deps, query as unknown as Asked, estimateErrors)
  const feeOf = (received: bigint): bigint => {
    const fee = currentFee(asset, received)
    if (received > fee) readPartLimits('batch', received - fee, asset, deps.cards.rules)
    return fee
  }
  return estimateWhole(deps.trading, { merchantId, ...asking }, query.price, feeOf)
}

const createFiat = async (deps: FiatExchangeWithdrawalDeps, request: ApiRequest): Promise<ApiAnswer> => {
  const { trading, orderPolicy } = deps
  const body = request.body as OrderBody
  const { asset, ...asking } = readAsked(deps, body, orderErrors)
  const card = readCard(body.to)
  const given = readRequest(request)
  for (const field of ['meta', 'localId'] as const) checkNoCard(body[field], field, card)
  const limit = readPrice(body.price, orderErrors)
  const order = await priceOrder(trading, { ...given, ...asking, limit, fee: body.exchangeFee })
  const whole = { ...order, asset, card, payoutFee: body.fee, answerKeys: given.answerKeys }
  return placeWhole(trading.runtime, orderPolicy, given, (tx, moment, charge) =>
    exchangeAndPayOut(tx, deps, { ...whole, charge }, moment),
  )
}
