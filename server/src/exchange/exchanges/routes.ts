import { estimateErrors, orderErrors, responseHeaders } from '@bursar/contract'
import { formatUnits } from '../../platform/money/index.ts'
import { readRequest } from '../../ledger/orders/index.ts'
import type { ApiAnswer, ApiRequest, Route } from '../../platform/api/route.ts'
import { createOrderBatcher, type OrderBatcher } from './order-batcher.ts'
import { estimate, priceOrder, type TradingDeps } from './trading.ts'
import { directionsOf, type Direction } from './direction.ts'
import { readDirection, readPrice, readSideAmount, sideOf, type Asked } from './order.ts'
import { fullSides } from './full-sides.ts'
import { lastKnownMarkets } from './last-known.ts'
import { PRICE_DECIMALS } from './pricing.ts'
import { isQuote, quote, type Quote } from './quoting.ts'

interface ExchangeBody extends Asked {
  fee?: string
  price: string
  localId?: string
  meta?: string
}

export const exchangeRoutes = (deps: TradingDeps): Route[] => {
  const batcher = createOrderBatcher(deps.runtime)
  return [
    { operation: 'listExchangeDirections', handle: () => listDirections(deps) },
    { operation: 'estimateExchange', handle: (request) => estimateRoute(deps, request) },
    { operation: 'createExchange', handle: (request) => create(deps, batcher, request) },
  ]
}

const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

/**
 * Lists the directions that no limit of a position closes, with a price for the minimum amount of each. While a market
 * is closed its price is the last known one, and a header gives the time of that price.
 */
const listDirections = async ({ policy, usdtMarkets, runtime }: TradingDeps): Promise<ApiAnswer> => {
  const [all, full] = await Promise.all([usdtMarkets(), fullSides(runtime.db, policy)])
  const known = lastKnownMarkets(all, runtime.clock.now())
  const used: number[] = []
  const body = directionsOf(policy).flatMap((direction) => {
    const { spend, target, first, second } = direction
    if (full.bought.has(spend.ticker) || full.sold.has(target.ticker)) return []
    const quoted = quote(direction, 'spend', spend.min, known.usdtMarkets)
    if (!isQuote(quoted)) return []
    used.push(...[spend.ticker, target.ticker].flatMap((ticker) => known.at.get(ticker) ?? []))
    return [
      {
        target: { ticker: target.ticker, amountStep: formatUnits(target.step, target.scale) },
        exchange: {
          ticker: spend.ticker,
          amountStep: formatUnits(spend.step, spend.scale),
          min: formatUnits(spend.min, spend.scale),
          max: formatUnits(spend.max, spend.scale),
        },
        price: { value: formatUnits(quoted.price, PRICE_DECIMALS), pair: [first, second] },
        decimals: { price: PRICE_DECIMALS, exchange: decimalsOf(spend) },
      },
    ]
  })
  return {
    ...ok(body),
    ...(used.length > 0 && { headers: { [responseHeaders.lastKnownPrices]: String(Math.min(...used)) } }),
  }
}

const decimalsOf = ({ scale, step }: { scale: number; step: bigint }): number =>
  formatUnits(step, scale).split('.')[1]?.length ?? 0

const estimateRoute = async (deps: TradingDeps, { merchantId, query }: ApiRequest): Promise<ApiAnswer> => {
  const asked = query as unknown as Asked
  const direction = readDirection(deps.policy, asked, estimateErrors)
  const side = sideOf(asked.side)
  const amount = readSideAmount(direction, side, asked.amount, estimateErrors)
  const limit = query.price === undefined ? undefined : readPrice(query.price, estimateErrors)
  return ok(estimateBody(direction, await estimate(deps, { merchantId, direction, side, amount }, limit)))
}

const estimateBody = ({ spend, target, first, second }: Direction, quoted: Quote): unknown => ({
  price: { value: formatUnits(quoted.price, PRICE_DECIMALS), pair: [first, second] },
  exchange: {
    amount: formatUnits(quoted.exchange, spend.scale),
    ticker: spend.ticker,
    fee: formatUnits(quoted.fee, spend.scale),
  },
  target: { amount: formatUnits(quoted.target, target.scale), ticker: target.ticker },
  spend: { amount: formatUnits(quoted.spend, spend.scale), ticker: spend.ticker },
})

const create = async (deps: TradingDeps, batcher: OrderBatcher, request: ApiRequest): Promise<ApiAnswer> => {
  const body = request.body as ExchangeBody
  const given = { ...readRequest(request), fee: body.fee }
  const direction = readDirection(deps.policy, body, orderErrors)
  const side = sideOf(body.side)
  const amount = readSideAmount(direction, side, body.amount, orderErrors)
  const limit = readPrice(body.price, orderErrors)
  const order = await priceOrder(deps, { ...given, direction, side, amount, limit })
  return batcher.place(request, order)
}
