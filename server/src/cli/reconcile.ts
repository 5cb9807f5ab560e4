import { parseArgs } from 'node:util'
import { isNetwork } from '@bursar/chainkit'
import { createAdapters } from '../adapters/chains/index.ts'
import type { Catalogue } from '../assets/index.ts'
import type { Db } from '../db/index.ts'
import { formatUnits } from '../money/index.ts'
import {
  auditBooks, driftsOf, reconcileFully, reconcileNetwork, type CustodyLine, type Drift, type Round,
} from '../treasury/index.ts'
import { reconcileWithAcquirer } from './acquirers.ts'
import { print, UsageError, type Command } from './command.ts'
import { reconcileVenue } from './hedging.ts'
import { withInstallation } from './merchant.ts'
import { required, tokensOf } from './open.ts'

const MOST_SHOWN = 1_000

export const reconcileCommand: Command = {
  name: 'reconcile',
  usage: 'reconcile [--network NETWORK] [--full] | --acquirer NAME [--statement FILE | --days 7] [--balance TICKER=AMOUNT]...',
  summary: 'hold entries against balances, hash chains, custody against the chains and the venue that is hedged on against the books, --full asks about every address; or an acquirer against its statement',
  run: async (args, env) => {
    const text = { type: 'string' } as const
    const options = {
      network: text, full: { type: 'boolean', default: false }, acquirer: text, statement: text, days: { type: 'string', default: '7' },
      balance: { type: 'string', multiple: true, default: [] as string[] },
    } as const
    const { values } = parseArgs({ args: [...args], options })
    const { acquirer, statement, days, balance: balances } = values
    if (acquirer !== undefined) {
      return withInstallation(env, async (opened) => {
        const off = await reconcileWithAcquirer(opened, { acquirer, statement, days, balances })
        print(off === 0 ? `the books and ${acquirer} agree` : `${off} finding(s)`)
        if (off > 0) process.exitCode = 1
      })
    }
    if (values.network !== undefined && !isNetwork(values.network)) throw new UsageError('NETWORK is BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN or TRON')
    await withInstallation(env, async (opened) => {
      const { runtime, config } = opened
      const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
      const { findings, brokenSeal } = await auditBooks(runtime)
      for (const finding of findings) print(`${finding.check} ${finding.subject}: ${finding.detail}`)
      if (brokenSeal) print(`hash chain: account ${brokenSeal.accountId} breaks at version ${brokenSeal.version}`)
      let off = findings.length + (brokenSeal ? 1 : 0)
      const adapters = createAdapters(required(config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(catalogue))
      for (const adapter of adapters.values()) {
        if (values.network !== undefined && adapter.network !== values.network) continue
        const tellLeft = ({ left }: Round): void => {
          if (left > 0) print(`${adapter.network}: ${left} changed address(es) are not compared yet`)
        }
        const round = await (values.full ? reconcileFully(runtime, catalogue, adapter, tellLeft) : reconcileNetwork(runtime, catalogue, adapter))
        if (!round) print(`${adapter.network}: can't be compared now (not read yet, or its head is moving); try again`)
        else off += await printRound(runtime.db, catalogue, round)
      }
      if (values.network === undefined) off += await reconcileVenue(opened)
      print(off === 0 ? 'the ledger holds, and the chains agree' : `${off} finding(s)`)
      if (off > 0) process.exitCode = 1
    })
  },
}

/** @returns how many assets and addresses differ */
const printRound = async (db: Db, catalogue: Catalogue, { network, lines, compared }: Round): Promise<number> => {
  let off = 0
  print(`${network}: compared ${compared} address(es)`)
  for (const line of lines) {
    const { scale } = catalogue.findCrypto(line.ticker)!
    const drifts = await driftsOf(db, network, line.ticker, MOST_SHOWN)
    off += drifts.length + (line.onChain === line.booked ? 0 : 1)
    print(lineText(line, scale))
    for (const drift of drifts) print(driftText(drift, scale))
  }
  return off
}

const lineText = ({ network, ticker, height, booked, onChain }: CustodyLine, scale: number): string => {
  const verdict = onChain === booked ? 'equal' : `DIFFERENCE ${formatUnits(onChain - booked, scale)}`
  return `${network} ${ticker} at ${height}: books ${formatUnits(booked, scale)}, chain ${formatUnits(onChain, scale)}: ${verdict}`
}

const driftText = ({ address, booked, difference }: Drift, scale: number): string =>
  `  ${address}: should hold ${formatUnits(booked, scale)}, holds ${formatUnits(booked + difference, scale)}: DIFFERENCE ${formatUnits(difference, scale)}`
