import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Part } from './pool.ts'

/** Something that goes from one hot address to another; its transaction has the same id. */
export interface HotMove extends Part {
  from: string
  to: string
}

export const insertHotMove = async (tx: Tx, id: string, network: Network, move: HotMove, at: Date): Promise<void> => {
  await sql`insert into hot_moves(id, network, asset, from_address, to_address, units, created_at)
    values (${id}, ${network}, ${move.ticker}, ${move.from}, ${move.to}, ${move.units}, ${at})`.execute(tx)
}

/** What is on its way out of hot addresses to others and no block shows yet, by `ADDRESS/TICKER`. Ledger units. */
export const movingFrom = async (db: Db | Tx, network: Network): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<{
    sender: string
    asset: string
    units: bigint
  }>`select m.from_address as sender, m.asset, sum(m.units) as units
    from hot_moves m join outgoing o on o.id = m.id
    where m.network = ${network} and o.state in ('planned', 'signed', 'broadcast') group by 1, 2`.execute(db)
  return new Map(rows.map(({ sender, asset, units }) => [`${sender}/${asset}`, units]))
}
