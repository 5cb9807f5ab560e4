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
  listLegs,
  listOfficialRates,
  marketOf,
  officialDay,
  readLegs,
  type StoredLeg,
} from '../../market/rates/index.ts'
import { command, print, UsageError, type Command } from './command.ts'
import { printStandings } from './hedging.ts'
import { required, withInstallation } from '../installation/open.ts'
import { printTable } from './table.ts'
import { assetOf, signedUnitsOf } from './typed-amount.ts'

export const exchangeCommands: readonly Command[] = [
  command({
    name: 'rates',
    summary: 'show the order books that prices come from: sources, ages, and why a market is closed',
    run: async (_given, env) =>
      withInstallation(env, async ({ runtime }) => {
        const now = runtime.clock.now()
        const [stored, { closed }, official] = await Promise.all([
          listLegs(runtime.db),
          readLegs(runtime.db, now),
          listOfficialRates(runtime.db),
        ])
        if (stored.length === 0) print('no order books are read: BURSAR_EXCHANGE_FILE names the sources')
        else
          printTable(
            ['market', 'price', 'age s', 'sources', 'state'],
            stored.map((leg) => legRow(leg, now, closed.get(leg.ticker))),
          )
        for (const { ticker, dropped } of stored)
          for (const { source, reason } of dropped) print(`${ticker}: ${source} does not count: ${reason}`)
        for (const rate of official)
          print(
            `official: 1 USD = ${formatUnits(rate.perUsd, 18)} ${rate.ticker} (${rate.source}, ${officialDay(rate)})`,
          )
      }),
  }),
  command({
    name: 'position fund',
    summary: "put the owner's capital into what exchanges trade with; a minus takes it back",
    args: ['TICKER', 'AMOUNT'],
    run: async ({ args: { TICKER: ticker, AMOUNT: amount } }, env) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        const asset = assetOf(opened, ticker)
        const units = signedUnitsOf(amount, asset)
        await inTransaction(runtime.db, (tx) => fundPosition(tx, asset.ticker, units, momentOf(runtime)))
        print('done')
      }),
  }),
  command({
    name: 'position limit',
    summary:
      'limit the position of an asset: how much more is bought than sold, and sold than bought; none: as the settings say',
    args: ['TICKER', 'LONG', 'SHORT'],
    run: async ({ args: { TICKER: ticker, LONG: long, SHORT: short } }, env) =>
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
        print('done')
      }),
  }),
  command({
    name: 'position',
    summary: 'show inventory, bought and sold amounts, exposures with their limits, and profit in USDT',
    run: async (_given, env) =>
      withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const [positions, spreads, wrong] = await Promise.all([
          positionsOf(runtime.db),
          spreadIncomeOf(runtime.db),
          auditPositions(runtime.db),
        ])
        const spread = new Map(spreads.map(({ asset, units }) => [asset, units]))
        printTable(
          ['asset', 'position', 'capital', 'bought', 'sold', 'fees', 'spread'],
          positions.map(({ asset, ...p }) => {
            const show = (units: bigint): string => shown(catalogue, asset, units)
            return [
              asset,
              show(p.position),
              show(p.capital),
              show(p.bought),
              show(p.sold),
              show(p.fees),
              show(spread.get(asset) ?? 0n),
            ]
          }),
        )
        for (const { asset, position, inventory } of wrong)
          print(
            `${asset}: inventory ${shown(catalogue, asset, inventory)} is not the position ${shown(catalogue, asset, position)}`,
          )
        if ((await printStandings(opened)) + wrong.length > 0) process.exitCode = 1
      }),
  }),
]

const legRow = (
  { ticker, believed, observedAt, books, quorum }: StoredLeg,
  now: number,
  closed: string | undefined,
): string[] => {
  const { base, quote } = marketOf(ticker)
  const sources = books.map(({ source }) => source).join(' ') || '-'
  const age = Math.round((now - observedAt.getTime()) / 1_000)
  return [
    `${base}/${quote}`,
    believed === null ? '-' : formatUnits(believed, 18),
    String(age),
    `${sources} (${quorum} needed)`,
    closed === undefined ? 'open' : `closed: ${closed}`,
  ]
}

/** Ledger units as a decimal, a minus before what is below 0. */
const shown = (catalogue: Catalogue, asset: string, units: bigint): string => {
  const scale = catalogue.find(asset)?.scale ?? 0
  return units < 0n ? `-${formatUnits(-units, scale)}` : formatUnits(units, scale)
}
