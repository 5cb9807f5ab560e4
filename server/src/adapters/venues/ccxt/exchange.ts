import { DIALECTS, type Dialect } from './dialect.ts'
import type { CcxtSettings, Operations, WireFill, WireOrder } from './wire.ts'

/** What is used of ccxt. Its figures are strings: `number` is set to String. */
interface Exchange {
  urls: { api: Record<string, unknown> }
  number: (value: unknown) => unknown
  handleErrors: (status: number, ...rest: unknown[]) => unknown
  amountToPrecision(symbol: string, amount: string): string
  priceToPrecision(symbol: string, price: string): string
  loadMarkets(reload?: boolean): Promise<Record<string, CcxtMarket>>
  fetchBalance(): Promise<{ total: Record<string, string>; free: Record<string, string> }>
  fetchTime(): Promise<number | string>
  createOrder(symbol: string, type: 'limit', side: string, amount: string, price: string, params: object): Promise<unknown>
  fetchOrder(id: undefined, symbol: string, params: object): Promise<{ id: string; status: string; filled: string }>
  fetchOrderTrades(id: string, symbol: string): Promise<CcxtTrade[]>
  cancelOrder(id: undefined, symbol: string, params: object): Promise<unknown>
}
interface CcxtMarket {
  base: string
  quote: string
  spot: boolean
  active: boolean | undefined
  precision: { amount?: string; price?: string }
  limits: { amount?: { min?: string }; cost?: { min?: string } }
}
interface CcxtTrade {
  id: string
  amount: string
  price: string
  cost: string
  timestamp: number | string
  fee?: { currency?: string; cost?: string }
}

/** Errors of ccxt, by name of their class, that say that nothing was taken. Everything else is not known. */
const REFUSALS = ['InsufficientFunds', 'InvalidOrder', 'OrderNotFillable', 'OrderImmediatelyFillable', 'BadRequest', 'BadSymbol', 'AuthenticationError', 'PermissionDenied', 'InvalidNonce', 'MarketClosed']

/** Makes ccxt's exchange, of that one file alone: all of ccxt takes a second and 130 MB. @throws Error that says what to install */
export const openExchange = async (settings: CcxtSettings): Promise<Omit<Operations, 'open'>> => {
  const dialect = DIALECTS[settings.exchange]
  if (!dialect) throw new Error(`${settings.exchange} is not one of ${Object.keys(DIALECTS).join(', ')}`)
  const exchange = await construct(settings, dialect)
  let status = 0
  const judge = exchange.handleErrors.bind(exchange)
  exchange.handleErrors = (code, ...rest) => {
    status = code
    return judge(code, ...rest)
  }
  const symbolOf = ({ market }: Pick<WireOrder, 'market'>): string => `${market.base}/${market.quote}`
  return {
    markets: async () => Object.values(await exchange.loadMarkets(true)).filter(({ spot, active }) => spot && active !== false).flatMap(marketOf),
    balances: async () => {
      const { total, free } = await exchange.fetchBalance()
      return Object.entries(total).map(([asset, units]) => ({ asset, total: units, free: free[asset] ?? '0' }))
    },
    place: async (order) => {
      await exchange.loadMarkets()
      status = 0
      try {
        await exchange.createOrder(symbolOf(order), 'limit', order.side, order.amount, order.price, dialect.place(order.clientId, order.placedAt, order.validMs))
        return { kind: 'taken' }
      } catch (error) {
        if (status >= 500 || !isRefusal(error)) throw error
        return { kind: 'refused', reason: (error as Error).message.slice(0, 300) }
      }
    },
    find: async (order) => {
      // The time first: an order that is not there afterwards was not there then.
      const venueTime = Number(await exchange.fetchTime())
      try {
        const { id, status: state, filled } = await exchange.fetchOrder(undefined, symbolOf(order), dialect.ask(order.clientId))
        const trades = Number(filled) > 0 ? await exchange.fetchOrderTrades(id, symbolOf(order)) : []
        return { kind: 'known', open: state === 'open', executed: filled, fills: trades.map(fillOf) }
      } catch (error) {
        if (nameOf(error) === 'OrderNotFound') return { kind: 'absent', venueTime }
        throw error
      }
    },
    cancel: async (order) => {
      try {
        await exchange.cancelOrder(undefined, symbolOf(order), dialect.ask(order.clientId))
      } catch (error) {
        if (nameOf(error) !== 'OrderNotFound') throw error
      }
      return null
    },
  }
}

const construct = async ({ exchange: id, origin, apiKey, secret, timeoutMs }: CcxtSettings, { options }: Dialect): Promise<Exchange> => {
  const file = new URL(`./src/${id}.js`, ccxtFile())
  const { default: Constructor } = (await import(file.href)) as { default: new (config: object) => Exchange }
  const exchange = new Constructor({ apiKey, secret, timeout: timeoutMs, enableRateLimit: true, maxRetriesOnFailure: 0, number: String, options: { ...options, maxRetriesOnFailure: 0 } })
  // Amounts and prices are multiples of the market's steps before they come here, and no float has seen them.
  exchange.amountToPrecision = (_symbol, amount) => amount
  exchange.priceToPrecision = (_symbol, price) => price
  if (origin !== undefined) {
    for (const [name, url] of Object.entries(exchange.urls.api)) {
      if (typeof url === 'string') exchange.urls.api[name] = origin + new URL(url).pathname.replace(/\/$/, '')
    }
  }
  return exchange
}

const ccxtFile = (): string => {
  try {
    return import.meta.resolve('ccxt')
  } catch {
    throw new Error('ccxt is not installed: see docs/operating/hedging.md')
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : '')

/** A duplicate says that there is an order under this id: it is to be asked for. */
const isRefusal = (error: unknown): boolean => REFUSALS.includes(nameOf(error)) && !/duplicate/i.test((error as Error).message)

const marketOf = ({ base, quote, precision, limits }: CcxtMarket): Awaited<ReturnType<Operations['markets']>> => {
  if (precision.amount === undefined || precision.price === undefined) return []
  return [{ base, quote, amountStep: precision.amount, priceStep: precision.price, leastAmount: limits.amount?.min ?? '0', leastNotional: limits.cost?.min ?? '0' }]
}

const fillOf = ({ id, amount, price, cost, fee, timestamp }: CcxtTrade): WireFill => ({
  tradeId: String(id), amount, price, cost, at: Number(timestamp),
  fee: fee?.currency === undefined || fee.cost === undefined ? null : { asset: fee.currency, amount: fee.cost },
})
