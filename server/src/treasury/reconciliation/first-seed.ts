import { isEvmNetwork, SECOND_SEED, type EvmNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { isAtStolenSeed, isOfReplacedSeed, isOfStolenSeed } from '../../chain/addresses/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'

/*
 * Money at addresses of a first seed that a second has replaced, on EVM chains (docs/decisions/0210).
 */

/** Recorded balances of one asset, in ledger units. */
export interface LeftAtFirstSeed {
  network: EvmNetwork
  asset: string
  /** at the hot addresses, to be paid to the second seed */
  hot: bigint
  /** at deposit addresses, to be swept */
  deposits: bigint
}

export const leftAtFirstSeed = async (db: Db | Tx): Promise<LeftAtFirstSeed[]> => {
  const { rows } = await sql<LeftAtFirstSeed>`
    select c.network, c.asset, coalesce(sum(c.booked) filter (where k.address is not null), 0) as hot,
      coalesce(sum(c.booked) filter (where k.address is null), 0) as deposits
    from custody_addresses c
    left join house_addresses k on k.family = 'EVM' and k.address = c.address and k.account = 'hot'
      and ${isOfReplacedSeed('EVM', sql`k.derivation_index`)}
    where c.network in ('ETHEREUM', 'BINANCE_SMART_CHAIN') and c.booked > 0 and (k.address is not null
      or exists (select from addresses a where a.family = 'EVM' and a.address = c.address
        and ${isOfReplacedSeed('EVM', sql`a.derivation_index`)}))
    group by c.network, c.asset order by c.network, c.asset`.execute(db)
  return rows
}

/** The recorded balances of hot addresses of a replaced seed on one network, by ticker: no payment spends them. */
export const heldByFirstSeed = async (db: Db | Tx, network: Network): Promise<ReadonlyMap<string, bigint>> => {
  if (!isEvmNetwork(network)) return new Map()
  const { rows } = await sql<{ asset: string; units: bigint }>`
    select c.asset, sum(c.booked) as units from house_addresses k
    join custody_addresses c on c.network = ${network} and c.address = k.address
    where k.family = 'EVM' and k.account = 'hot' and ${isOfReplacedSeed('EVM', sql`k.derivation_index`)}
    group by 1`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

/**
 * Sums the transfers from hot addresses of the first seed to hot addresses of the second in final blocks, by
 * `NETWORK/ASSET`, in ledger units.
 */
export const arrivedAtSecondSeed = async (db: Db | Tx): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<{ asset: string; units: bigint }>`
    select h.network || '/' || h.asset as asset, sum(h.units) as units from house_transfers h
    join house_addresses f on f.family = 'EVM' and f.address = h.from_address and f.account = 'hot' and f.derivation_index < ${SECOND_SEED}
    join house_addresses t on t.family = 'EVM' and t.address = h.to_address and t.account = 'hot' and t.derivation_index >= ${SECOND_SEED}
    join watch_cursors w on w.network = h.network and w.final_height >= h.block_height
    where h.network in ('ETHEREUM', 'BINANCE_SMART_CHAIN') group by 1`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

/** A balance of one asset at one address. */
export interface Place {
  network: Network
  asset: string
  address: string
}

/** Names a balance in the maps of `movedFrom` and `creditedAt`. */
export const placeKey = ({ network, asset, address }: Place): string => `${network}/${asset}/${address}`

/**
 * Sums the transfers in final blocks from each of these deposit addresses to hot addresses of ours, in ledger units:
 * money that no thief has taken on its way. Addresses without any are absent.
 */
export const movedFrom = async (db: Db | Tx, places: readonly Place[]): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<Place & { units: bigint }>`
    select h.network, h.asset, h.from_address as address, sum(h.units) as units
    from (select distinct * from unnest(${places.map((one) => one.network)}::text[], ${places.map((one) => one.asset)}::text[],
      ${places.map((one) => one.address)}::text[]) u(network, asset, address)) p
    join house_transfers h on h.network = p.network and h.asset = p.asset and h.from_address = p.address
    join house_addresses t on t.family = 'EVM' and t.address = h.to_address and t.account = 'hot'
    join watch_cursors w on w.network = h.network and w.final_height >= h.block_height
    group by 1, 2, 3`.execute(db)
  return new Map(rows.map((row) => [placeKey(row), row.units]))
}

/** The sum that addresses of a first seed which another party may have lack, in ledger units. */
export const lackingAtStolenSeed = async (tx: Tx, network: Network, asset: string): Promise<bigint> => {
  if (!isEvmNetwork(network)) return 0n
  const { rows } = await sql<{ units: bigint }>`
    select coalesce(-sum(c.difference), 0) as units from custody_addresses c
    where c.network = ${network} and c.asset = ${asset} and c.difference < 0 and (${isAtStolenSeed(sql`c.address`)}
      or exists (select from house_addresses k where k.family = 'EVM' and k.address = c.address and k.account = 'hot'
        and ${isOfStolenSeed('EVM', sql`k.derivation_index`)}))`.execute(tx)
  return rows[0]!.units
}
