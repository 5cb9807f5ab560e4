import { estimateErrors, generalErrors, orderErrors } from '@bursar/contract'
import { sql } from 'kysely'
import { inTransaction, type Db } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import { formatUnits } from '../money/index.ts'
import { withStoredAnswer } from '../platform/answers.ts'
import { ApiRefusal, type ApiAnswer, type ApiRequest, type Route } from '../platform/route.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import type { Legs } from '../rates/index.ts'
import { fill, tellExchange } from './commands.ts'
import { directionsOf, type Direction } from './direction.ts'
import { inventoryOf } from './inventory.ts'
import { chargedFee, checkLimits, fillOf, quoteNow, readDirection, readPrice, readSideAmount, type Asked } from './order.ts'
import type { ExchangePolicy } from './policy.ts'
import { isNoWorse, PRICE_DECIMALS } from './pricing.ts'
import { isQuote, quote, type Quote } from './quoting.ts'
import { insertQuote, promisedOf, takeQuote } from './store.ts'

export interface ExchangeRoutesDeps {
  runtime: Runtime
  policy: ExchangePolicy
  legs(): Promise<Legs>
}

interface ExchangeBody extends Asked {
  fee?: string
  price: string
  localId?: string
  meta?: string
}

export const exchangeRoutes = (deps: ExchangeRoutesDeps): Route[] => [
  { operation: 'listExchangeDirections', handle: async () => ok(directionBodies(deps.policy, await deps.legs())) },
  { operation: 'estimateExchange', handle: (request) => estimate(deps, request) },
  { operation: 'createExchange', handle: (request) => create(deps, request) },
]

const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

/** Directions with a price now, for the least amount of each. */
const directionBodies = (policy: ExchangePolicy, legs: Legs): unknown[] =>
  directionsOf(policy).flatMap((direction) => {
    const { spend, target, first, second } = direction
    const quoted = quote(direction, 'spend', spend.min, legs)
    if (!isQuote(quoted)) return []
    return [{
      target: { ticker: target.ticker, amountStep: formatUnits(target.step, target.scale) },
      exchange: {
        ticker: spend.ticker,
        amountStep: formatUnits(spend.step, spend.scale),
        min: formatUnits(spend.min, spend.scale),
        max: formatUnits(spend.max, spend.scale),
      },
      price: { value: formatUnits(quoted.price, PRICE_DECIMALS), pair: [first, second] },
      decimals: { price: PRICE_DECIMALS, exchange: decimalsOf(spend) },
    }]
  })

const decimalsOf = ({ scale, step }: { scale: number; step: bigint }): number => formatUnits(step, scale).split('.')[1]?.length ?? 0

const estimate = async ({ runtime, policy, legs }: ExchangeRoutesDeps, { merchantId, query }: ApiRequest): Promise<ApiAnswer> => {
  const asked = query as unknown as Asked
  const direction = readDirection(policy, asked, estimateErrors)
  const amount = readSideAmount(direction, asked.side, asked.amount, estimateErrors)
  const quoted = quoteNow(direction, asked.side, amount, await legs(), estimateErrors)
  checkLimits(direction, quoted, estimateErrors)
  if (query.price !== undefined && !isNoWorse(direction.selling, quoted.price, readPrice(query.price, estimateErrors))) {
    const { status, code } = estimateErrors.invalidOrder
    throw new ApiRefusal(status, code, `Order validation error: the price is ${formatUnits(quoted.price, PRICE_DECIMALS)} now, worse than the price given`, { field: 'price' })
  }
  const now = new Date(runtime.clock.now())
  await inTransaction(runtime.db, async (tx) => {
    const free = (await inventoryOf(tx, direction.target.ticker)) - (await promisedOf(tx, direction.target.ticker, now))
    if (free < quoted.target) {
      const { status, code, meaning } = estimateErrors.notEnoughLiquidity
      throw new ApiRefusal(status, code, `${meaning}: there is not that much ${direction.target.ticker} to sell`)
    }
    await insertQuote(tx, { merchantId, direction, side: asked.side, amount }, quoted, { id: runtime.newId(), expiresAt: new Date(now.getTime() + policy.quoteMs) })
  })
  return ok(estimateBody(direction, quoted))
}

const estimateBody = ({ spend, target, first, second }: Direction, quoted: Quote): unknown => ({
  price: { value: formatUnits(quoted.price, PRICE_DECIMALS), pair: [first, second] },
  exchange: { amount: formatUnits(quoted.exchange, spend.scale), ticker: spend.ticker, fee: formatUnits(quoted.fee, spend.scale) },
  target: { amount: formatUnits(quoted.target, target.scale), ticker: target.ticker },
  spend: { amount: formatUnits(quoted.spend, spend.scale), ticker: spend.ticker },
})

const create = async ({ runtime, policy, legs }: ExchangeRoutesDeps, request: ApiRequest): Promise<ApiAnswer> => {
  const { merchantId } = request
  const body = request.body as ExchangeBody
  const direction = readDirection(policy, body, orderErrors)
  const amount = readSideAmount(direction, body.side, body.amount, orderErrors)
  const limit = readPrice(body.price, orderErrors)
  const now = quoteNow(direction, body.side, amount, await legs(), orderErrors)
  const moment = momentOf(runtime)
  return inTransaction(runtime.db, (tx) =>
    withStoredAnswer(tx, request, moment.at, async () => {
      await refuseStopped(tx, merchantId, direction)
      const promised = await takeQuote(tx, { merchantId, direction, side: body.side, amount }, limit, new Date(runtime.clock.now()))
      const quoted = chargedFee(direction, body.side, fillOf(direction, { side: body.side, amount, limit }, now, promised), body.fee)
      checkLimits(direction, quoted, orderErrors)
      const exchange = await fill(tx, { merchantId, direction, side: body.side, quoted, localId: body.localId ?? null, meta: body.meta ?? null }, moment)
      await carryOut(tx, tellExchange(exchange, direction), moment)
      return ok({ id: exchange.id })
    }),
  )
}

/** What can't be withdrawn can't be turned into something that can. */
const refuseStopped = async (db: Db, merchantId: string, { spend, target }: Direction): Promise<void> => {
  const { rows } = await sql<{ asset: string | null; reason: string }>`select asset, reason from freezes where lifted_at is null and network is null
    and (asset is null or asset in (${spend.ticker}, ${target.ticker})) and (merchant_id is null or merchant_id = ${merchantId}) limit 1`.execute(db)
  const stopped = rows[0]
  if (!stopped) return
  throw new ApiRefusal(generalErrors.unavailable.status, generalErrors.unavailable.code, `exchanges of ${stopped.asset ?? 'all assets'} are stopped: ${stopped.reason}`, { retryAfterSeconds: 300 })
}
