import { NETWORKS, type Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  inLedgerUnits,
  refillOf,
  standingOf,
  type HotLimits,
  type Position,
  type Runway,
} from '../../treasury/reconciliation/index.ts'
import { command, print, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import { printTable } from './table.ts'
import { printStaked } from './tron.ts'

const HEADS = ['network', 'asset', 'hot', 'cap', 'leaving', 'waiting', 'not swept', 'cold', 'to refill']

export const treasuryCommand: Command = command({
  name: 'treasury',
  summary: 'show what hot wallets and cold storage hold, what waits, and how long the coin for fees lasts',
  run: async (_given, env) =>
    withInstallation(env, async (opened) => {
      const catalogue = required(opened.config.assets, 'BURSAR_ASSETS_FILE')
      const standings = await standingsOf(opened, catalogue)
      printTable(
        HEADS,
        standings.flatMap(({ positions }) =>
          positions.map((position) => rowOf(position, catalogue, limitsOf(opened, catalogue, position))),
        ),
      )
      print('')
      printTable(
        ['network', 'fees in', 'spent in 7 days', 'days left'],
        standings.map(({ runway }) => runwayRow(runway, catalogue)),
      )
      await printStaked(opened)
    }),
})

const standingsOf = ({ runtime }: Opened, catalogue: Catalogue) =>
  Promise.all(
    NETWORKS.filter((network) => catalogue.networks.has(network)).map((network) =>
      standingOf(runtime, catalogue, network),
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

const rowOf = (position: Position, catalogue: Catalogue, limits: HotLimits | undefined): string[] => {
  const { scale } = catalogue.findCrypto(position.ticker)!
  const show = (units: bigint | undefined): string => (units === undefined ? '-' : formatUnits(units, scale))
  const { network, ticker, hot, leaving, waiting, unswept, cold } = position
  return [
    network,
    ticker,
    show(hot),
    show(limits?.cap),
    show(leaving),
    show(waiting),
    show(unswept),
    show(cold),
    show(limits && refillOf(position, limits)),
  ]
}

const runwayRow = ({ network, ticker, spent, days }: Runway, catalogue: Catalogue): string[] => [
  network,
  ticker,
  formatUnits(spent, catalogue.findCrypto(ticker)?.scale ?? 0),
  days === null ? '-' : String(days),
]
