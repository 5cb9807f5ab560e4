/**
 * An exchange on which to hedge: Binance's spot API according to its documentation of November 2026, with its own
 * balances. An unmodified Binance client can trade on it. Its data survives restarts, and it misbehaves on demand.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { objectWith, text } from '../http/fields.ts'
import type { Listening } from '../http/listen.ts'
import { Refusal } from '../http/refusal.ts'
import { serve, TextAnswer } from '../http/server.ts'
import { textOf, unitsOf } from './amounts.ts'
import { venueRoutes } from './api.ts'
import { createEngine, type VenueState } from './engine.ts'
import { createFaults } from './faults.ts'
import { orderView, tradeView } from './views.ts'

interface VenueAccount {
  readonly apiKey: string
  readonly secret: string
}

/** Actions of a tester on the venue: `POST /venue/next`, `/fault`, `/balance`, `GET /venue/find`. */
export interface VenueControl {
  next(body: unknown): unknown
  fault(body: unknown): unknown
  /** Ends every fault. */
  mend(): void
  /** Sets a balance, as a transfer that was not posted would. */
  balance(body: unknown): unknown
  /** Shows an order no more, as after 90 days. */
  archive(clientOrderId: string): void
  /** Orders and trades, of one client id or all, and balances. */
  find(query: unknown): { orders: object[]; trades: object[]; balances: Record<string, string> }
}

export interface Venue extends Listening {
  readonly control: VenueControl
}

export interface VenueOptions {
  /** 0: any free port. */
  readonly port: number
  readonly portSetting?: string
  readonly account: VenueAccount
  /** Prices of one whole unit in USD, by ticker, now. */
  readonly usd: () => Readonly<Record<string, string>>
  /** The balances of a new venue's account, decimals by asset. */
  readonly balances: Readonly<Record<string, string>>
  /** Where it keeps its state; absent: nowhere. */
  readonly dir?: string
  readonly log?: (line: string) => void
  /** ms since the epoch; the machine's clock when absent */
  readonly now?: () => number
  /** Does something after so many ms; by timers of the machine when absent. */
  readonly later?: (ms: number, work: () => unknown) => void
}

const byTimer = (ms: number, work: () => unknown): void => void sleep(ms, undefined, { ref: false }).then(work)

const SLOW_MS = 30_000

const limited = (status: number, retryAfter: string | undefined): TextAnswer =>
  new TextAnswer(
    status,
    { 'content-type': 'application/json', ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) },
    '{"code":-1003,"msg":"Too much request weight used; current limit is 6000 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API."}',
  )

/** Throws PortInUse. */
export async function startVenue(options: VenueOptions): Promise<Venue> {
  const { state, save } = openState(options)
  const engine = createEngine(state)
  const faults = createFaults()
  const { account, usd, now = Date.now, later = byTimer } = options
  const routes = venueRoutes({ engine, faults, save, account, usd, now, later })
  const server = await serve({
    name: 'the venue',
    port: options.port,
    ...(options.portSetting === undefined ? {} : { portSetting: options.portSetting }),
    ...(options.log === undefined ? {} : { log: options.log }),
    routes: routes.map((route) => ({
      ...route,
      handle: async (request) => {
        const outage = faults.current()
        if (outage === 'down') throw new Refusal('Service Unavailable', { status: 503, code: -1008 })
        if (outage === 'limited' || outage === 'limited-silently')
          return limited(429, outage === 'limited' ? '2' : undefined)
        if (outage === 'banned') return limited(418, '120')
        if (outage === 'firewall')
          return new TextAnswer(
            403,
            { 'content-type': 'text/html' },
            '<html><body><h1>403 Forbidden</h1></body></html>',
          )
        if (outage === 'slow') await sleep(SLOW_MS)
        return route.handle(request)
      },
    })),
  })
  const control: VenueControl = {
    next: faults.next,
    fault: faults.outage,
    mend: faults.end,
    balance: (body) => {
      const fields = objectWith(body, ['asset', 'amount'])
      const units = unitsOf(text(fields, 'amount'))
      if (units === undefined) throw new Refusal('amount: send a decimal such as "12.5"')
      state.balances[text(fields, 'asset')] = units
      save()
      return { [text(fields, 'asset')]: textOf(units) }
    },
    archive: (clientOrderId) => {
      for (const order of state.orders) if (order.clientOrderId === clientOrderId) order.isArchived = true
      save()
    },
    find: (query) => {
      const { clientOrderId } = (query ?? {}) as { clientOrderId?: string }
      const orders = state.orders.filter(
        (order) => clientOrderId === undefined || order.clientOrderId === clientOrderId,
      )
      const ids = new Set(orders.map(({ orderId }) => orderId))
      return {
        orders: orders.map(orderView),
        trades: state.trades.filter(({ orderId }) => ids.has(orderId)).map(tradeView),
        balances: Object.fromEntries(Object.entries(state.balances).map(([asset, units]) => [asset, textOf(units)])),
      }
    },
  }
  return { ...server, control }
}

const written = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)
const read = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value

function openState({ dir, balances }: VenueOptions): { state: VenueState; save: () => void } {
  const fresh: VenueState = {
    balances: Object.fromEntries(Object.entries(balances).map(([asset, amount]) => [asset, unitsOf(amount) ?? 0n])),
    orders: [],
    trades: [],
  }
  if (dir === undefined) return { state: fresh, save: () => {} }
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'state.json')
  let state = fresh
  try {
    state = JSON.parse(readFileSync(file, 'utf8'), read) as VenueState
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const save = (): void => {
    writeFileSync(`${file}.new`, JSON.stringify(state, written))
    renameSync(`${file}.new`, file)
  }
  save()
  return { state, save }
}
