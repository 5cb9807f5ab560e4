/**
 * The venue's API: the Binance spot operations that hedging needs. Errors are `{"code", "msg"}`, with codes of
 * Binance's list.
 */
import { bookOf } from '../market/books.ts'
import { Answer, NoAnswer, TextAnswer } from '../http/server.ts'
import type { Route, SandboxRequest } from '../http/server.ts'
import { ONE, unitsOf } from './amounts.ts'
import type { Engine, Order } from './engine.ts'
import type { Faults, NextOrder } from './faults.ts'
import { signedParameters } from './signature.ts'
import { exchangeInfo, SYMBOLS, type Symbol } from './symbols.ts'
import { accountView, orderView, placedView, tradeView } from './views.ts'

export interface VenueDeps {
  readonly engine: Engine
  readonly faults: Faults
  readonly save: () => void
  readonly account: { readonly apiKey: string; readonly secret: string }
  readonly usd: () => Readonly<Record<string, string>>
  readonly now: () => number
  /** Does something after so many ms. */
  readonly later: (ms: number, work: () => unknown) => void
}

class VenueRefusal extends Error {
  readonly status: number
  readonly code: number

  constructor(code: number, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

const LONGEST_WINDOW_MS = 60_000
const USUAL_WINDOW_MS = 5_000
const MOST_AHEAD_MS = 1_000
const CLIENT_ID = /^[.A-Z:/a-z0-9_-]{1,36}$/

export const venueRoutes = (deps: VenueDeps): Route[] => {
  const open = (path: string, handle: () => unknown): Route => ({
    method: 'GET',
    path: new RegExp(`^/api/v3/${path}$`),
    name: `GET /api/v3/${path}`,
    handle: async () => handle(),
  })
  const signed = (method: string, path: string, handle: (parameters: URLSearchParams) => unknown): Route => ({
    method,
    path: new RegExp(`^/api/v3/${path}$`),
    name: `${method} /api/v3/${path}`,
    handle: (request) => refusing(async () => handle(authenticate(deps, request))),
  })
  return [
    open('ping', () => ({})),
    open('time', () => ({ serverTime: deps.now() })),
    open('exchangeInfo', () => exchangeInfo(deps.now())),
    signed('GET', 'account', () => accountView(deps.engine.state, deps.now())),
    signed('POST', 'order', (parameters) => place(deps, parameters)),
    signed('GET', 'order', (parameters) => {
      const order = orderOf(deps, parameters, -2013, 'Order does not exist.')
      if (order.isArchived)
        throw new VenueRefusal(
          -2026,
          'Order was canceled or expired with no executed qty over 90 days ago and has been archived.',
        )
      return orderView(order)
    }),
    signed('DELETE', 'order', (parameters) => cancel(deps, parameters)),
    signed('GET', 'myTrades', (parameters) => {
      const { symbol } = symbolOf(parameters)
      const orderId = parameters.get('orderId')
      return deps.engine.state.trades
        .filter((trade) => trade.symbol === symbol && (orderId === null || String(trade.orderId) === orderId))
        .map(tradeView)
    }),
  ]
}

const refusing = async (handle: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof VenueRefusal) return new Answer(error.status, { code: error.code, msg: error.message })
    throw error
  }
}

/** Key, signature, then the window that the request is good for. */
const authenticate = (deps: VenueDeps, { target, headers, rawBody }: SandboxRequest): URLSearchParams => {
  if (headers['x-mbx-apikey'] !== deps.account.apiKey)
    throw new VenueRefusal(-2015, 'Invalid API-key, IP, or permissions for action.', 401)
  const parameters = signedParameters(deps.account.secret, (target.split('?')[1] ?? '') + rawBody)
  if (parameters === undefined) throw new VenueRefusal(-1022, 'Signature for this request is not valid.')
  requireInWindow(deps, parameters)
  return parameters
}

const requireInWindow = ({ now }: VenueDeps, parameters: URLSearchParams): void => {
  const [timestamp, window] = [
    Number(parameters.get('timestamp')),
    Number(parameters.get('recvWindow') ?? USUAL_WINDOW_MS),
  ]
  if (!(window > 0 && window <= LONGEST_WINDOW_MS)) throw new VenueRefusal(-1131, 'recvWindow must be less than 60000.')
  if (timestamp > now() + MOST_AHEAD_MS)
    throw new VenueRefusal(-1021, "Timestamp for this request was 1000ms ahead of the server's time.")
  if (now() - timestamp > window)
    throw new VenueRefusal(-1021, 'Timestamp for this request is outside of the recvWindow.')
}

const symbolOf = (parameters: URLSearchParams): Symbol => {
  const found = SYMBOLS.find(({ symbol }) => symbol === parameters.get('symbol'))
  if (found === undefined) throw new VenueRefusal(-1121, 'Invalid symbol.')
  return found
}

/** The newest of that client id: only open ones keep another from it. */
const orderOf = ({ engine }: VenueDeps, parameters: URLSearchParams, code: number, message: string): Order => {
  const { symbol } = symbolOf(parameters)
  const [clientId, id] = [parameters.get('origClientOrderId'), parameters.get('orderId')]
  const found = engine.state.orders.findLast(
    (order) =>
      order.symbol === symbol && (clientId === null ? String(order.orderId) === id : order.clientOrderId === clientId),
  )
  if (found === undefined) throw new VenueRefusal(code, message)
  return found
}

