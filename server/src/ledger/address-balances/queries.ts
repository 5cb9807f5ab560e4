import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { CustodyMove } from './move.ts'

/** What all addresses of a network should hold together, by asset: ledger units. */
export const recordedTotals = async (db: Db | Tx, network: Network): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{ asset: string; units: bigint }>`
    select asset, sum(booked) as units from custody_totals where network = ${network} group by asset`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

/** What addresses should have held at a block below the newest one read, in the order asked. */
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

/** Which of these addresses is recorded to hold most of an asset, and how much; undefined when none has a record. */
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
 * What the books say addresses held at a block that has been read, and whose moves and later ones are recorded, in the
 * order asked: without what stands in suspense because nothing explains it.
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
