import { estimateErrors, orderErrors } from '@bursar/contract'
import type { NewId } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Outcome, Refusal } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { checkStops, requirePlaced, type NewOrder } from '../../ledger/orders/index.ts'
import { ApiRefusal, type AnswerKey, refusal } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { UsdtMarkets } from '../../market/rates/index.ts'
import type { StopTerm } from '../../ledger/stops/index.ts'
import { exchangeOf, fillAll, orderOf, type Fill } from './commands.ts'
import type { Exchange } from './exchange.ts'
import { chargedFee, checkAge, checkLimits, fillOf, quoteNow } from './order.ts'
import type { ExchangePolicy } from './policy.ts'
import { isNoWorse, PRICE_DECIMALS } from './pricing.ts'
import type { QuoteStore } from './quotes.ts'
import type { Quote } from './quoting.ts'
import { endQuotes, lockQuotes, type Promisable, type StoredQuote } from './store.ts'

/** The data that prices orders: read before a transaction begins, from rows that jobs refresh. */
export interface TradingDeps {
  runtime: Runtime
  policy: ExchangePolicy
  quoteStore: QuoteStore
  usdtMarkets(): Promise<UsdtMarkets>
  stops(): Promise<readonly StopTerm[]>
}

/**
 * Estimates an exchange. Its price is valid for `quoteMs`, for this merchant and this exact order. The quote reserves
 * no inventory: it only reduces the amount that the same merchant can be quoted. @throws ApiRefusal with the codes of
 * an estimate
 */
export const estimate = async (
  { runtime, policy, usdtMarkets, quoteStore }: TradingDeps,
  asking: Promisable,
  limit: bigint | undefined,
): Promise<Quote> => {
  const { direction, side, amount } = asking
  const quoted = quoteNow(direction, side, amount, await usdtMarkets(), estimateErrors)
  checkLimits(direction, quoted, estimateErrors)
  if (limit !== undefined && !isNoWorse(direction.selling, quoted.price, limit)) {
    throw refusal(
      estimateErrors.invalidOrder,
      `Order validation error: the price is ${formatUnits(quoted.price, PRICE_DECIMALS)} now, worse than the price given`,
      'price',
    )
  }
  await quoteStore.keep({
    ...asking,
    quoted,
    id: runtime.newId(),
    expiresAt: new Date(runtime.clock.now() + policy.quoteMs),
  })
  return quoted
}

/**
 * An order with the time at which it is priced; `limit` is the merchant's price, undefined: any; `fee` is the
 * merchant's own.
 */
export interface Order extends Promisable {
  limit: bigint | undefined
  fee: string | undefined
  /** of the API key that signed the request, null: none */
  keyId: string | null
  localId: string | null
  meta: string | null
  caused?: boolean
  now: Quote
}

/**
 * Prices an order before its transaction. An asset that can't be withdrawn can't be exchanged for one that can.
 * @throws ApiRefusal
 */
export const priceOrder = async (
  { usdtMarkets, stops }: Pick<TradingDeps, 'usdtMarkets' | 'stops'>,
  order: Omit<Order, 'now'>,
): Promise<Order> => {
  const { merchantId, direction, side, amount } = order
  const stopped = await stops()
  for (const { ticker } of [direction.spend, direction.target])
    checkStops({ merchantId, ticker, network: null }, stopped)
  return { ...order, now: quoteNow(direction, side, amount, await usdtMarkets(), orderErrors) }
}

/**
 * The identifiers of an exchange before it is filled, so that filling it again after an unknown commit is idempotent.
 */
export interface ExchangeIds {
  id: string
  transferId: string
  at: Date
}

export const newIds = (newId: NewId, at: Date): ExchangeIds => ({ id: newId(), transferId: newId(), at })

/**
 * A priced order to fill.
 * @property answerKeys of the request that orders it
 * @property isPart the request orders more than the exchange
 */
export interface Filling {
  order: Order
  ids: ExchangeIds
  answerKeys: readonly AnswerKey[]
  isPart?: boolean
}

export type Filled = (Fill & { outcome: Outcome }) | { refused: ApiRefusal }

/**
 * Fills priced orders in this transaction, each at its quote if it has one; no two may use the same quote. Refused ones
 * move nothing. Prices must be fresh before and after the accounts are locked, which may take long.
 * @param now the current real time, ms
 * @throws ApiRefusal: roll back, the platform lacks an asset for all of them together, or a price has become too old
 */