const isOpen = ({ status }: Order): boolean => status === 'NEW' || status === 'PARTIALLY_FILLED'

const cancel = (deps: VenueDeps, parameters: URLSearchParams): object => {
  const order = orderOf(deps, parameters, -2011, 'Unknown order sent.')
  if (!isOpen(order)) throw new VenueRefusal(-2011, 'Unknown order sent.')
  deps.engine.cancel(order)
  deps.save()
  return orderView(order)
}

const place = async (deps: VenueDeps, parameters: URLSearchParams): Promise<unknown> => {
  const fault = deps.faults.take(symbolOf(parameters).symbol)
  if (fault.answer === 'unavailable')
    return new Answer(503, {
      code: -1008,
      msg: 'Server is currently overloaded with other requests. Please try again in a few minutes.',
    })
  if (fault.reject === 'filter') throw new VenueRefusal(-1013, 'Filter failure: PERCENT_PRICE_BY_SIDE')
  // Texts of -2010 and -1013: developers.binance.com, spot, errors (November 2026); MAX_POSITION with -2010 as reported
  // by ccxt's authors.
  if (fault.reject === 'position') throw new VenueRefusal(-2010, 'Filter failure: MAX_POSITION')
  if (fault.reject === 'suspended') throw new VenueRefusal(-2010, 'This action is disabled on this account.')
  if (fault.reject === 'symbol') throw new VenueRefusal(-2010, 'This symbol is not permitted for this account.')
  if (fault.reject === 'closed') throw new VenueRefusal(-1013, 'Market is closed.')
  if (fault.reject === 'liquidity')
    throw new VenueRefusal(-2010, 'Order book liquidity is less than LOT_SIZE filter minimum quantity.')
  if (fault.reject === 'balance')
    throw new VenueRefusal(-2010, 'Account has insufficient balance for requested action.')
  if (fault.reject === 'key') throw new VenueRefusal(-2015, 'Invalid API-key, IP, or permissions for action.', 401)
  if (fault.lateMs > 0) {
    deps.later(fault.lateMs, () =>
      refusing(async () => {
        requireInWindow(deps, parameters)
        return enter(deps, parameters, fault)
      }),
    )
    return new NoAnswer('cut')
  }
  const order = enter(deps, parameters, fault)
  if (fault.answer === 'cut' || fault.answer === 'held') return new NoAnswer(fault.answer)
  if (fault.answer === 'error')
    return new Answer(500, { code: -1000, msg: 'An unknown error occurred while processing the request.' })
  if (fault.answer === 'bus')
    return new Answer(400, {
      code: -1006,
      msg: 'An unexpected response was received from the message bus. Execution status unknown.',
    })
  if (fault.answer === 'backend')
    return new Answer(400, {
      code: -1007,
      msg: 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
    })
  if (fault.answer === 'garbage')
    return new TextAnswer(200, { 'content-type': 'text/html' }, '<html><body>We are back soon</body></html>')
  return placedView(order, deps.engine.state.trades)
}

/** Judges an order by the filters of its market, takes it, and has it trade now or later. */
const enter = (deps: VenueDeps, parameters: URLSearchParams, fault: NextOrder): Order => {
  const symbol = symbolOf(parameters)
  const [side, type, timeInForce] = ['side', 'type', 'timeInForce'].map((name) => parameters.get(name) ?? '')
  const clientOrderId = parameters.get('newClientOrderId') ?? ''
  const [price, amount] = [unitsOf(parameters.get('price')), unitsOf(parameters.get('quantity'))]
  if (type !== 'LIMIT' || (side !== 'BUY' && side !== 'SELL') || (timeInForce !== 'IOC' && timeInForce !== 'GTC'))
    throw new VenueRefusal(-1116, 'Invalid orderType.')
  if (!CLIENT_ID.test(clientOrderId))
    throw new VenueRefusal(-1100, "Illegal characters found in parameter 'newClientOrderId'.")
  if (price === undefined || price === 0n || price % symbol.tick !== 0n)
    throw new VenueRefusal(-1013, 'Filter failure: PRICE_FILTER')
  if (amount === undefined || amount === 0n || amount % symbol.step !== 0n || amount > symbol.most)
    throw new VenueRefusal(-1013, 'Filter failure: LOT_SIZE')
  if (price * amount < symbol.leastNotional * ONE) throw new VenueRefusal(-1013, 'Filter failure: NOTIONAL')
  const held = deps.engine.state.balances[symbol.base] ?? 0n
  if (symbol.mostPosition !== undefined && side === 'BUY' && held + amount > symbol.mostPosition)
    throw new VenueRefusal(-2010, 'Filter failure: MAX_POSITION')
  if (deps.engine.state.orders.some((order) => order.clientOrderId === clientOrderId && isOpen(order)))
    throw new VenueRefusal(-2010, 'Duplicate order sent.')
  const order = deps.engine.take(symbol, { clientOrderId, side, timeInForce, price, amount }, deps.now())
  if (order === undefined) throw new VenueRefusal(-2010, 'Account has insufficient balance for requested action.')
  const trade = (): void => {
    if (isOpen(order))
      deps.engine.trade(
        symbol,
        order,
        bookOf(symbol.base, symbol.quote, deps.usd()),
        deps.now(),
        (amount * BigInt(fault.fill)) / 100n,
        fault.end,
      )
    deps.save()
  }
  if (fault.delayMs > 0) deps.later(fault.delayMs, trade)
  else trade()
  deps.save()
  return order
}
