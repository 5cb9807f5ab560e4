import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { CustodyMove } from './move.ts'

/** Sums the recorded balances of a network by asset, in ledger units. */
export const recordedTotals = async (db: Db | Tx, network: Network): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{ asset: string; units: bigint }>`
    select asset, sum(booked) as units from custody_totals where network = ${network} group by asset`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

/** Returns the recorded balances of addresses as of a block below the newest one read, in the order asked. */
export const bookedAt = async (
  db: Db | Tx,
  network: Network,
  asked: readonly Pick<CustodyMove, 'asset' | 'address'>[],
  height: number,
): Promise<bigint[]> => {
  const { rows } = await sql<{ units: bigint }>`
    select coalesce(c.booked, 0) - coalesce((select sum(r.units) from custody_recent r
      where r.network = ${network} and r.height > ${height} and r.asset = u.asset and r.address = u.address), 0) as units
    from unnest(${asked.map((a) => a.asset)}::text[], ${asked.map((a) => a.address)}::text[]) with ordinality u(asset, address, n)
    left join custody_addresses c on c.network = ${network} and c.asset = u.asset and c.address = u.address order by u.n`.execute(
    db,
  )
  return rows.map(({ units }) => units)
}

/**
 * Returns every recorded balance that an address had at a block of this range, or right before it.
 * @param blocks both included; moves of older blocks than the stored ones are not known
 */
export const bookedWithin = async (
  db: Db | Tx,
  network: Network,
  { asset, address }: Pick<CustodyMove, 'asset' | 'address'>,
  blocks: { from: number; to: number },
): Promise<bigint[]> => {
  const { rows } = await sql<{ units: bigint }>`with recent as (
      select height, units from custody_recent where network = ${network} and asset = ${asset} and address = ${address}
        and height > ${blocks.from})
    select c.booked - coalesce((select sum(r.units) from recent r where r.height > h.height), 0) as units
    from (select height from recent union select height - 1 from recent) h
    join custody_addresses c on c.network = ${network} and c.asset = ${asset} and c.address = ${address}
    where h.height <= ${blocks.to}`.execute(db)
  return rows.map(({ units }) => units)
}

/** Returns the largest recorded balance of an asset and its address; undefined when none has a record. */
export const richestOf = async (
  db: Db | Tx,
  network: Network,
  asset: string,
  addresses: readonly string[],
): Promise<{ address: string; units: bigint } | undefined> => {
  const { rows } = await sql<{ address: string; units: bigint }>`select address, booked as units from custody_addresses
    where network = ${network} and asset = ${asset} and address = any(${[...addresses]}::text[])
    order by booked desc limit 1`.execute(db)
  return rows[0]
}

/**
 * Returns the recorded balances of addresses as of a block that has been read, without the unexplained amounts in
 * suspense, in the order asked. The moves of that block and of later ones must be recorded.
 */
export const explainedAt = async (
  tx: Tx,
  network: Network,
  asked: readonly Pick<CustodyMove, 'asset' | 'address'>[],
  height: number,
): Promise<bigint[]> => {
  const booked = await bookedAt(tx, network, asked, height)
  const { rows } = await sql<{ units: bigint }>`select coalesce(c.suspended, 0) as units
    from unnest(${asked.map((a) => a.asset)}::text[], ${asked.map((a) => a.address)}::text[]) with ordinality u(asset, address, n)
    left join custody_addresses c on c.network = ${network} and c.asset = u.asset and c.address = u.address order by u.n`.execute(
    tx,
  )
  return booked.map((units, i) => units - rows[i]!.units)
}
