import { isLimit, type Limited } from '../../rests.ts'
import { DIALECTS, type Dialect } from './dialect.ts'
import type { CcxtSettings, Operations, WireFill, WireOrder } from './wire.ts'

/** The part of ccxt that is used. Its numbers are strings, because `number` is set to String. */
interface Exchange {
  urls: { api: Record<string, unknown> }
  number: (value: unknown) => unknown
  milliseconds(): number
  /** undefined: none were loaded yet */
  markets: Record<string, CcxtMarket> | undefined
  handleErrors: (
    status: number,
    reason: string,
    url: string,
    method: string,
    headers: Readonly<Record<string, string>> | undefined,
    ...rest: unknown[]
  ) => unknown
  amountToPrecision(symbol: string, amount: string): string
  priceToPrecision(symbol: string, price: string): string
  loadMarkets(reload: boolean): Promise<Record<string, CcxtMarket>>
  /** `info`: the venue's answer; a text that is not JSON stays a text */
  fetchBalance(): Promise<{ info: unknown; total: Record<string, string>; free: Record<string, string> }>
  fetchTime(): Promise<number | string>
  createOrder(
    symbol: string,
    type: 'limit',
    side: string,
    amount: string,
    price: string,
    params: object,
  ): Promise<unknown>
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
  limits: { amount?: { min?: string; max?: string }; cost?: { min?: string } }
  info: { filters?: readonly Readonly<Record<string, unknown>>[] }
}
interface CcxtTrade {
  id: string
  amount: string
  price: string
  cost: string
  timestamp: number | string
  fee?: { currency?: string; cost?: string }
}

/**
 * ccxt's statuses of an order that no longer trades. An order with any other status, such as an unknown one, may still
 * trade.
 */
const ENDED: readonly string[] = ['closed', 'canceled', 'expired', 'rejected']

/** The venue rejected a request by its rate limit. */
export class LimitedByVenue extends Error {
  override name = 'LimitedByVenue'
  readonly limited: Limited

  constructor(message: string, limited: Limited) {
    super(message)
    this.limited = limited
  }
}

/** Class names of ccxt's errors that prove that an order was not accepted. After any other error this is unknown. */
const REFUSALS = [
  'InsufficientFunds',
  'InvalidOrder',
  'OrderNotFillable',
  'OrderImmediatelyFillable',
  'BadRequest',
  'BadSymbol',
  'AuthenticationError',
  'AccountSuspended',
  'PermissionDenied',
  'InvalidNonce',
  'MarketClosed',
]

/**
 * Creates ccxt's exchange from its own file only, because loading all of ccxt takes a second and 130 MB.
 * @param now simulated time, ms, which dates requests; nothing delays them then. The machine's time when absent
 * @throws Error that names what to install
 */
