import { estimateErrors, orderErrors } from '@bursar/contract'
import type { Moment } from '../base/moment.ts'
import { inTransaction, type Tx } from '../db/index.ts'
import { formatUnits } from '../money/index.ts'
import { checkStops, refusal, type StopTerm } from '../orders/index.ts'
import type { Runtime } from '../platform/runtime.ts'
import type { Legs } from '../rates/index.ts'
import { fill } from './commands.ts'
import type { Direction } from './direction.ts'
import type { Exchange } from './exchange.ts'
import { boundsPassedBy, inventoryOf, type Bounds } from './inventory.ts'
import { chargedFee, checkLimits, fillOf, quoteNow } from './order.ts'
import type { ExchangePolicy } from './policy.ts'
import { isNoWorse, PRICE_DECIMALS, type Side } from './pricing.ts'
import type { Quote } from './quoting.ts'
import { insertQuote, promisedOf, takeQuote } from './store.ts'

/** What prices orders: read before a transaction is opened, from what jobs keep up to date. */
export interface DeskDeps {
  runtime: Runtime
  policy: ExchangePolicy
  legs(): Promise<Legs>
  stops(): Promise<readonly StopTerm[]>
}

export interface Asking {
  merchantId: string
  direction: Direction
  side: Side
  amount: bigint
}

/**
 * What an exchange would do now. Its price is promised for `quoteMs`, to this merchant for this very order, and counts against
 * what there is to sell. @throws ApiRefusal with the numbers of an estimate
 */
export const estimate = async ({ runtime, policy, legs }: DeskDeps, asking: Asking, limit: bigint | undefined): Promise<Quote> => {
  const { direction, side, amount } = asking
  const quoted = quoteNow(direction, side, amount, await legs(), estimateErrors)
  checkLimits(direction, quoted, estimateErrors)
  if (limit !== undefined && !isNoWorse(direction.selling, quoted.price, limit)) {
    throw refusal(estimateErrors.invalidOrder, `Order validation error: the price is ${formatUnits(quoted.price, PRICE_DECIMALS)} now, worse than the price given`, 'price')
  }
  const now = new Date(runtime.clock.now())
  await inTransaction(runtime.db, async (tx) => {
    const { ticker } = direction.target
    const free = (await inventoryOf(tx, ticker)) - (await promisedOf(tx, ticker, now))
    if (free < quoted.target) throw refusal(estimateErrors.notEnoughLiquidity, `Not enough liquidity: there is not that much ${ticker} to sell`)
    const [passed] = await boundsPassedBy(tx, movesOf(direction, quoted))
    if (passed !== undefined) throw refusal(estimateErrors.notEnoughLiquidity, `Not enough liquidity: no more ${passed} is ${passed === ticker ? 'sold' : 'bought'} now`)
    await insertQuote(tx, asking, quoted, { id: runtime.newId(), expiresAt: new Date(now.getTime() + policy.quoteMs) })
  })
  return quoted
}

/** What an exchange would move of the position. */
const movesOf = ({ spend, target }: Direction, { exchange, target: received }: Pick<Quote, 'exchange' | 'target'>): { asset: string; units: bigint; bounds: Bounds }[] => [
  { asset: spend.ticker, units: exchange, bounds: spend },
  { asset: target.ticker, units: -received, bounds: target },
]

/** An order priced at the moment it came; `limit` is the merchant's price, undefined for whatever it is; `fee` the merchant's own. */
export interface Order extends Asking {
  limit: bigint | undefined
  fee: string | undefined
  localId: string | null
  meta: string | null
  caused?: boolean
  now: Quote
}

/**
 * Prices an order before its transaction. What can't be withdrawn can't be turned into something that can.
 * @throws ApiRefusal
 */
export const priceOrder = async ({ legs, stops }: DeskDeps, order: Omit<Order, 'now'>): Promise<Order> => {
  const { merchantId, direction, side, amount } = order
  const stopped = await stops()
  for (const { ticker } of [direction.spend, direction.target]) checkStops({ merchantId, ticker, network: null }, stopped)
  return { ...order, now: quoteNow(direction, side, amount, await legs(), orderErrors) }
}

/** Fills a priced order in this transaction, under an estimate's promise where there is one. @throws ApiRefusal: roll back */
export const fillOrder = async (tx: Tx, { runtime }: Pick<DeskDeps, 'runtime'>, order: Order, moment: Moment): Promise<Exchange> => {
  const { direction, side, limit, now } = order
  const promised = limit === undefined ? undefined : await takeQuote(tx, order, limit, new Date(runtime.clock.now()))
  const filled = limit === undefined ? now : fillOf(direction, { ...order, limit }, now, promised)
  const quoted = chargedFee(direction, side, filled, order.fee)
  checkLimits(direction, quoted, orderErrors)
  return fill(tx, { ...order, quoted }, moment)
}
