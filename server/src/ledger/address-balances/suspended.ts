/** Unexplained balances of addresses: part of their records, and in suspense in the ledger. */
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** Ledger units of one address. */
export interface Portion {
  asset: string
  address: string
  units: bigint
}

/** Records surpluses that have lasted since before a time as held and unexplained. @returns the amounts recorded */
export const recordSurplus = async (tx: Tx, network: Network, since: Date): Promise<Portion[]> => {
  const { rows } = await sql<Portion>`with due as (
      select asset, address, difference from custody_addresses
      where network = ${network} and difference > 0 and not touched and surplus_since <= ${since}
      order by asset, address for update)
    update custody_addresses c set booked = c.booked + due.difference, suspended = c.suspended + due.difference,
      difference = 0, surplus_since = null
    from due where c.network = ${network} and c.asset = due.asset and c.address = due.address
    returning c.asset, c.address, due.difference as units`.execute(tx)
  return rows
}

/** Reduces unexplained balances by the amounts that addresses no longer hold. @returns the amounts removed */
export const takeOffExplained = async (tx: Tx, network: Network): Promise<Portion[]> => {
  const { rows } = await sql<Portion>`with explained as (
      select asset, address, least(-difference, suspended) as units from custody_addresses
      where network = ${network} and difference < 0 and suspended > 0 order by asset, address for update)
    update custody_addresses c set booked = c.booked - e.units, suspended = c.suspended - e.units, difference = c.difference + e.units
    from explained e where c.network = ${network} and c.asset = e.asset and c.address = e.address
    returning c.asset, c.address, e.units`.execute(tx)
  return rows
}

/**
 * Marks amounts that forgotten addresses received, and that their records already include, as unexplained.
 * @param family of the network's addresses
 */
export const suspendForgotten = async (
  tx: Tx,
  network: Network,
  family: string,
  portions: readonly Portion[],
): Promise<void> => {
  await sql`update custody_addresses c set suspended = c.suspended + u.units
    from (select asset, address, sum(units) as units from unnest(${portions.map((f) => f.asset)}::text[], ${portions.map((f) => f.address)}::text[],
        ${portions.map((f) => f.units.toString())}::numeric[]) x(asset, address, units) group by asset, address) u
    join house_addresses h on h.family = ${family} and h.address = u.address and h.account = 'forgotten'
    where c.network = ${network} and c.asset = u.asset and c.address = u.address`.execute(tx)
}

/**
 * Returns, by asset and in ledger units, the balances of a network's addresses that belong to no deposit. In the ledger
 * they are on the account suspense.
 */
export const suspendedOf = async (db: Db | Tx, network: Network): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{
    asset: string
    units: bigint
  }>`select asset, sum(suspended) as units from custody_addresses
    where network = ${network} and suspended > 0 group by asset`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

/** Sums the unexplained balances of an asset over all addresses. */
export const totalSuspended = async (db: Db | Tx, asset: string): Promise<bigint> => {
  const { rows } = await sql<{
    units: bigint
  }>`select coalesce(sum(suspended), 0) as units from custody_addresses where asset = ${asset} and suspended > 0`.execute(
    db,
  )
  return rows[0]!.units
}

/** Reduces the unexplained balance of an address. Returns false unless it is at least that amount. */
export const explainAddress = async (
  tx: Tx,
  at: { network: string; address: string },
  asset: string,
  units: bigint,
): Promise<boolean> => {
  const { rows } = await sql`update custody_addresses set suspended = suspended - ${units}
    where network = ${at.network} and address = ${at.address} and asset = ${asset} and suspended >= ${units} returning 1`.execute(
    tx,
  )
  return rows.length === 1
}
