import type { Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { countCosts, listCosts, sharesOf, type CostFilter, type CostLine } from '../../treasury/costs/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import { network } from './argument-kinds.ts'
import { command, text, UsageError, type Command } from './command.ts'
import { required, withInstallation } from '../installation/open.ts'
import { assetOf } from './typed-amount.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Reads a day. Throws a UsageError for a day that does not exist, so that `2026-02-31` does not become another one. */
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
}: Readonly<Record<'from' | 'to' | 'merchant', string | undefined>> & {
  network: Network | undefined
}): Omit<CostFilter, 'asset'> => {
  if (merchant !== undefined && !isPlatform(merchant) && !isUuid(merchant.toLowerCase()))
    throw new UsageError('--merchant is an id, or platform')
  return {
    from: dayOf(from, '--from'),
    to: dayOf(to, '--to'),
    merchantId: merchant !== undefined && isPlatform(merchant) ? PLATFORM : (merchant ?? null),
    network: network ?? null,
  }
}

/** Accepts both names, because scripts may still use the second. */
const isPlatform = (typed: string): boolean => typed === 'platform' || typed === 'house'

const ownerText = (merchantId: string): string => (merchantId === PLATFORM ? 'platform' : merchantId)

export const costCommands: readonly Command[] = [
  command({
    name: 'costs transaction',
    summary: 'show which merchants bear the fee of one of our transactions',
    args: ['HASH'],
    run: async ({ args: { HASH: hash } }, env, out) => {
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
        out.show({ network: shared.network, hash, asset: shared.asset, paid })
        out.list('shares', shares, { heads: { amount: shared.asset } })
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
      network: network('of one network'),
      asset: text('TICKER', 'in one asset'),
    },
    run: async ({ options }, env, out) => {
      const filter = readFilter(options)
      await withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const asset = options.asset === undefined ? null : assetOf(opened, options.asset).ticker
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        await inTransaction(runtime.db, countCosts)
        const lines = await listCosts(runtime.db, { ...filter, asset })
        const rows = lines.map((line) => ({
          merchant: ownerText(line.merchantId),
          network: line.network,
          operation: line.operation,
          postings: line.postings,
          amount: amountOf(line, catalogue),
          asset: line.asset,
        }))
        out.list('costs', rows, { none: 'there are no costs' })
        const totals = [...totalsOf(lines)].map(([asset, units]) => [asset, amountOf({ asset, units }, catalogue)])
        out.show(
          { totals: Object.fromEntries(totals) as Record<string, string> },
          totals.map(([asset, amount]) => `total ${amount} ${asset}`),
        )
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
