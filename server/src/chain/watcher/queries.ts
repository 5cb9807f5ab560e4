import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** How far a network has been read, by whichever process leads it: for `doctor`, the console and metrics. */
export interface WatchStatus {
  network: Network
  height: number
  headHeight: number
  finalHeight: number
  /** false: the node does not show what contracts send, so native coin from them is found by balance checks only */
  traces: boolean
  /** raised each time another process takes the lead */
  epoch: number
  /** business clock */
  updatedAt: Date
}

export const watchStatus = async (db: Db): Promise<WatchStatus[]> => {
  const { rows } = await sql<WatchStatus>`
    select network, height, head_height as "headHeight", final_height as "finalHeight", traces, epoch,
      updated_at as "updatedAt" from watch_cursors order by network`.execute(db)
  return rows
}
