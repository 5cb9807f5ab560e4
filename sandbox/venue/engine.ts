/**
 * The venue's engine: balances, orders, trades. Order books follow the sandbox's prices and are refilled after every
 * trade.
 */
import type { Sides } from '../market/books.ts'
import { ONE, unitsOf } from './amounts.ts'
import type { Symbol } from './symbols.ts'

type Side = 'BUY' | 'SELL'

/** Amounts and prices in 1e-8. */
export interface Order {
  orderId: number
  clientOrderId: string
  symbol: string
  side: Side
  timeInForce: 'IOC' | 'GTC'
  price: bigint
  amount: bigint
  executed: bigint
  spentQuote: bigint
  status: 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'EXPIRED' | 'EXPIRED_IN_MATCH' | 'CANCELED' | 'TOMORROWS_WORD'
  /** shown no more, as one that ended without a trade 90 days ago */
  isArchived?: true
  /** why an order expired besides the end of IOC */
  expiryReason?: string
  at: number
}

export interface Trade {
  id: number
  orderId: number
  symbol: string
  price: bigint
  amount: bigint
  quote: bigint
  commission: bigint
  commissionAsset: string
  isBuyer: boolean
  at: number
}

type End = 'rest' | 'match' | 'price-range' | 'new-word'

export interface VenueState {
  /** all of it is free: orders that wait lock nothing here, and find too little when they trade */
  balances: Record<string, bigint>
  orders: Order[]
  trades: Trade[]
}

/** A tenth of a percent of the received amount, as spot has it without discounts. */
const FEE_DIVISOR = 1_000n

export interface Engine {
  readonly state: VenueState
  /**
   * Takes an order; it trades at once, or when `trade` is called. Undefined: there is too little of the asset that it
   * spends.
   */
  take(
    symbol: Symbol,
    order: Pick<Order, 'clientOrderId' | 'side' | 'timeInForce' | 'price' | 'amount'>,
    at: number,
  ): Order | undefined
  /** Trades the amount of the book within the limit, and no more than `most`; the rest of an IOC order expires. */
  trade(symbol: Symbol, order: Order, sides: Sides, at: number, most: bigint, end?: End): void
  cancel(order: Order): void
}

export const createEngine = (state: VenueState): Engine => {
  const held = (asset: string): bigint => state.balances[asset] ?? 0n
  const move = (asset: string, units: bigint): void => void (state.balances[asset] = held(asset) + units)
  const fill = (symbol: Symbol, order: Order, price: bigint, amount: bigint, at: number): void => {
    const isBuyer = order.side === 'BUY'
    const quote = (amount * price) / ONE
    const received = isBuyer ? amount : quote
    const commissionAsset = isBuyer ? symbol.base : symbol.quote
    const commission = received / FEE_DIVISOR
    move(symbol.base, isBuyer ? amount : -amount)
    move(symbol.quote, isBuyer ? -quote : quote)
    move(commissionAsset, -commission)
    order.executed += amount
    order.spentQuote += quote
    state.trades.push({
      id: state.trades.length + 1,
      orderId: order.orderId,
      symbol: symbol.symbol,
      price,
      amount,
      quote,
      commission,
      commissionAsset,
      isBuyer,
      at,
    })
  }
  return {
    state,
    take: (symbol, asked, at) => {
      const spends = asked.side === 'BUY' ? (asked.amount * asked.price) / ONE : asked.amount
      if (held(asked.side === 'BUY' ? symbol.quote : symbol.base) < spends) return undefined
      const order: Order = {
        ...asked,
        orderId: state.orders.length + 1,
        symbol: symbol.symbol,
        executed: 0n,
        spentQuote: 0n,
        status: 'NEW',
        at,
      }
      state.orders.push(order)
      return order
    },
    trade: (symbol, order, { bids, asks }, at, most, end = 'rest') => {
      const buys = order.side === 'BUY'
      let left = most < order.amount - order.executed ? most : order.amount - order.executed
      for (const [priceText, amountText] of buys ? asks : bids) {
        const price = toTick(unitsOf(priceText) ?? 0n, symbol.tick, buys)
        if (left <= 0n || (buys ? price > order.price : price < order.price)) break
        const level = unitsOf(amountText) ?? 0n
        const taken = ((level < left ? level : left) / symbol.step) * symbol.step
        if (taken > 0n) fill(symbol, order, price, taken, at)
        left -= taken
      }
      if (order.executed === order.amount) order.status = 'FILLED'
      else if (end === 'match') order.status = 'EXPIRED_IN_MATCH'
      else if (end === 'new-word') order.status = 'TOMORROWS_WORD'
      else if (end === 'price-range')
        Object.assign(order, { status: 'EXPIRED', expiryReason: 'EXECUTION_RULE_PRICE_RANGE_EXCEEDED' })
      else order.status = order.timeInForce === 'IOC' ? 'EXPIRED' : order.executed > 0n ? 'PARTIALLY_FILLED' : 'NEW'
    },
    cancel: (order) => {
      order.status = 'CANCELED'
    },
  }
}

/** A book's prices are multiples of the tick: asks up, bids down. */
const toTick = (price: bigint, tick: bigint, up: boolean): bigint => ((price + (up ? tick - 1n : 0n)) / tick) * tick