export const openExchange = async (settings: CcxtSettings, now?: () => number): Promise<Omit<Operations, 'open'>> => {
  const dialect = DIALECTS[settings.exchange]
  if (!dialect) throw new Error(`${settings.exchange} is not one of ${Object.keys(DIALECTS).join(', ')}`)
  const exchange = await construct(settings, dialect, now)
  let status = 0
  let retryAfter: string | undefined
  const judge = exchange.handleErrors.bind(exchange)
  exchange.handleErrors = (code, reason, url, method, headers, ...rest) => {
    status = code
    if (isLimit(code))
      retryAfter = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
    return judge(code, reason, url, method, headers, ...rest)
  }
  /** Converts rate limit errors of the venue to `LimitedByVenue`. */
  const noted =
    <Args extends unknown[], Value>(operation: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      status = 0
      retryAfter = undefined
      try {
        return await operation(...args)
      } catch (error) {
        throw isLimit(status) ? new LimitedByVenue((error as Error).message, { status, retryAfter }) : error
      }
    }
  /**
   * Returns markets, and asks the venue for them if none are loaded. ccxt would return a failed load, and an answer
   * without markets, for every later call.
   */
  const loaded = async (reload = false): Promise<Record<string, CcxtMarket>> => {
    const known = reload ? {} : (exchange.markets ?? {})
    const markets = isEmpty(known) ? await exchange.loadMarkets(true) : known
    if (isEmpty(markets)) throw new Error('the venue answered no market')
    return markets
  }
  const symbolOf = ({ market }: Pick<WireOrder, 'market'>): string => `${market.base}/${market.quote}`
  return {
    markets: noted(async () =>
      Object.values(await loaded(true))
        .filter(({ spot, active }) => spot && active !== false)
        .flatMap(marketOf),
    ),
    balances: noted(async () => {
      await loaded()
      const { info, total, free } = await exchange.fetchBalance()
      // ccxt makes an empty account of an answer that it can't read.
      if (typeof info !== 'object' || info === null) throw new Error('the venue answered no account')
      return Object.entries(total).map(([asset, units]) => ({ asset, total: units, free: free[asset] ?? '0' }))
    }),
    place: noted(async (order) => {
      await loaded()
      status = 0
      try {
        await exchange.createOrder(
          symbolOf(order),
          'limit',
          order.side,
          order.amount,
          order.price,
          dialect.place(order.clientId, order.placedAt, order.validMs),
        )
        return { kind: 'taken' }
      } catch (error) {
        if (status >= 500 || isLimit(status) || !isRefusal(error)) throw error
        return { kind: 'refused', reason: (error as Error).message.slice(0, 300) }
      }
    }),
    find: noted(async (order) => {
      await loaded()
      // Read the time first: an order that is missing afterwards did not exist at that time.
      const venueTime = Number(await exchange.fetchTime())
      try {
        const {
          id,
          status: state,
          filled,
        } = await exchange.fetchOrder(undefined, symbolOf(order), dialect.ask(order.clientId))
        const trades = Number(filled) > 0 ? await exchange.fetchOrderTrades(id, symbolOf(order)) : []
        return { kind: 'known', open: !ENDED.includes(state), executed: filled, fills: trades.map(fillOf) }
      } catch (error) {
        if (nameOf(error) === 'OrderNotFound') return { kind: 'absent', venueTime }
        if (dialect.isArchived(error as Error)) return { kind: 'known', open: false, executed: '0', fills: [] }
        throw error
      }
    }),
    cancel: noted(async (order) => {
      await loaded()
      try {
        await exchange.cancelOrder(undefined, symbolOf(order), dialect.ask(order.clientId))
      } catch (error) {
        if (nameOf(error) !== 'OrderNotFound') throw error
      }
      return null
    }),
  }
}

const construct = async (
  { exchange: id, origin, apiKey, secret, timeoutMs }: CcxtSettings,
  { options }: Dialect,
  now: (() => number) | undefined,
): Promise<Exchange> => {
  const file = new URL(`./src/${id}.js`, ccxtFile())
  const { default: Constructor } = (await import(file.href)) as { default: new (config: object) => Exchange }
  const exchange = new Constructor({
    apiKey,
    secret,
    timeout: timeoutMs,
    enableRateLimit: now === undefined,
    maxRetriesOnFailure: 0,
    number: String,
    options: { ...options, maxRetriesOnFailure: 0 },
  })
  // Amounts and prices are already multiples of the market's steps, computed without floating point.
  exchange.amountToPrecision = (_symbol, amount) => amount
  exchange.priceToPrecision = (_symbol, price) => price
  if (now !== undefined) exchange.milliseconds = now
  if (origin !== undefined) {
    for (const [name, url] of Object.entries(exchange.urls.api)) {
      if (typeof url === 'string') exchange.urls.api[name] = origin + new URL(url).pathname.replace(/\/$/, '')
    }
  }
  return exchange
}

const isEmpty = (markets: object): boolean => Object.keys(markets).length === 0

const ccxtFile = (): string => {
  try {
    return import.meta.resolve('ccxt')
  } catch {
    throw new Error('ccxt is not installed: see docs/operating/hedging.md')
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : '')

/** A duplicate is no refusal: an order with this id exists and must be queried. */
const isRefusal = (error: unknown): boolean =>
  REFUSALS.includes(nameOf(error)) && !/duplicate/i.test((error as Error).message)

const marketOf = ({ base, quote, precision, limits, info }: CcxtMarket): Awaited<ReturnType<Operations['markets']>> => {
  if (precision.amount === undefined || precision.price === undefined) return []
  const position = info.filters?.find(({ filterType }) => filterType === 'MAX_POSITION')?.['maxPosition']
  return [
    {
      base,
      quote,
      amountStep: precision.amount,
      priceStep: precision.price,
      leastAmount: limits.amount?.min ?? '0',
      leastNotional: limits.cost?.min ?? '0',
      mostAmount: limits.amount?.max ?? null,
      mostPosition: typeof position === 'string' ? position : null,
    },
  ]
}

const fillOf = ({ id, amount, price, cost, fee, timestamp }: CcxtTrade): WireFill => ({
  tradeId: String(id),
  amount,
  price,
  cost,
  at: Number(timestamp),
  fee: fee?.currency === undefined || fee.cost === undefined ? null : { asset: fee.currency, amount: fee.cost },
})
