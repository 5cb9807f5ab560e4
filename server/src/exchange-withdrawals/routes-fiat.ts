import { estimateErrors, orderErrors } from '@bursar/contract'
import { checkNoCard, currentFee, readCard, readCurrency } from '../card-payouts/index.ts'
import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import { estimate, priceOrder, readDirection, readPrice, readSideAmount, type DeskDeps } from '../exchange/index.ts'
import { formatUnits } from '../money/index.ts'
import { checkStops, readText, refusal } from '../orders/index.ts'
import { withStoredAnswer } from '../platform/answers.ts'
import type { ApiAnswer, ApiRequest, Route } from '../platform/route.ts'
import { momentOf } from '../platform/runtime.ts'
import { estimateBody } from './estimate.ts'
import { exchangeAndPayOut, type CardDeps } from './fiat.ts'

export interface FiatExchangeWithdrawalDeps {
  desk: DeskDeps
  cards: CardDeps
}

interface Asked {
  ticker: string
  spendTicker: string
  amount: string
  side: 'spend' | 'withdraw'
}

interface FiatBody extends Asked {
  fee: string
  exchangeFee: string
  price: string
  to: string
  localId?: string
  meta?: string
}

/** Exchanges with payout to a card (`contract.md` 5.26, 5.27). */
export const fiatExchangeWithdrawalRoutes = (deps: FiatExchangeWithdrawalDeps): Route[] => [
  { operation: 'estimateFiatExchangeWithdrawal', handle: (request) => estimateFiat(deps, request) },
  { operation: 'createFiatExchangeWithdrawal', handle: (request) => createFiat(deps, request) },
]

const readAsked = ({ desk, cards }: FiatExchangeWithdrawalDeps, asked: Asked, errors: typeof estimateErrors | typeof orderErrors) => {
  const asset = readCurrency(asked.ticker, cards.rules, errors.invalidOrder)
  const direction = readDirection(desk.policy, { spendTicker: asked.spendTicker, targetTicker: asked.ticker }, errors)
  const side = asked.side === 'withdraw' ? 'target' : 'spend'
  return { asset, direction, side, amount: readSideAmount(direction, side, asked.amount, errors) } as const
}

const estimateFiat = async (deps: FiatExchangeWithdrawalDeps, { merchantId, query }: ApiRequest): Promise<ApiAnswer> => {
  const { asset, direction, side, amount } = readAsked(deps, query as unknown as Asked, estimateErrors)
  const limit = query.price === undefined ? undefined : readPrice(query.price, estimateErrors)
  const quoted = await estimate(deps.desk, { merchantId, direction, side, amount }, limit)
  const fee = currentFee(asset, quoted.target)
  if (fee >= quoted.target) {
    throw refusal(estimateErrors.invalidOrder, `Amount too low: the payout fee alone is ${formatUnits(fee, asset.scale)} ${asset.ticker}`, 'amount')
  }
  return { status: 200, body: estimateBody(direction, quoted, fee) }
}

const createFiat = async (deps: FiatExchangeWithdrawalDeps, request: ApiRequest): Promise<ApiAnswer> => {
  const { merchantId } = request
  const body = request.body as FiatBody
  const { asset, direction, side, amount } = readAsked(deps, body, orderErrors)
  const card = readCard(body.to)
  for (const field of ['meta', 'localId'] as const) {
    readText(body[field], field)
    checkNoCard(body[field], field, card)
  }
  const limit = readPrice(body.price, orderErrors)
  checkStops({ merchantId, ticker: asset.ticker, network: null }, await deps.desk.stops())
  const given = { fee: body.exchangeFee, localId: body.localId ?? null, meta: body.meta ?? null }
  const order = await priceOrder(deps.desk, { merchantId, direction, side, amount, limit, ...given })
  const { runtime } = deps.desk
  const moment = momentOf(runtime)
  return inTransaction(runtime.db, (tx) =>
    withStoredAnswer(tx, request, moment.at, async () => {
      const { id, effects } = await exchangeAndPayOut(tx, deps, { ...order, asset, card, payoutFee: body.fee }, moment)
      await carryOut(tx, effects, moment)
      return { status: 200, body: { id } }
    }),
  )
}
