import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { recordSurplus, takeOffExplained, type Portion } from '../../ledger/address-balances/index.ts'
import { applyAll, type Item } from '../../ledger/postings/index.ts'
import { platformMoneyItem } from './postings.ts'

/**
 * How long a surplus must last before it is posted: an amount from a block that is not final may be lost, or be
 * explained.
 */
const SURPLUS_AFTER_MS = 60 * 60_000

/**
 * Posts surpluses of addresses that have lasted long enough to suspense (`contract.md` 19 #16). They have no owner
 * until an operator or a later explanation assigns one.
 * @returns the amounts posted now
 */
export const suspendSurplus = async (tx: Tx, network: Network, now: Date, moment: Moment): Promise<Portion[]> => {
  const since = new Date(now.getTime() - SURPLUS_AFTER_MS)
  const rows = await recordSurplus(tx, network, since)
  await applyAll(tx, itemsOf(network, rows, moment))
  return rows
}

/**
 * Takes an amount out of suspense that a deposit, found later, has explained: its address then holds less than recorded
 * by just that amount. Only a shortage that remains is real.
 * @returns the amounts taken out now
 */
export const takeBackSurplus = async (tx: Tx, network: Network, moment: Moment): Promise<Portion[]> => {
  const rows = await takeOffExplained(tx, network)
  await applyAll(
    tx,
    itemsOf(
      network,
      rows.map((row) => ({ ...row, units: -row.units })),
      moment,
    ),
  )
  return rows
}

const itemsOf = (network: Network, portions: readonly Portion[], moment: Moment): Item[] => {
  const sums = new Map<string, bigint>()
  for (const { asset, units } of portions) sums.set(asset, (sums.get(asset) ?? 0n) + units)
  return [...sums].map(([asset, units]) => platformMoneyItem(network, { asset, units, is: 'suspense' }, moment))
}
