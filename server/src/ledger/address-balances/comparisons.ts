/** Results of comparing the records of addresses with the chain. Amounts are ledger units. */
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** An address and an asset whose recorded balance is to be compared with the chain. */
export interface Comparand {
  asset: string
  address: string
  booked: bigint
}

/** An address whose balance on the chain differs from its record. */
export interface Drift {
  asset: string
  address: string
  booked: bigint
  /** balance on the chain minus `booked`: negative when money is missing */
  difference: bigint
}

const COLUMNS = sql.raw('asset, address, booked')

/**
 * Returns the records that are due for comparison: those that changed, the longest uncompared first; those that
 * differed last time; the platform's wallets; and idle ones whose last comparison is older than `idleSince`.
 * @param family of the network's addresses
 */
export const comparandsOf = async (
  tx: Tx,
  network: Network,
  family: string,
  { mostTouched, mostIdle, idleSince }: { mostTouched: number; mostIdle: number; idleSince: Date },
): Promise<Comparand[]> => {
  const { rows } = await sql<Comparand>`
    (select ${COLUMNS} from custody_addresses where network = ${network} and touched order by compared_at nulls first limit ${mostTouched})
    union
    (select ${COLUMNS} from custody_addresses where network = ${network} and difference <> 0)
    union
    (select c.asset, c.address, c.booked from house_addresses h join custody_addresses c on c.network = ${network} and c.address = h.address
      where h.family = ${family} and h.branch = 0)
    union
    (select ${COLUMNS} from custody_addresses where network = ${network} and compared_at < ${idleSince} order by compared_at limit ${mostIdle})
    order by asset, address`.execute(tx)
  return rows
}

/**
 * Stores the compared balance of each address. A record that changed in the meantime stays marked as touched, and its
 * difference is the one at the compared block.
 * @param onChain in the order of `compared`
 */
export const storeComparisons = async (
  db: Db | Tx,
  network: Network,
  compared: readonly Comparand[],
  onChain: readonly bigint[],
  height: number,
  at: Date,
): Promise<void> => {
  await sql`update custody_addresses c set difference = u.held - u.booked, touched = c.booked <> u.booked,
      surplus_since = case when u.held > u.booked then coalesce(c.surplus_since, ${at}) end,
      compared_height = ${height}, compared_at = ${at}
    from unnest(${compared.map((c) => c.asset)}::text[], ${compared.map((c) => c.address)}::text[],
      ${compared.map((c) => c.booked.toString())}::numeric[], ${onChain.map(String)}::numeric[]) u(asset, address, booked, held)
    where c.network = ${network} and c.asset = u.asset and c.address = u.address`.execute(db)
}

/** Sums the differences of a network by asset. */
export const differencesOf = async (
  db: Db | Tx,
  network: Network,
): Promise<Map<string, { sum: bigint; short: bigint; surplus: bigint }>> => {
  const { rows } = await sql<{ asset: string; sum: bigint; short: bigint; surplus: bigint }>`
    select asset, sum(difference) as sum, sum(greatest(-difference, 0)) as short, sum(greatest(difference, 0)) as surplus
    from custody_addresses where network = ${network} and difference <> 0 group by asset`.execute(db)
  return new Map(rows.map(({ asset, ...sums }) => [asset, sums]))
}

/** Addresses of an asset that differ, the largest differences first. */
export const driftsOf = async (db: Db | Tx, network: Network, asset: string, most: number): Promise<Drift[]> => {
  const { rows } = await sql<Drift>`select asset, address, booked, difference from custody_addresses
    where network = ${network} and asset = ${asset} and difference <> 0
    order by abs(difference) desc, address limit ${most}`.execute(db)
  return rows
}

/** How many records have moved since they were compared. */
export const countTouched = async (db: Db, network: Network): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from custody_addresses where network = ${network} and touched`.execute(db)
  return rows[0]!.count
}

/**
 * Creates records of the platform's wallets for every asset of the network, even if they hold none, so that they are
 * always compared.
 * @param family of the network's addresses
 */
export const recordOwnAddresses = async (
  db: Db,
  network: Network,
  family: string,
  assets: readonly string[],
): Promise<void> => {
  await sql`insert into custody_addresses(network, asset, address, booked)
    select ${network}, u.asset, h.address, 0 from house_addresses h cross join unnest(${[...assets]}::text[]) u(asset)
    where h.family = ${family} and h.branch = 0 on conflict do nothing`.execute(db)
}

/** Marks addresses that were compared since a time as due for comparison again. */
export const touchSince = async (db: Db, network: Network, since: Date | null): Promise<void> => {
  await sql`update custody_addresses set touched = true where network = ${network} and compared_at >= ${since ?? new Date(0)} and not touched`.execute(
    db,
  )
}

/** Marks every address as due for comparison, for every asset of the network, even without a change. */
export const touchEverything = async (db: Db, network: Network, assets: readonly string[]): Promise<void> => {
  await sql`insert into custody_addresses(network, asset, address, booked)
    select ${network}, u.asset, a.address, 0 from (select distinct address from custody_addresses where network = ${network}) a
      cross join unnest(${[...assets]}::text[]) u(asset)
    on conflict (network, asset, address) do update set touched = true where not custody_addresses.touched`.execute(db)
}

/** Reduces the recorded balance of an address. False unless the last comparison found it short by as much. */
export const writeDownAddress = async (
  tx: Tx,
  at: { network: string; address: string },
  asset: string,
  units: bigint,
): Promise<boolean> => {
  const { rows } = await sql`update custody_addresses set booked = booked - ${units}, difference = difference + ${units}
    where network = ${at.network} and address = ${at.address} and asset = ${asset} and difference <= ${-units} returning 1`.execute(
    tx,
  )
  return rows.length === 1
}

/**
 * Returns the recorded balances of addresses in the order asked, and the part of each that no coin known here explains.
 */
export const recordsOf = async (
  tx: Tx,
  network: Network,
  asked: readonly Pick<Comparand, 'asset' | 'address'>[],
): Promise<{ booked: bigint; unseen: bigint }[]> => {
  const { rows } = await sql<{
    booked: bigint
    unseen: bigint
  }>`select c.booked, c.suspended + greatest(c.difference, 0) as unseen
      from unnest(${asked.map(({ asset }) => asset)}::text[], ${asked.map(({ address }) => address)}::text[]) with ordinality u(asset, address, n)
      join custody_addresses c on c.network = ${network} and c.asset = u.asset and c.address = u.address order by u.n`.execute(
    tx,
  )
  return rows
}
