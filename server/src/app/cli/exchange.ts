import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  auditPositions,
  fundPosition,
  positionsOf,
  setPositionLimits,
  spreadIncomeOf,
} from '../../exchange/exchanges/index.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import {
  listUsdtMarkets,
  listOfficialRates,
  marketOf,
  officialDay,
  readUsdtMarkets,
  type StoredUsdtMarket,
} from '../../market/rates/index.ts'
import { command, UsageError, type Command } from './command.ts'
import type { Fields } from './output.ts'
import { printPositions } from './hedging.ts'
import { required, withInstallation } from '../installation/open.ts'
import { assetOf, signedUnitsOf } from './typed-amount.ts'

export const exchangeCommands: readonly Command[] = [
  command({
    name: 'rates',
    summary: 'show the order books from which prices are computed: sources, ages, and why a market is closed',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const now = runtime.clock.now()
        const [stored, { closed }, official] = await Promise.all([
          listUsdtMarkets(runtime.db),
          readUsdtMarkets(runtime.db, now),
          listOfficialRates(runtime.db),
        ])
        out.list(
          'markets',
          stored.map((market) => marketRow(market, now, closed.get(market.ticker))),
          { heads: { ageSeconds: 'age s' }, none: 'no order books are read: BURSAR_EXCHANGE_FILE names the sources' },
        )
        out.show({ dropped: [], official: [] }, [])
        for (const { ticker, dropped } of stored)
          for (const { source, reason } of dropped)
            out.add('dropped', { ticker, source, reason }, `${ticker}: ${source} does not count: ${reason}`)
        for (const rate of official)
          out.add(
            'official',
            { ticker: rate.ticker, perUsd: formatUnits(rate.perUsd, 18), source: rate.source, day: officialDay(rate) },
            `official: 1 USD = ${formatUnits(rate.perUsd, 18)} ${rate.ticker} (${rate.source}, ${officialDay(rate)})`,
          )
      }),
  }),
  command({
    name: 'position fund',
    summary: "move the operator's capital into the inventory of exchanges; a negative amount moves it back",
    args: ['TICKER', 'AMOUNT'],
    run: async ({ args: { TICKER: ticker, AMOUNT: amount } }, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        const asset = assetOf(opened, ticker)
        const units = signedUnitsOf(amount, asset)
        await inTransaction(runtime.db, (tx) => fundPosition(tx, asset.ticker, units, momentOf(runtime)))
        out.say('posted')
      }),
  }),
  command({
    name: 'position limit',
    summary:
      'limit the net amount of an asset that exchanges have bought (LONG) or sold (SHORT); none: the limit of the settings applies',
    args: ['TICKER', 'LONG', 'SHORT'],
    run: async ({ args: { TICKER: ticker, LONG: long, SHORT: short } }, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        const asset = assetOf(opened, ticker)
        const limit = (text: string): bigint | null => {
          const parsed = parseUnits(text, asset.scale)
          if (text !== 'none' && !parsed.ok) throw new UsageError('a limit is a decimal such as 12.5, or none')
          return parsed.ok ? parsed.units : null
        }
        const limits = { long: limit(long), short: limit(short) }
        await inTransaction(runtime.db, (tx) => setPositionLimits(tx, asset.ticker, limits))
        out.say('set')
      }),
  }),
  command({
    name: 'position',
    summary: 'show inventory, bought and sold amounts, exposures with their limits, and profit in USDT',
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const [positions, spreads, wrong] = await Promise.all([
          positionsOf(runtime.db),
          spreadIncomeOf(runtime.db),
          auditPositions(runtime.db),
        ])
        const spread = new Map(spreads.map(({ asset, units }) => [asset, units]))
        const rows = positions.map(({ asset, ...p }) => {
          const show = (units: bigint): string => shown(catalogue, asset, units)
          return {
            asset,
            position: show(p.position),
            capital: show(p.capital),
            bought: show(p.bought),
            sold: show(p.sold),
            fees: show(p.fees),
            spread: show(spread.get(asset) ?? 0n),
          }
        })
        out.list('positions', rows, { none: 'nothing was exchanged yet' })
        out.show({ findings: [] }, [])
        for (const { asset, position, inventory } of wrong)
          out.add(
            'findings',
            { asset, inventory: shown(catalogue, asset, inventory), position: shown(catalogue, asset, position) },
            `${asset}: inventory ${shown(catalogue, asset, inventory)} is not the position ${shown(catalogue, asset, position)}`,
          )
        if ((await printPositions(opened, out)) + wrong.length > 0) process.exitCode = 1
      }),
  }),
]

const marketRow = (
  { ticker, believed, observedAt, books, quorum }: StoredUsdtMarket,
  now: number,
  closed: string | undefined,
): Fields => {
  const { base, quote } = marketOf(ticker)
  return {
    market: `${base}/${quote}`,
    price: believed === null ? null : formatUnits(believed, 18),
    ageSeconds: Math.round((now - observedAt.getTime()) / 1_000),
    sources: books.map(({ source }) => source),
    needed: quorum,
    state: closed === undefined ? 'open' : `closed: ${closed}`,
  }
}

/** Formats ledger units as a decimal, negative with a leading minus. */
const shown = (catalogue: Catalogue, asset: string, units: bigint): string => {
  const scale = catalogue.find(asset)?.scale ?? 0
  return units < 0n ? `-${formatUnits(-units, scale)}` : formatUnits(units, scale)
}
