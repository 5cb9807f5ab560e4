import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/**
 * Whether our own watcher has read every block up to a final one that was made after a moment. In a transaction the
 * cursor stays where it is until the end. False also when the final block is too old to be remembered.
 * @param time ms since the epoch, by the chain's clock
 */
export const isFinalPast = async (db: Db | Tx, network: Network, time: number): Promise<boolean> => {
  const { rows } =
    await sql`select from watch_cursors c join watch_blocks b on b.network = c.network and b.height = c.final_height
    where c.network = ${network} and b.time > ${new Date(time)} for share of c`.execute(db)
  return rows.length > 0
}
