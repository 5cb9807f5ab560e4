import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { recordSurplus, takeOffExplained, type Portion } from '../../ledger/address-balances/index.ts'
import { applyAll, type Item } from '../../ledger/postings/index.ts'
import { platformMoneyItem } from './postings.ts'

/**
 * A surplus has to stand this long before it is booked: what a block brought that is not final may go, or be explained.
 */
const SURPLUS_AFTER_MS = 60 * 60_000

/**
 * Books what addresses have held too much for long enough into suspense (`contract.md` 19 #16). It has no owner until a
 * person or a later explanation says whose it is.
 * @returns what was booked now
 */
export const suspendSurplus = async (tx: Tx, network: Network, now: Date, moment: Moment): Promise<Portion[]> => {
  const since = new Date(now.getTime() - SURPLUS_AFTER_MS)
  const rows = await recordSurplus(tx, network, since)
  await applyAll(tx, itemsOf(network, rows, moment))
  return rows
}

/**
 * Takes out of suspense what a deposit, found later, has explained: its address then holds less than booked by just
 * that. Only what is left after this is a shortage.
 * @returns what was taken back now
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
