import { randomBytes, randomUUID } from 'node:crypto'
import { signalKeys } from '@bursar/contract'
import { request } from 'undici'
import { AcquirerUnreachable, type Acquirer, type AcquirerState } from '../../adapters/acquirers/index.ts'
import { describeConnectionError } from '../../adapters/connection-errors.ts'
import { agrees, compareWords, isNew, isWrong, unknown, type Comparison } from '../../adapters/chains/dialects/index.ts'
import { ScreeningUnavailable, type Screener, type Subject } from '../../adapters/screening/port.ts'
import { VenueUnreachable, type Venue } from '../../adapters/venues/port.ts'

type Seen = Omit<Comparison, 'row'>

const OTHER_KEY = "Set the account's keys to those of the acquirer's cabinet; where they are right, report this line"

/** One of our payments or payouts that the acquirer knows. */
export interface KnownOrder {
  kind: 'payment' | 'payout'
  reference: string
  acquirerReference: string | undefined
  /** whether the operator named it; it may then be a payment or a payout */
  isNamed?: boolean
}

/**
 * Checks an acquirer account: its answer about an order that was never made, and whether all its answers about existing
 * orders are understood. It only queries states.
 */
export const compareAcquirer = async (acquirer: Acquirer, orders: readonly KnownOrder[]): Promise<Comparison[]> => {
  const paysOut = Object.keys(acquirer.capabilities.payout).length > 0
  const stateOf = ({ kind, reference, acquirerReference }: KnownOrder): Promise<AcquirerState> =>
    kind === 'payment' ? acquirer.paymentState(reference, acquirerReference) : acquirer.payoutState(reference)
  /** Queries an order. If an operator named it and it is no known payment, it is queried as a payout too. */
  const stateAsEither = async (order: KnownOrder): Promise<AcquirerState> => {
    const state = await stateOf(order)
    if (state.kind !== 'unknown' || !order.isNamed || !paysOut) return state
    const asPayout = await stateOf({ ...order, kind: 'payout' })
    return asPayout.kind === 'unknown' ? state : asPayout
  }
  const unknownOrder = async (kind: KnownOrder['kind']): Promise<Seen> => {
    const state = await stateOf({ kind, reference: randomUUID(), acquirerReference: undefined })
    if (state.kind !== 'unknown') return isNew(`has the state ${state.kind}`)
    const text = `is unknown${state.reason ? `: ${state.reason}` : ''}`
    return state.otherKey ? isWrong(`${text}. ${OTHER_KEY}`) : agrees(text)
  }
  const first = await row('payment that was never ordered', () => unknownOrder('payment'))
  // Each further query would cost another timeout.
  if (first.result === 'unknown') return [first]
  const comparisons = [
    first,
    ...(paysOut ? [await row('payout that was never ordered', () => unknownOrder('payout'))] : []),
  ]
  const kinds = new Map<string, number>()
  for (const order of orders) {
    const compared = await row(`${order.kind} ${order.reference}`, async () => {
      const state = await stateAsEither(order)
      kinds.set(state.kind, (kinds.get(state.kind) ?? 0) + 1)
      if (state.kind !== 'unknown') return agrees(`is ${state.kind}`)
      const text = `is not understood: ${state.reason ?? 'no reason'}`
      return state.otherKey ? isWrong(`${text}. ${OTHER_KEY}`) : isNew(text)
    })
    if (compared.result !== 'agrees') comparisons.push(compared)
  }
  const counts = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')
  return [
    ...comparisons,
    {
      row: 'orders of ours',
      ...(orders.length === 0
        ? unknown('there are none to ask about')
        : agrees(`${orders.length} queried: ${counts || 'none answered'}`)),
    },
  ]
}

const DATA = new Set(
  'uid status asset address tx direction riskscore signals hasBlackListFlag blackListsConnections updated_at timestamp pdfReport counterparty fiat_code_effective'.split(
    ' ',
  ),
)

/** Patterns of refusals that concern the report, and of refusals that concern the account. */
const NO_REPORT =
  /\b(uid|report|check|hash|transaction)\b.*\b(not|unknown|wrong|invalid|no)\b|\b(not found|no such|unknown)\b/i
const ACCESS_REFUSED = /token|access|auth|key|permission|balance|tariff|limit|ip\b/i

/**
 * Checks AMLBot: a report that does not exist, which costs nothing, and a check of `subject`, which costs one check.
 */
