/**
 * A double of a venue with one price for each market; a test decides what happens to an order. Amounts in 1e-18.
 * Source: the contract of `Venue` in adapters/venues/port.ts, which its conformance suite proves of ccxt's adapter and
 * of the sandbox's venue; lost answers, orders that arrive late, trades that show later and fees in the received asset:
 * docs/dialects.md, rows V-1, V-3 and V-4.
 */
import {
  VenueUnreachable,
  type OrderKey,
  type Venue,
  type VenueFill,
  type VenueMarket,
  type VenueOrder,
} from '../../server/src/adapters/venues/port.ts'

const E18 = 10n ** 18n

export interface Fault {
  /** percent that trades at most */
  fill?: number
  /** the order is taken and no answer comes; it never arrives; it arrives when it is `arrive()`d */
  lost?: 'taken' | 'never' | 'late'
  refuse?: string
  /** rests until it is asked for so many times */
  rests?: number
  /** fills are shown so many questions later than the amount that has traded */
  fillsLag?: number
}

interface Taken extends VenueOrder {
  executed: bigint
  fills: VenueFill[]
  open: boolean
  rests: number
  lag: number
  most: number
}

export interface TestVenue extends Venue {
  /** the results of the next orders, one after the other */
  faults: Fault[]
  /** every query fails */
  down: boolean
  held: Map<string, bigint>
  taken: Taken[]
  /** client ids as often as `place` was called with them */
  placed: string[]
  prices: Map<string, bigint>
  arrive(): void
}

const market = (base: string, quote: string, amountStep: bigint): VenueMarket => ({
  base,
  quote,
  amountStep,
  priceStep: E18 / 100n,
  leastAmount: amountStep,
  leastNotional: 5n * E18,
})
const FEE = 1_000n

export const createTestVenue = (now: () => number): TestVenue => {
  const late: VenueOrder[] = []
  const add = (asset: string, units: bigint): void => void venue.held.set(asset, (venue.held.get(asset) ?? 0n) + units)
  const trade = (order: Taken): void => {
    const price = venue.prices.get(`${order.market.base}/${order.market.quote}`)!
    const reaches = order.side === 'buy' ? price <= order.price : price >= order.price
    const step = markets.find(
      ({ base, quote }) => base === order.market.base && quote === order.market.quote,
    )!.amountStep
    const whole = reaches ? ((order.amount * BigInt(order.most)) / 100n / step) * step : 0n
    // Two trades, so that fills come in parts.
    const first = (whole / 3n / step) * step
    for (const amount of [first, whole - first].filter((part) => part > 0n)) {
      const cost = (amount * price) / E18
      const { base, quote } = order.market
      const received = order.side === 'buy' ? { asset: base, amount } : { asset: quote, amount: cost }
      const fee = { asset: received.asset, amount: received.amount / FEE }
      add(base, order.side === 'buy' ? amount : -amount)
      add(quote, order.side === 'buy' ? -cost : cost)
      add(fee.asset, -fee.amount)
      order.fills.push({
        tradeId: String(venue.taken.reduce((sum, { fills }) => sum + fills.length, 0) + 1),
        amount,
        price,
        cost,
        fee,
        at: now(),
      })
      order.executed += amount
    }
    order.open = false
  }
  const take = (order: VenueOrder, fault: Fault): void => {
    if (now() > order.placedAt + order.validMs) return
    const taken: Taken = {
      ...order,
      executed: 0n,
      fills: [],
      open: true,
      rests: fault.rests ?? 0,
      lag: fault.fillsLag ?? 0,
      most: fault.fill ?? 100,
    }
    venue.taken.push(taken)
    if (taken.rests === 0) trade(taken)
  }
  const markets = [
    market('BTC', 'USDT', E18 / 100_000n),
    market('ETH', 'USDT', E18 / 10_000n),
    market('USDT', 'KZT', E18 / 10n),
  ]
  const answering = (): void => {
    if (venue.down) throw new VenueUnreachable('it is down')
  }
  const venue: TestVenue = {
    name: 'test',
    faults: [],
    down: false,
    held: new Map(),
    taken: [],
    placed: [],
    prices: new Map(),
    markets: async () => {
      answering()
      return markets
    },
    balances: async () => {
      answering()
      return [...venue.held].map(([asset, total]) => ({ asset, total, free: total }))
    },
    place: async (order) => {
      venue.placed.push(order.clientId)
      const fault = venue.faults.shift() ?? {}
      if (fault.refuse !== undefined) return { kind: 'refused', reason: fault.refuse }
      if (fault.lost === 'late') late.push(order)
      else if (fault.lost !== 'never') take(order, fault)
      if (fault.lost !== undefined) throw new VenueUnreachable('no answer')
      return { kind: 'taken' }
    },
    find: async (key: OrderKey) => {
      answering()
      const found = venue.taken.find(({ clientId }) => clientId === key.clientId)
      if (!found) return { kind: 'absent', venueTime: now() }
      if (found.open && found.rests-- <= 0) trade(found)
      const fills = !found.open && found.lag-- > 0 ? found.fills.slice(0, 1) : found.fills
      return { kind: 'known', open: found.open, executed: found.executed, fills: [...fills] }
    },
    cancel: async (key) => {
      answering()
      const found = venue.taken.find(({ clientId }) => clientId === key.clientId)
      if (found) found.open = false
    },
    arrive: () => {
      for (const order of late.splice(0)) take(order, {})
    },
    close: async () => {},
  }
  return venue
}