export const fillOrders = async (tx: Tx, fillings: readonly Filling[], now: () => number): Promise<Filled[]> => {
  const quotes = await quotesFor(tx, fillings, new Date(now()))
  const at = now()
  const judged = fillings.map((filling) => fillOrRefusal(filling, quotes.get(filling), at))
  const fills = judged.filter((one): one is Fill => !(one instanceof ApiRefusal))
  const outcomes = new Map<Fill | ApiRefusal, Outcome>(
    (await fillAll(tx, fills)).map((outcome, i) => [fills[i]!, outcome]),
  )
  const filled = fillings.filter((_, i) => outcomes.get(judged[i]!)?.kind === 'applied')
  const taken = filled.map((filling) => quotes.get(filling))
  await endQuotes(
    tx,
    taken.filter((quote) => quote !== undefined),
  )
  for (const { order } of filled) checkAge(order.now, now())
  return judged.map((one) => (one instanceof ApiRefusal ? { refused: one } : { ...one, outcome: outcomes.get(one)! }))
}

/** Finds and locks the quotes of orders that state a price. */
const quotesFor = async (
  tx: Tx,
  fillings: readonly Filling[],
  now: Date,
): Promise<ReadonlyMap<Filling, StoredQuote>> => {
  const asking = fillings.filter(({ order }) => order.limit !== undefined)
  const quotes = await lockQuotes(
    tx,
    asking.map(({ order }) => ({ ...order, price: order.limit! })),
    now,
  )
  return new Map(asking.flatMap((filling, i) => (quotes[i] ? [[filling, quotes[i]]] : [])))
}

const fillOrRefusal = (
  { order, ids, answerKeys, isPart = false }: Filling,
  quote: StoredQuote | undefined,
  at: number,
): Fill | ApiRefusal => {
  const { direction, side, limit, now } = order
  try {
    checkAge(now, at)
    const filled = limit === undefined ? now : fillOf(direction, { ...order, limit }, now, quote)
    const quoted = chargedFee(direction, side, filled, order.fee)
    checkLimits(direction, quoted, orderErrors)
    const exchange = exchangeOf(order, quoted, ids)
    return {
      exchange,
      direction,
      order: { ...orderOf(exchange, direction, order.caused ?? false), isPart },
      answerKeys,
    }
  } catch (error) {
    if (error instanceof ApiRefusal) return error
    throw error
  }
}

/** An order that the ledger has refused: it moved nothing, and the refusal is stored as the answer of its request. */
export interface Unfilled {
  order: NewOrder
  outcome: Refusal
}

/**
 * Fills one order that is part of another order, in this transaction.
 * @param order with the keys of the request that asks for the whole; none: no request does
 * @throws ApiRefusal: roll back
 */
export const fillPart = async (
  tx: Tx,
  deps: Pick<TradingDeps, 'runtime'>,
  { answerKeys, ...order }: Order & Pick<Filling, 'answerKeys'>,
  moment: Moment,
): Promise<Exchange | Unfilled> => {
  const { exchange, order: placed, outcome } = await fillOne(tx, deps, { order, answerKeys, isPart: true }, moment)
  if (outcome.kind === 'refused') return { order: placed, outcome }
  requirePlaced(outcome, placed)
  return exchange
}

/** Fills one order that no request asks for, in this transaction. @throws ApiRefusal: roll back */
export const fillOrder = async (
  tx: Tx,
  deps: Pick<TradingDeps, 'runtime'>,
  order: Order,
  moment: Moment,
): Promise<Exchange> => {
  const { exchange, order: placed, outcome } = await fillOne(tx, deps, { order, answerKeys: [] }, moment)
  requirePlaced(outcome, placed)
  return exchange
}

const fillOne = async (
  tx: Tx,
  { runtime }: Pick<TradingDeps, 'runtime'>,
  filling: Omit<Filling, 'ids'>,
  { at, newId }: Moment,
): Promise<Fill & { outcome: Outcome }> => {
  const [filled] = await fillOrders(tx, [{ ...filling, ids: newIds(newId, at) }], runtime.clock.now)
  if ('refused' in filled!) throw filled.refused
  return filled!
}
