import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { applyAll, type Item } from '../../ledger/postings/index.ts'
import { platformMoneyItem } from './postings.ts'

/**
 * A surplus has to stand this long before it is booked: what a block brought that is not final may go, or be explained.
 */
const SURPLUS_AFTER_MS = 60 * 60_000

interface Portion {
  asset: string
  address: string
  units: bigint
}

/**
 * Books what addresses have held too much for long enough into suspense (`contract.md` 19 #16). It has no owner until a
 * person or a later explanation says whose it is.
 * @returns what was booked now
 */
export const suspendSurplus = async (tx: Tx, network: Network, now: Date, moment: Moment): Promise<Portion[]> => {
  const since = new Date(now.getTime() - SURPLUS_AFTER_MS)
  const { rows } = await sql<Portion>`with due as (
      select asset, address, difference from custody_addresses
      where network = ${network} and difference > 0 and not touched and surplus_since <= ${since}
      order by asset, address for update)
    update custody_addresses c set booked = c.booked + due.difference, suspended = c.suspended + due.difference,
      difference = 0, surplus_since = null
    from due where c.network = ${network} and c.asset = due.asset and c.address = due.address
    returning c.asset, c.address, due.difference as units`.execute(tx)
  await applyAll(tx, itemsOf(network, rows, moment))
  return rows
}

/**
 * Takes out of suspense what a deposit, found later, has explained: its address then holds less than booked by just
 * that. Only what is left after this is a shortage.
 * @returns what was taken back now
 */
export const takeBackSurplus = async (tx: Tx, network: Network, moment: Moment): Promise<Portion[]> => {
  const { rows } = await sql<Portion>`with explained as (
      select asset, address, least(-difference, suspended) as units from custody_addresses
      where network = ${network} and difference < 0 and suspended > 0 order by asset, address for update)
    update custody_addresses c set booked = c.booked - e.units, suspended = c.suspended - e.units, difference = c.difference + e.units
    from explained e where c.network = ${network} and c.asset = e.asset and c.address = e.address
    returning c.asset, c.address, e.units`.execute(tx)
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

/** What stands in suspense for addresses of a network, by asset. */
export const suspendedOf = async (db: Db | Tx, network: Network): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{
    asset: string
    units: bigint
  }>`select asset, sum(suspended) as units from custody_addresses
    where network = ${network} and suspended > 0 group by asset`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

const itemsOf = (network: Network, portions: readonly Portion[], moment: Moment): Item[] => {
  const sums = new Map<string, bigint>()
  for (const { asset, units } of portions) sums.set(asset, (sums.get(asset) ?? 0n) + units)
  return [...sums].map(([asset, units]) => platformMoneyItem(network, { asset, units, is: 'suspense' }, moment))
}
