import type { Catalogue } from '../../market/assets/index.ts'
import type { ExchangePolicy } from '../../exchange/exchanges/index.ts'
import {
  listOpenOrders,
  listVenueLines,
  readPositions,
  type AssetPosition,
  type VenueLine,
} from '../../exchange/hedging/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Figure } from '../../platform/process/metrics.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import { createUsdtMarketsReader } from '../../market/rates/index.ts'

/** All figures of one scrape come from one reading. */
const CACHED_MS = 1_000

/** Figures of exchanges and hedges, read from the database at each scrape. They are for graphs, so they are floats. */
export const exchangeMetricsOf = (
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  catalogue: Catalogue,
  policy: ExchangePolicy,
): Figure[] => {
  const usdtMarkets = createUsdtMarketsReader(db, clock.now)
  const read = cacheFor(CACHED_MS, clock.now, async () => readPositions(db, catalogue, policy, await usdtMarkets()))
  const lines = cacheFor(CACHED_MS, clock.now, () => listVenueLines(db))
  const whole = (asset: string, units: bigint): number => Number(formatUnits(units, catalogue.find(asset)?.scale ?? 0))
  const usdt = (e18: bigint): number => Number(formatUnits(e18, 18))
  const figure = (name: string, help: string, of: (position: AssetPosition) => number | undefined): Figure => ({
    name,
    help,
    labels: ['asset'],
    read: async () =>
      (await read()).flatMap((position) => {
        const value = of(position)
        return value === undefined ? [] : [{ labels: { asset: position.asset }, value }]
      }),
  })
  const money = (name: string, help: string, of: (position: AssetPosition) => bigint | null): Figure =>
    figure(name, `${help}, in USDT`, (position) => {
      const value = of(position)
      return value === null ? undefined : usdt(value)
    })
  const venue = (name: string, help: string, of: (line: VenueLine) => bigint): Figure => ({
    name,
    help,
    labels: ['venue', 'asset'],
    read: async () =>
      (await lines()).map((line) => ({
        labels: { venue: line.venue, asset: line.asset },
        value: whole(line.asset, of(line)),
      })),
  })
  return [
    figure(
      'bursar_position_exposure',
      "The position less the operator's capital in it: the change by exchanges and hedges, in whole units",
      ({ asset, exposure }) => whole(asset, exposure),
    ),
    money(
      'bursar_position_exposure_usdt',
      'The same at the mid price; absent without a price',
      ({ exposureUsdt }) => exposureUsdt,
    ),
    figure(
      'bursar_position_limit_long',
      'The most that exchanges may buy net, in whole units; absent without a limit',
      ({ asset, long }) => (long === null ? undefined : whole(asset, long)),
    ),
    figure(
      'bursar_position_limit_short',
      'The most that exchanges may sell net, in whole units; absent without a limit',
      ({ asset, short }) => (short === null ? undefined : whole(asset, short)),
    ),
    money(
      'bursar_position_realised_usdt',
      'Profit of the amount that was both bought and sold: sales less purchases, at the mid price of each exchange and the price of each hedge',
      ({ realised }) => realised,
    ),
    money(
      'bursar_position_unrealised_usdt',
      'Profit of the remaining position: its value at the current price less its cost; absent without a price',
      ({ unrealised }) => unrealised,
    ),
    money(
      'bursar_exchange_spread_income_usdt',
      'Income from spread and depth: the value that merchants gave less the value that they got, both at the mid price',
      ({ margin }) => margin,
    ),
    money(
      'bursar_hedge_slippage_usdt',
      'Cost of hedges above the mid price at the time of the decision; negative if they filled at a better price',
      ({ slippage }) => slippage,
    ),
    money(
      'bursar_hedge_fees_usdt',
      'Fees of venues, where they are in USDT or in the asset itself',
      ({ venueFees }) => venueFees,
    ),
    {
      name: 'bursar_hedge_open_orders',
      help: 'Orders on a venue that have not ended, by state',
      labels: ['venue', 'state'],
      read: async () => {
        const counts = new Map<string, { labels: { venue: string; state: string }; value: number }>()
        for (const { venue: name, state } of await listOpenOrders(db)) {
          const found = counts.get(`${name}/${state}`) ?? { labels: { venue: name, state }, value: 0 }
          counts.set(`${name}/${state}`, { ...found, value: found.value + 1 })
        }
        return [...counts.values()]
      },
    },
    {
      name: 'bursar_hedge_oldest_unknown_seconds',
      help: 'Age of the oldest order whose acceptance by the venue is not known; 0 when there is none',
      labels: [],
      read: async () => {
        const unknown = (await listOpenOrders(db))
          .filter(({ state }) => state === 'sending')
          .map(({ placedAt }) => clock.now() - placedAt.getTime())
        return [{ labels: {}, value: Math.max(0, ...unknown) / 1_000 }]
      },
    },
    venue(
      'bursar_venue_balance',
      'Balance of a venue at the last comparison, in whole units',
      ({ onVenue }) => onVenue,
    ),
    venue(
      'bursar_venue_drift',
      'Balance of a venue less the books at the last comparison, in whole units',
      ({ onVenue, booked }) => onVenue - booked,
    ),
  ]
}
