/**
 * The sandbox's price sources: the public order books of Binance, Kraken, Bybit and WhiteBIT and the official rates of
 * the National Banks of Ukraine and Kazakhstan, on one address, in the formats of their documentation of November 2026.
 * The script sets the prices; a source can be made to report wrong or stale prices, or to fail.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listenOnLoopback } from '../http/listen.ts'
import type { Listening } from '../http/listen.ts'
import { requireFreePort } from '../process/port.ts'
import { bookOf, type Sides } from './books.ts'

export const SOURCES = ['binance', 'kraken', 'bybit', 'whitebit', 'nbu', 'nbk'] as const
export type Source = (typeof SOURCES)[number]

/** A fault of a source. `times`: its prices are multiplied by a factor; `one`: every price is 1. */
export type Fault =
  | { kind: 'times'; factor: number }
  | { kind: 'one' | 'zero' | 'stale' | 'html' | 'down' | 'slow' | 'empty' | 'limited' | 'banned' }

export const FAULT_KINDS = [
  'times',
  'one',
  'zero',
  'stale',
  'html',
  'down',
  'slow',
  'empty',
  'limited',
  'banned',
] as const

export interface Market extends Listening {
  /** undefined: the truth again */
  setFault(source: Source, fault: Fault | undefined): void
}

export interface MarketOptions {
  /** 0: any free port. */
  readonly port: number
  readonly portSetting?: string
  /** Prices of one whole unit in USD, by ticker, now. */
  readonly usd: () => Readonly<Record<string, string>>
  readonly now?: () => number
}

const STALE_MS = 3_600_000
const SLOW_MS = 10_000

interface Asked {
  source: Source
  /** one of a book's sides; undefined for official rates */
  market?: [string, string]
  write: (sides: Sides, at: number) => { type: string; body: string }
}

/** Throws PortInUse. */
export async function startMarket(options: MarketOptions): Promise<Market> {
  const faults = new Map<Source, Fault>()
  const now = options.now ?? Date.now
  if (options.port !== 0) await requireFreePort(options.port, 'the price sources', options.portSetting)
  const server = createServer((request, response) => answer(request, response, { faults, now, usd: options.usd }))
  const listening = await listenOnLoopback(server, options.port)
  return {
    ...listening,
    setFault: (source, fault) => {
      if (fault === undefined) faults.delete(source)
      else faults.set(source, fault)
    },
  }
}

interface State {
  faults: ReadonlyMap<Source, Fault>
  now: () => number
  usd: () => Readonly<Record<string, string>>
}

function answer(request: IncomingMessage, response: ServerResponse, { faults, now, usd }: State): void {
  const asked = understand(new URL(request.url ?? '/', 'http://sandbox'))
  if (asked === undefined) return void response.writeHead(404).end('no such source or market')
  const fault = faults.get(asked.source)
  const send = (): void => {
    const at = fault?.kind === 'stale' ? now() - STALE_MS : now()
    const { type, body } = asked.write(bent(sidesOf(asked, usd()), fault), at)
    response.writeHead(200, { 'content-type': type }).end(body)
  }
  if (fault?.kind === 'down') return void response.writeHead(503).end()
  if (fault?.kind === 'limited') return void response.writeHead(429, { 'retry-after': '2' }).end()
  if (fault?.kind === 'banned') return void response.writeHead(418, { 'retry-after': '120' }).end()
  if (fault?.kind === 'html')
    return void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html><body>We are back soon</body></html>')
  if (fault?.kind === 'slow') return void setTimeout(send, SLOW_MS).unref()
  send()
}

/** Official rates are the middle of a book of dollars. */
const sidesOf = ({ market, source }: Asked, usd: Readonly<Record<string, string>>): Sides => {
  const [base, quote] = market ?? ['USD', source === 'nbu' ? 'UAH' : 'KZT']
  return bookOf(base, quote, usd)
}

function bent({ bids, asks }: Sides, fault: Fault | undefined): Sides {
  if (fault?.kind === 'empty') return { bids: [], asks: [] }
  if (fault?.kind !== 'times' && fault?.kind !== 'one' && fault?.kind !== 'zero') return { bids, asks }
  const price = (text: string): string =>
    fault.kind === 'times' ? (Number(text) * fault.factor).toFixed(8) : fault.kind === 'one' ? '1' : '0'
  const bend = (side: [string, string][]): [string, string][] => side.map(([at, amount]) => [price(at), amount])
  return { bids: bend(bids), asks: bend(asks) }
}

const json = (value: unknown): { type: string; body: string } => ({
  type: 'application/json',
  body: JSON.stringify(value),
})
const QUOTES = ['USDT', 'USD', 'EUR', 'UAH', 'KZT']

