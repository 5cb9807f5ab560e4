import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'
import type { Sweep } from './sweep.ts'

/** Whether a transaction for sweeps that carries none, the deployment of their contracts, is on its way. */
export const isDeploying = async (db: Db | Tx, network: Network): Promise<boolean> => {
  const { rows } = await sql`select from outgoing o where o.network = ${network} and o.purpose = 'sweep' and o.state in ('planned', 'signed', 'broadcast')
    and not exists (select from sweeps s where s.outgoing_id = o.id) limit 1`.execute(db)
  return rows.length > 0
}

/** The newest final block that the books have read; undefined before the first. */
export const finalHeightOf = async (db: Db, network: Network): Promise<number | undefined> => {
  const { rows } = await sql<{ height: number | null }>`select final_height as height from watch_cursors where network = ${network}`.execute(db)
  return rows[0]?.height ?? undefined
}

/** Which of these sweeps a mined transaction really moved something for. */
export const movedAmong = async (tx: Tx, network: Network, hash: string, sweeps: readonly Sweep[]): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ id: string }>`select s.id from sweeps s where s.id = any(${sweeps.map(({ id }) => id)}::uuid[])
    and exists (select from house_transfers h where h.network = ${network} and h.transaction = ${hash} and h.asset = s.asset and h.from_address = s.address)`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}
