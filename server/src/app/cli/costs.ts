import { isNetwork } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { countCosts, listCosts, sharesOf, type CostFilter, type CostLine } from '../../treasury/costs/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { command, flag, print, text, UsageError, type Command } from './command.ts'
import { required, withInstallation } from '../installation/open.ts'
import { printTable } from './table.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const json = flag('as JSON')

/** Throws a UsageError for a day that is none, so that `2026-02-31` does not mean another day. */
const dayOf = (text: string | undefined, what: string): string | null => {
  if (text === undefined) return null
  const is = DAY.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)
  if (!is) throw new UsageError(`${what} is a day (UTC) as 2026-01-31`)
  return text
}

const readFilter = ({
  from,
  to,
  merchant,
  network,
  asset,
}: Readonly<Record<'from' | 'to' | 'merchant' | 'network' | 'asset', string | undefined>>): CostFilter => {
  if (merchant !== undefined && !isPlatform(merchant) && !UUID.test(merchant))
    throw new UsageError('--merchant is an id, or platform')
  if (network !== undefined && !isNetwork(network))
    throw new UsageError('--network is BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN or TRON')
  return {
    from: dayOf(from, '--from'),
    to: dayOf(to, '--to'),
    merchantId: merchant !== undefined && isPlatform(merchant) ? PLATFORM : (merchant ?? null),
    network: network ?? null,
    asset: asset ?? null,
  }
}

/** Both names: scripts may still use the second. */
const isPlatform = (typed: string): boolean => typed === 'platform' || typed === 'house'

const ownerText = (merchantId: string): string => (merchantId === PLATFORM ? 'platform' : merchantId)

export const costCommands: readonly Command[] = [
  command({
    name: 'costs transaction',
    summary: 'show who bears the fee of one of our transactions',
    args: ['HASH'],
    options: { json },
    run: async ({ args: { HASH: hash }, options }, env) => {
      await withInstallation(env, async ({ runtime, config }) => {
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const shared = await sharesOf(runtime.db, catalogue, hash)
        if (!shared) throw new Error('none of our transactions has this hash')
        const { scale } = catalogue.findCrypto(shared.asset)!
        const paid = shared.paid === null ? null : formatUnits(shared.paid, scale)
        const shares = shared.shares.map(({ merchantId, cause, units }) => ({
          merchant: ownerText(merchantId),
          for: `${cause.kind} ${cause.id}`,
          amount: formatUnits(units, scale),
        }))
        if (options.json) return print({ network: shared.network, hash, asset: shared.asset, paid, shares })
        print(`${shared.network} ${hash}: ${paid === null ? 'in no block yet' : `paid ${paid} ${shared.asset}`}`)
        printTable(
          ['merchant', 'for', shared.asset],
          shares.map((share) => [share.merchant, share.for, share.amount]),
        )
      })
    },
  }),
  command({
    name: 'costs',
    summary: 'show network fees by merchant and operation',
    options: {
      from: text('DAY', 'from this day on (UTC), such as 2026-01-31'),
      to: text('DAY', 'up to the end of this day'),
      merchant: text('ID|platform', 'of one merchant, or of the platform'),
      network: text('NETWORK', 'of one network'),
      asset: text('TICKER', 'in one asset'),
      json,
    },
    run: async ({ options }, env) => {
      const filter = readFilter(options)
      await withInstallation(env, async ({ runtime, config }) => {
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        await inTransaction(runtime.db, countCosts)
        const lines = await listCosts(runtime.db, filter)
        if (options.json) return print(jsonOf(lines, catalogue))
        const rows = lines.map((line) => [
          ownerText(line.merchantId),
          line.network,
          line.operation,
          String(line.postings),
          amountOf(line, catalogue),
          line.asset,
        ])
        printTable(['merchant', 'network', 'operation', 'postings', 'amount', 'asset'], rows)
        for (const [asset, units] of totalsOf(lines)) print(`total ${amountOf({ asset, units }, catalogue)} ${asset}`)
      })
    },
  }),
]

const amountOf = ({ asset, units }: Pick<CostLine, 'asset' | 'units'>, catalogue: Catalogue): string => {
  const known = catalogue.findCrypto(asset)
  return known ? formatUnits(units, known.scale) : `${units} units`
}

const totalsOf = (lines: readonly CostLine[]): Map<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const { asset, units } of lines) totals.set(asset, (totals.get(asset) ?? 0n) + units)
  return totals
}

const jsonOf = (lines: readonly CostLine[], catalogue: Catalogue) => ({
  costs: lines.map(({ merchantId, network, asset, operation, postings, units }) => ({
    merchant: ownerText(merchantId),
    network,
    asset,
    operation,
    postings,
    amount: amountOf({ asset, units }, catalogue),
  })),
  totals: Object.fromEntries(
    [...totalsOf(lines)].map(([asset, units]) => [asset, amountOf({ asset, units }, catalogue)]),
  ),
})
