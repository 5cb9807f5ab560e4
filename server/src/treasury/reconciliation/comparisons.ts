import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Comparand } from './reconcile.ts'

/** An address that does not hold what it should. Ledger units. */
export interface Drift {
  asset: string
  address: string
  booked: bigint
  /** what the chain holds less `booked`: negative when money is missing */
  difference: bigint
}

/** How one asset of a network stands. Ledger units. */
export interface CustodyLine {
  network: Network
  ticker: string
  height: number
  hash: string
  /** what the ledger says our wallets hold */
  booked: bigint
  onChain: bigint
  /** what single addresses hold less, and more, than they should; both not negative */
  short: bigint
  surplus: bigint
}

/** One comparison of a network. */
export interface Round {
  network: Network
  height: number
  lines: CustodyLine[]
  /** addresses that were asked about */
  compared: number
  /** addresses that changed and wait for the next round */
  left: number
  /** what became of a look through all coins that was due; null where none was */
  scan: 'done' | 'failed' | null
}

/**
 * Stores what the chain held at each address. One whose record moved on meanwhile stays touched, and its difference is
 * that of the block compared.
 * @param onChain ledger units, in the order of `compared`
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

/** What all differences of a network come to, by asset. */
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

export const countTouched = async (db: Db, network: Network): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from custody_addresses where network = ${network} and touched`.execute(db)
  return rows[0]!.count
}

/** When all coins of a network were looked through the last time; null: never. */
export const scannedAt = async (db: Db | Tx, network: Network): Promise<Date | null> => {
  const { rows } = await sql<{
    at: Date | null
  }>`select max(scanned_at) as at from custody_rounds where network = ${network}`.execute(db)
  return rows[0]!.at
}

export const noteScan = async (db: Db | Tx, network: Network, at: Date): Promise<void> => {
  await sql`update custody_rounds set scanned_at = ${at} where network = ${network}`.execute(db)
}

export const storeRound = async (db: Db | Tx, lines: readonly CustodyLine[], at: Date): Promise<void> => {
  for (const line of lines) {
    await sql`insert into custody_rounds(network, asset, height, hash, booked, on_chain, short, surplus, compared_at)
      values (${line.network}, ${line.ticker}, ${line.height}, ${line.hash}, ${line.booked}, ${line.onChain}, ${line.short}, ${line.surplus}, ${at})
      on conflict (network, asset) do update set height = excluded.height, hash = excluded.hash, booked = excluded.booked,
        on_chain = excluded.on_chain, short = excluded.short, surplus = excluded.surplus, compared_at = excluded.compared_at`.execute(
      db,
    )
  }
}

/** The newest comparison of each asset and network. */
export const listRounds = async (db: Db | Tx): Promise<(CustodyLine & { comparedAt: Date })[]> => {
  const { rows } = await sql<CustodyLine & { comparedAt: Date }>`select network, asset as ticker, height, hash, booked,
      on_chain as "onChain", short, surplus, compared_at as "comparedAt" from custody_rounds order by network, asset`.execute(
    db,
  )
  return rows
}