/** `BTCUSDT` as venues without a separator write it. */
const split = (symbol: string): [string, string] | undefined => {
  const quote = QUOTES.find((one) => symbol.endsWith(one) && symbol.length > one.length)
  return quote === undefined ? undefined : [symbol.slice(0, -quote.length), quote]
}
const KRAKEN: Record<string, string> = { XBT: 'BTC' }

function understand({ pathname, searchParams }: URL): Asked | undefined {
  const asking = (source: Source, market: [string, string] | undefined, write: Asked['write']): Asked | undefined =>
    market && { source, market, write }
  if (pathname === '/api/v3/depth') {
    return asking('binance', split(searchParams.get('symbol') ?? ''), ({ bids, asks }, at) =>
      json({ lastUpdateId: at, bids, asks }),
    )
  }
  if (pathname === '/0/public/Depth') {
    const pair = searchParams.get('pair') ?? ''
    const market = split(pair)
    return asking('kraken', market && [KRAKEN[market[0]] ?? market[0], market[1]], ({ bids, asks }, at) => {
      const timed = (side: [string, string][]): unknown[] =>
        side.map(([price, volume]) => [price, volume, Math.floor(at / 1_000)])
      return json({ error: [], result: { [pair]: { asks: timed(asks), bids: timed(bids) } } })
    })
  }
  if (pathname === '/v5/market/orderbook') {
    const symbol = searchParams.get('symbol') ?? ''
    return asking('bybit', split(symbol), ({ bids, asks }, at) =>
      json({
        retCode: 0,
        retMsg: 'OK',
        result: { s: symbol, a: asks, b: bids, ts: at, u: 1, seq: 1 },
        retExtInfo: {},
        time: at,
      }),
    )
  }
  const whitebit = /^\/api\/v4\/public\/orderbook\/([A-Z]+)_([A-Z]+)$/.exec(pathname)
  if (whitebit)
    return asking('whitebit', [whitebit[1]!, whitebit[2]!], ({ bids, asks }, at) =>
      json({ timestamp: Math.floor(at / 1_000), asks, bids }),
    )
  if (pathname === '/NBUStatService/v1/statdirectory/exchange')
    return { source: 'nbu', write: (sides, at) => ({ type: 'application/json', body: nbu(middleOf(sides), at) }) }
  if (pathname === '/rss/rates_all.xml')
    return { source: 'nbk', write: (sides, at) => ({ type: 'application/xml', body: nbk(middleOf(sides), at) }) }
  return undefined
}

const middleOf = ({ bids, asks }: Sides): string =>
  ((Number(bids[0]?.[0] ?? 0) + Number(asks[0]?.[0] ?? 0)) / 2).toFixed(4)
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10).split('-').toReversed().join('.')

const DAY_MS = 86_400_000
const KYIV = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Kyiv',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  hourCycle: 'h23',
  weekday: 'short',
})
const kyiv = (at: number): Readonly<Record<string, string>> =>
  Object.fromEntries(KYIV.formatToParts(at).map(({ type, value }) => [type, value]))
const isWeekend = (at: number): boolean => ['Sat', 'Sun'].includes(kyiv(at)['weekday']!)

/**
 * Returns the day to which a rate of a moment applies (row R-1 of docs/dialects.md): from 16:00 in Kyiv on, the next
 * banking day; on Friday, Monday (bank.gov.ua, API of the official exchange rate, `exchangedate`; 2026). Holidays are
 * ignored.
 */
const nbuDay = (at: number): string => {
  let day = Number(kyiv(at)['hour']) >= 16 ? at + DAY_MS : at
  while (isWeekend(day)) day += DAY_MS
  return ['day', 'month', 'year'].map((part) => kyiv(day)[part]).join('.')
}

/** The rate is a JSON number, as the bank writes it. */
const nbu = (rate: string, at: number): string =>
  `[{"r030":978,"txt":"Євро","rate":45.1,"cc":"EUR","exchangedate":"${nbuDay(at)}"},{"r030":840,"txt":"Долар США","rate":${rate},"cc":"USD","exchangedate":"${nbuDay(at)}"}]`

const nbk = (rate: string, at: number): string => {
  const item = (title: string, description: string, quant: string): string =>
    `<item><title>${title}</title><pubDate>${dayOf(at)}</pubDate><description>${description}</description><quant>${quant}</quant><index></index><change>0.00</change></item>`
  return `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Official exchange rates</title>${item('HUF', '13.32', '10')}${item('USD', rate, '1')}</channel></rss>`
}