export const compareScreener = async (screener: Screener, subject: Subject | undefined): Promise<Comparison[]> => {
  const checked: Subject = subject ?? {
    network: 'ETHEREUM',
    asset: 'ETH',
    direction: 'withdrawal',
    transaction: null,
    own: null,
    others: [],
  }
  const comparisons = [
    await row('report that was never asked for', async () => {
      try {
        const { kind } = await screener.recheck(checked, randomUUID())
        return isNew(`is answered: ${kind}`)
      } catch (error) {
        if (!(error instanceof ScreeningUnavailable)) throw error
        if (!/ it refused: /.test(error.message)) return unknown(error.message)
        if (NO_REPORT.test(error.message)) return agrees(error.message)
        return ACCESS_REFUSED.test(error.message)
          ? isWrong(`${error.message}. Check accessId and accessKey, the account's balance and its list of addresses`)
          : isNew(error.message)
      }
    }),
  ]
  if (subject === undefined)
    return [...comparisons, { row: 'a report', ...unknown('no --address was given: a check costs one of the account') }]
  const screened = await screener.screen(subject).catch((error: unknown) => error as Error)
  if (screened instanceof Error)
    return [
      ...comparisons,
      {
        row: 'a report',
        ...(/ it refused: |no answer|HTTP/.test(screened.message)
          ? unknown(screened.message)
          : isNew(screened.message)),
      },
    ]
  if (screened.kind !== 'report') return [...comparisons, { row: 'a report', ...agrees(`is ${screened.kind}`) }]
  const data = (screened.report.raw as { data?: Record<string, unknown> }).data ?? {}
  const signals = typeof data['signals'] === 'object' && data['signals'] !== null ? Object.keys(data['signals']) : []
  return [
    ...comparisons,
    { row: 'fields of a report', ...compareWords('fields', Object.keys(data), DATA) },
    { row: 'names of signals', ...compareWords('names', signals, new Set(signalKeys)) },
  ]
}

const MOST_SKEW_MS = 1_000
/** developers.binance.com/docs/binance-spot-api-docs: enums and filters. */
const STATUSES = new Set(['TRADING', 'END_OF_DAY', 'HALT', 'BREAK', 'PRE_TRADING', 'POST_TRADING', 'AUCTION_MATCH'])
const ORDER_TYPES = new Set([
  'LIMIT',
  'LIMIT_MAKER',
  'MARKET',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
])
const FILTERS = new Set([
  'PRICE_FILTER',
  'PERCENT_PRICE',
  'PERCENT_PRICE_BY_SIDE',
  'LOT_SIZE',
  'MIN_NOTIONAL',
  'NOTIONAL',
  'ICEBERG_PARTS',
  'MARKET_LOT_SIZE',
  'MAX_NUM_ORDERS',
  'MAX_NUM_ALGO_ORDERS',
  'MAX_NUM_ICEBERG_ORDERS',
  'MAX_NUM_ORDER_AMENDS',
  'MAX_NUM_ORDER_LISTS',
  'MAX_POSITION',
  'TRAILING_DELTA',
])

/**
 * Checks Binance: an order that was never placed, the account, the clocks, and the values in its market data.
 * @param origin of its API
 */
export const compareVenue = async (venue: Venue, origin: string, now: () => number): Promise<Comparison[]> => {
  const markets = await venue.markets().catch((error: unknown) => error as Error)
  if (markets instanceof Error) return [{ row: 'markets', ...unknown(markets.message) }]
  const [market] = markets
  return [
    { row: 'markets', ...(market === undefined ? isNew('there are none') : agrees(`${markets.length}`)) },
    await row('balances', async () => agrees(`of ${(await venue.balances()).length} assets: the key is accepted`)),
    ...(market === undefined
      ? []
      : [
          await row('V-4: order that was never placed', async () => {
            const found = await venue.find({ clientId: randomBytes(16).toString('hex'), market })
            if (found.kind !== 'absent') return isNew(`has the state ${found.kind}`)
            const skew = found.venueTime - now()
            return Math.abs(skew) > MOST_SKEW_MS
              ? isWrong(
                  `is absent, but the venue's clock is ${skew} ms from this one's, and it refuses orders of a wrong time (row V-2). Set this machine's clock, by NTP for example`,
                )
              : agrees('is absent')
          }),
        ]),
    ...(await compareSymbols(origin)),
  ]
}

interface Market {
  status?: unknown
  orderTypes?: unknown[]
  filters?: { filterType?: unknown }[]
}

const compareSymbols = async (origin: string): Promise<Comparison[]> => {
  try {
    const answer = await request(`${origin}/api/v3/exchangeInfo?symbol=BTCUSDT`, {
      signal: AbortSignal.timeout(15_000),
    })
    if (answer.statusCode !== 200) {
      const said = (await answer.body.text()).slice(0, 200)
      return [{ row: 'words of markets', ...unknown(`HTTP ${answer.statusCode}: ${said}`) }]
    }
    const { symbols = [] } = (await answer.body.json()) as { symbols?: Market[] }
    return [
      {
        row: 'statuses of markets',
        ...compareWords(
          'statuses',
          symbols.map(({ status }) => String(status)),
          STATUSES,
        ),
      },
      {
        row: 'types of orders',
        ...compareWords(
          'types',
          symbols.flatMap(({ orderTypes = [] }) => orderTypes.map(String)),
          ORDER_TYPES,
        ),
      },
      {
        row: 'V-6: filters of markets',
        ...compareWords(
          'filters',
          symbols.flatMap(({ filters = [] }) => filters.map(({ filterType }) => String(filterType))),
          FILTERS,
        ),
      },
    ]
  } catch (error) {
    return [
      {
        row: 'words of markets',
        ...unknown(`not answered: ${describeConnectionError(error)}`),
      },
    ]
  }
}

const row = async (name: string, compare: () => Promise<Seen>): Promise<Comparison> => {
  try {
    return { row: name, ...(await compare()) }
  } catch (error) {
    if (
      error instanceof AcquirerUnreachable ||
      error instanceof VenueUnreachable ||
      error instanceof ScreeningUnavailable
    )
      return { row: name, ...unknown(error.message) }
    throw error
  }
}
