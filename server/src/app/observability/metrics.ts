import { BACKLOG_COUNTS, ENDPOINT_BACKLOG_COUNTS } from '../../merchants/webhooks/index.ts'
import { ALERT_COUNTS } from '../../platform/runtime/alerts.ts'
import type { sql } from 'kysely'
import type { Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { costTotals } from '../../treasury/costs/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Figure } from '../../platform/process/metrics.ts'
import { VERSION } from '../../platform/process/version.ts'
import { newestBackup } from '../../platform/runtime/backups.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { STOP_COUNTS } from '../../ledger/stops/index.ts'
import {
  countStates,
  inLedgerUnits,
  listRounds,
  readHotWallet,
  type CustodyLine,
  type Position,
  type Subject,
  type TreasuryPolicy,
} from '../../treasury/reconciliation/index.ts'
import { watchStatus } from '../../chain/watcher/index.ts'

/** Figures for operators, read from the database at each scrape. */
export const metricsOf = (
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  catalogue: Catalogue,
  policies: Readonly<Record<Network, TreasuryPolicy>>,
): Figure[] => [
  ...treasuryMetrics({ db, clock }, catalogue, policies),
  {
    name: 'bursar_build_info',
    help: 'Always 1; the labels are the version of this build and of its Node',
    labels: ['version', 'node'],
    read: () => Promise.resolve([{ labels: { version: VERSION, node: process.versions.node }, value: 1 }]),
  },
  {
    name: 'bursar_chain_lag_blocks',
    help: 'Blocks of a chain above the last one that was read',
    labels: ['network'],
    read: async () =>
      (await watchStatus(db)).map((s) => ({ labels: { network: s.network }, value: s.headHeight - s.height })),
  },
  {
    name: 'bursar_deposits',
    help: 'Deposits by network and state',
    labels: ['network', 'state'],
    read: () => states(db, 'deposits'),
  },
  {
    name: 'bursar_withdrawals',
    help: 'Withdrawals by network and state',
    labels: ['network', 'state'],
    read: () => states(db, 'withdrawals'),
  },
  {
    name: 'bursar_webhook_backlog',
    help: 'Objects with notifications not delivered yet, by state',
    labels: ['state'],
    read: () => counts(db, BACKLOG_COUNTS),
  },
  {
    name: 'bursar_endpoint_backlog',
    help: 'Objects with notifications not delivered to an additional endpoint yet, by state',
    labels: ['state'],
    read: () => counts(db, ENDPOINT_BACKLOG_COUNTS),
  },
  {
    name: 'bursar_open_alerts',
    help: 'Open alerts, by kind',
    labels: ['kind'],
    read: () => counts(db, ALERT_COUNTS),
  },
  {
    name: 'bursar_stops',
    help: 'Stops of withdrawals in force, by asset, network and reach; an empty label means all',
    labels: ['asset', 'network', 'reach'],
    read: () => counts(db, STOP_COUNTS),
  },
  {
    name: 'bursar_network_costs_total',
    help: 'Network fees paid, in whole coins, by network, asset and operation; falls only in a reorganisation',
    labels: ['network', 'asset', 'operation'],
    kind: 'counter',
    read: async () =>
      (await costTotals(db))
        .filter(({ units }) => units > 0n)
        .map(({ network, asset, operation, units }) => ({
          labels: { network, asset, operation },
          value: wholeCoins(catalogue, asset, units),
        })),
  },
  {
    name: 'bursar_custody_shortage',
    help: 'Shortage of our addresses at the last comparison, in whole coins',
    labels: ['network', 'asset'],
    read: () => custody(db, catalogue, ({ short, booked, onChain }) => larger(short, booked - onChain)),
  },
  {
    name: 'bursar_custody_surplus',
    help: 'Surplus of our addresses at the last comparison, in whole coins',
    labels: ['network', 'asset'],
    read: () => custody(db, catalogue, ({ surplus, booked, onChain }) => larger(surplus, onChain - booked)),
  },
  {
    name: 'bursar_backup_age_seconds',
    help: 'Time since the newest good backup, and since the newest drill; absent before the first',
    labels: ['kind'],
    read: async () => {
      const kinds = ['backup', 'drill'] as const
      const newest = await Promise.all(kinds.map(async (kind) => ({ kind, at: await newestBackup(db, kind) })))
      return newest.flatMap(({ kind, at }) =>
        at ? [{ labels: { kind }, value: (clock.now() - at.getTime()) / 1_000 }] : [],
      )
    },
  },
  {
    name: 'bursar_reconcile_age_seconds',
    help: 'Time since books and chain were last compared',
    labels: ['network'],
    read: async () => {
      const newest = new Map<string, number>()
      for (const { network, comparedAt } of await listRounds(db))
        newest.set(network, Math.max(newest.get(network) ?? 0, comparedAt.getTime()))
      return [...newest].map(([network, at]) => ({ labels: { network }, value: (clock.now() - at) / 1_000 }))
    },
  },
]

/** The platform's balances by asset and network. One reading serves all figures of a scrape. */
const treasuryMetrics = (
  runtime: Pick<Runtime, 'db' | 'clock'>,
  catalogue: Catalogue,
  policies: Readonly<Record<Network, TreasuryPolicy>>,
): Figure[] => {
  const hotWallets = () =>
    Promise.all([...catalogue.networks].map((network) => readHotWallet(runtime, catalogue, network)))
  const figure = (name: string, help: string, of: (position: Position) => bigint | undefined): Figure => ({
    name,
    help: `${help}, in whole coins`,
    labels: ['network', 'asset'],
    read: async () =>
      (await hotWallets())
        .flatMap(({ positions }) => positions)
        .flatMap((position) => {
          const { network, ticker } = position
          const units = of(position)
          return units === undefined
            ? []
            : [{ labels: { network, asset: ticker }, value: wholeCoins(catalogue, ticker, units) }]
        }),
  })
  return [
    figure('bursar_hot_balance', 'Balance that payouts can spend', ({ hot }) => hot),
    figure('bursar_hot_cap', 'The most a hot wallet should hold', ({ network, ticker }) => {
      const limits = policies[network].hot.get(ticker)
      return limits && inLedgerUnits(catalogue, network, ticker, limits).cap
    }),
    figure('bursar_waiting_payouts', 'Withdrawals without a planned transaction', ({ waiting }) => waiting),
    figure('bursar_unswept_deposits', 'Balance of deposit addresses', ({ unswept }) => unswept),
    figure('bursar_cold_balance', 'Balance of cold storage', ({ cold }) => cold),
    {
      name: 'bursar_runway_days',
      help: 'How many days the coin for network fees lasts at the rate of the last seven; absent while nothing is spent',
      labels: ['network', 'asset'],
      read: async () =>
        (await hotWallets()).flatMap(({ runway: { network, ticker, days } }) =>
          days === null ? [] : [{ labels: { network, asset: ticker }, value: days }],
        ),
    },
  ]
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** For graphs only: a metric has the precision of a float. */
const wholeCoins = (catalogue: Catalogue, ticker: string, units: bigint): number =>
  Number(formatUnits(units, catalogue.findCrypto(ticker)?.scale ?? 0))

const custody = async (
  db: Runtime['db'],
  catalogue: Catalogue,
  of: (line: CustodyLine) => bigint,
): Promise<{ labels: Record<string, string>; value: number }[]> =>
  (await listRounds(db)).map((line) => ({
    labels: { network: line.network, asset: line.ticker },
    value: wholeCoins(catalogue, line.ticker, larger(of(line), 0n)),
  }))

const states = async (
  db: Runtime['db'],
  subject: Subject,
): Promise<{ labels: Record<string, string>; value: number }[]> =>
  (await countStates(db, subject)).map(({ network, state, count }) => ({ labels: { network, state }, value: count }))

const counts = async (
  db: Runtime['db'],
  query: ReturnType<typeof sql>,
): Promise<{ labels: Record<string, string>; value: number }[]> => {
  const { rows } = await query.execute(db)
  return (rows as Record<string, string | number>[]).map(({ value, ...labels }) => ({
    labels: labels as Record<string, string>,
    value: Number(value),
  }))
}

/** Connections of the pool for ordinary queries of this process. */
export const poolMetrics = (connections: () => { total: number; idle: number; waiting: number }): Figure[] => [
  {
    name: 'bursar_pool_connections',
    help: 'Connections to the database for ordinary queries of this process, by state (busy, idle)',
    labels: ['state'],
    read: async () => {
      const { total, idle } = connections()
      return [
        { labels: { state: 'busy' }, value: total - idle },
        { labels: { state: 'idle' }, value: idle },
      ]
    },
  },
  {
    name: 'bursar_pool_waiting',
    help: 'Queries of this process that wait for a connection',
    labels: [],
    read: async () => [{ labels: {}, value: connections().waiting }],
  },
]
