import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { readExchangePolicy } from '../../exchange/exchanges/index.ts'
import { openVenue } from '../../adapters/venues/settings.ts'
import {
  auditExposures,
  clientIdOf,
  compareVenue,
  fundVenue,
  listVenueLines,
  newestOrders,
  readPositions,
  startHedging,
  stopHedging,
  type VenueLine,
} from '../../exchange/hedging/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { readUsdtMarkets } from '../../market/rates/index.ts'
import { actor } from './recording.ts'
import { command, UsageError, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import type { Output } from './output.ts'
import { assetOf, signedUnitsOf } from './typed-amount.ts'

const NEWEST = 20
/** USDT is shown with this many of its 18 decimals; the rest is cut off. */
const SHOWN_DECIMALS = 6

export const hedgingCommands: readonly Command[] = [
  command({
    name: 'hedging stop',
    summary: 'place no more orders on the venue until `hedging start`; open orders are processed to their end',
    args: ['REASON...'],
    run: async ({ args }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        await inTransaction(runtime.db, (tx) =>
          stopHedging(tx, { reason: args.REASON, actor: actor() }, momentOf(runtime)),
        )
        out.say('hedging is stopped')
      }),
  }),
  command({
    name: 'hedging start',
    summary: 'lift every hedging stop',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) =>
        out.say(`${await startHedging(runtime.db, actor(), momentOf(runtime).at)} stop(s) lifted`),
      ),
  }),
  command({
    name: 'hedging book',
    summary: "post the operator's money that was paid to the venue; a negative amount was taken from it",
    args: ['TICKER', 'AMOUNT'],
    run: async ({ args: { TICKER: ticker, AMOUNT: amount } }, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        const asset = assetOf(opened, ticker)
        const units = signedUnitsOf(amount, asset)
        await inTransaction(runtime.db, (tx) =>
          fundVenue(tx, venueOf(opened).name, asset.ticker, units, momentOf(runtime)),
        )
        out.say('posted')
      }),
  }),
  command({
    name: 'hedging',
    summary: 'show the newest orders on the venue, and its balances at the last comparison with the books',
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const { name } = venueOf(opened)
        const orders = await newestOrders(runtime.db, { venue: name }, NEWEST)
        const rows = orders.map((order) => ({
          order: clientIdOf(order),
          placed: order.placedAt,
          side: order.side,
          market: `${order.base}/${order.quote}`,
          amount: formatUnits(order.amount, 18),
          limit: formatUnits(order.price, 18),
          traded: formatUnits(order.executed, 18),
          state: order.reason === null ? order.state : `${order.state}: ${order.reason}`,
        }))
        out.list('orders', rows, { none: 'no orders were placed' })
        out.show({ compared: [] }, [])
        printLines(required(config.assets, 'BURSAR_ASSETS_FILE'), await listVenueLines(runtime.db), out)
      }),
  }),
]

const venueOf = ({ config }: Opened) => {
  const hedging = config.exchange?.hedging
  if (!hedging) throw new UsageError('nothing is hedged: BURSAR_EXCHANGE_FILE names no venue')
  return hedging.venue
}

/** @returns how many assets differ */
const printLines = (catalogue: Catalogue, lines: readonly VenueLine[], out: Output): number => {
  for (const { venue, asset, onVenue, booked, comparedAt, offSince } of lines) {
    const scale = catalogue.find(asset)?.scale ?? 0
    const verdict =
      offSince === null
        ? onVenue === booked
          ? 'equal'
          : `differs by ${formatUnits(onVenue - booked, scale)}, within rounding`
        : `DIFFERENCE ${formatUnits(onVenue - booked, scale)}`
    out.add(
      'compared',
      {
        venue,
        asset,
        comparedAt,
        books: formatUnits(booked, scale),
        onVenue: formatUnits(onVenue, scale),
        difference: formatUnits(onVenue - booked, scale),
        differsSince: offSince,
      },
      `${venue} ${asset} at ${comparedAt.toISOString()}: books ${formatUnits(booked, scale)}, venue ${formatUnits(onVenue, scale)}: ${verdict}`,
    )
  }
  return lines.filter(({ offSince }) => offSince !== null).length
}

/** Compares the venue's balances with the books, if a venue is configured. @returns how many assets differ */
export const reconcileVenue = async ({ runtime, config }: Opened, out: Output): Promise<number> => {
  const hedging = config.exchange?.hedging
  if (!hedging) return 0
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  const venue = openVenue(hedging.venue)
  try {
    const lines = await compareVenue({ runtime, catalogue, venue })
    if (!lines) out.say(`${venue.name}: can't be compared now (an order has not ended); try again`)
    return lines ? printLines(catalogue, lines, out) : 0
  } catch (error) {
    out.say(`${venue.name}: can't be compared: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    await venue.close()
  }
}

/** Shows exposures, limits and profit, in USDT rounded down. @returns the number of inconsistent positions */
export const printPositions = async ({ runtime, config }: Opened, out: Output): Promise<number> => {
  const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
  const usdtMarkets = await readUsdtMarkets(runtime.db, runtime.clock.now())
  const all = await readPositions(
    runtime.db,
    catalogue,
    readExchangePolicy(catalogue, config.exchange?.exchange),
    usdtMarkets,
  )
  if (all.length === 0) return 0
  out.gap()
  const rows = all.map((s) => {
    const units = (of: bigint | null): string | null =>
      of === null ? null : formatUnits(of, catalogue.find(s.asset)?.scale ?? 0)
    return {
      asset: s.asset,
      exposure: units(s.exposure),
      from: units(s.short === null ? null : -s.short),
      to: units(s.long),
      hedged: units(s.hedged),
      exposureUsdt: usdt(s.exposureUsdt),
      realisedUsdt: usdt(s.realised),
      unrealisedUsdt: usdt(s.unrealised),
      marginUsdt: usdt(s.margin),
      venueFeesUsdt: usdt(s.venueFees),
      slippageUsdt: usdt(s.slippage),
    }
  })
  out.list('exposures', rows, {
    heads: {
      from: 'limit short',
      to: 'limit long',
      exposureUsdt: 'exposure USDT',
      realisedUsdt: 'realised USDT',
      unrealisedUsdt: 'unrealised USDT',
      marginUsdt: 'margin USDT',
      venueFeesUsdt: 'venue fees USDT',
      slippageUsdt: 'slippage USDT',
    },
  })
  const total = all.reduce((sum, s) => sum + s.margin + s.realised + (s.unrealised ?? 0n) - s.venueFees, 0n)
  out.show({ profitUsdt: usdt(total) }, [
    `profit without the fees of merchants: ${usdt(total)} USDT${all.some(({ unrealised }) => unrealised === null) ? ', without assets that have no price now' : ''}`,
  ])
  const wrong = await auditExposures(runtime.db)
  for (const { asset, exposure, moved } of wrong)
    out.add(
      'findings',
      { asset, exposureUnits: String(exposure), movedUnits: String(moved) },
      `${asset}: the exposure ${exposure} differs from the sum of its changes, ${moved} (ledger units), or the reserved amount differs from that of the open orders`,
    )
  return wrong.length
}

/** Rounds down, negative values too. */
const usdt = (e18: bigint | null): string | null => {
  if (e18 === null) return null
  const unit = 10n ** BigInt(18 - SHOWN_DECIMALS)
  const cut = e18 / unit - (e18 < 0n && e18 % unit !== 0n ? 1n : 0n)
  return formatUnits(cut, SHOWN_DECIMALS)
}
