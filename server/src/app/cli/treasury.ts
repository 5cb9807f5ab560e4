import { NETWORKS, type Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { leftUnderFirstSeed } from '../../chain/transactions/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  inLedgerUnits,
  leftAtFirstSeed,
  refillOf,
  readHotWallet,
  type HotLimits,
  type Position,
  type Runway,
} from '../../treasury/reconciliation/index.ts'
import { command, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import type { Fields, Output } from './output.ts'
import { printStaked } from './tron.ts'

export const treasuryCommand: Command = command({
  name: 'treasury',
  summary:
    'show the balances of hot wallets and cold storage, the waiting payments, and how long the coin for fees lasts',
  run: async (_given, env, out) =>
    withInstallation(env, async (opened) => {
      const catalogue = required(opened.config.assets, 'BURSAR_ASSETS_FILE')
      const hotWallets = await readHotWallets(opened, catalogue)
      out.list(
        'positions',
        hotWallets.flatMap(({ positions }) =>
          positions.map((position) => rowOf(position, catalogue, limitsOf(opened, catalogue, position))),
        ),
      )
      out.gap()
      out.list(
        'fees',
        hotWallets.map(({ runway }) => runwayRow(runway, catalogue)),
        { heads: { asset: 'fees in', spentInWeek: 'spent in 7 days' } },
      )
      await printFirstSeed(opened, out, catalogue)
      await printStaked(opened, out)
    }),
})

/** Prints what is still at addresses of the first seed, when a second has replaced it. */
const printFirstSeed = async ({ runtime, config }: Opened, out: Output, catalogue: Catalogue): Promise<void> => {
  if (!config.xpubs?.next) return
  const { units, coins } = await leftUnderFirstSeed(runtime.db, 'BITCOIN', config.xpubs)
  const left = formatUnits(units, catalogue.findCrypto('BTC')?.scale ?? 0)
  const others = (await leftAtFirstSeed(runtime.db)).map(({ network, asset, hot, deposits }) => ({
    network,
    asset,
    left: formatUnits(hot + deposits, catalogue.findCrypto(asset)?.scale ?? 0),
    coins: '',
  }))
  out.gap()
  out.list('firstSeed', [{ network: 'BITCOIN', asset: 'BTC', left, coins }, ...others], {
    heads: { left: 'left under the first seed' },
  })
}

const readHotWallets = ({ runtime }: Opened, catalogue: Catalogue) =>
  Promise.all(
    NETWORKS.filter((network) => catalogue.networks.has(network)).map((network) =>
      readHotWallet(runtime, catalogue, network),
    ),
  )

const limitsOf = (
  { policies }: Opened,
  catalogue: Catalogue,
  { network, ticker }: { network: Network; ticker: string },
): HotLimits | undefined => {
  const limits = policies.treasury[network].hot.get(ticker)
  return limits && inLedgerUnits(catalogue, network, ticker, limits)
}

const rowOf = (position: Position, catalogue: Catalogue, limits: HotLimits | undefined): Fields => {
  const { scale } = catalogue.findCrypto(position.ticker)!
  const show = (units: bigint | undefined): string | null => (units === undefined ? null : formatUnits(units, scale))
  const { network, ticker, hot, leaving, waiting, unswept, cold } = position
  return {
    network,
    asset: ticker,
    hot: show(hot),
    cap: show(limits?.cap),
    leaving: show(leaving),
    waiting: show(waiting),
    notSwept: show(unswept),
    cold: show(cold),
    toRefill: show(limits && refillOf(position, limits)),
  }
}

const runwayRow = ({ network, ticker, spent, days }: Runway, catalogue: Catalogue) => ({
  network,
  asset: ticker,
  spentInWeek: formatUnits(spent, catalogue.findCrypto(ticker)?.scale ?? 0),
  daysLeft: days,
})
