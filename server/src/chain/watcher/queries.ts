import type { Head, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** How far a network has been read, by the process that leads it: for `doctor`, the console and metrics. */
export interface WatchStatus {
  network: Network
  height: number
  headHeight: number
  finalHeight: number
  /** false: the node does not show native coin that contracts send, so only balance comparisons find it */
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

/** Returns the newest height read and the final height; locked, so that no block is read meanwhile. */
export const holdHeights = async (
  tx: Tx,
  network: Network,
): Promise<{ headHeight: number; finalHeight: number } | undefined> => {
  const { rows } = await sql<{
    headHeight: number
    finalHeight: number
  }>`select height as "headHeight", final_height as "finalHeight" from watch_cursors
    where network = ${network} for no key update`.execute(tx)
  return rows[0]
}

/** Returns the newest final height that has been read; undefined before the first. */
export const finalHeightOf = async (db: Db, network: Network): Promise<number | undefined> => {
  const { rows } = await sql<{
    height: number | null
  }>`select final_height as height from watch_cursors where network = ${network}`.execute(db)
  return rows[0]?.height ?? undefined
}

/** Returns the newest height that has been read; undefined before the first. */
export const heightOf = async (db: Db | Tx, network: Network): Promise<number | undefined> => {
  const { rows } = await sql<{ height: number }>`select height from watch_cursors where network = ${network}`.execute(
    db,
  )
  return rows[0]?.height
}

/**
 * Like `heightOf`; in a transaction, no block is read, taken back or becomes final until it ends. Other transactions
 * can hold this lock too.
 */
export const shareHeight = async (db: Db | Tx, network: Network): Promise<number | undefined> => {
  const { rows } = await sql<{
    height: number
  }>`select height from watch_cursors where network = ${network} for share`.execute(db)
  return rows[0]?.height
}

/**
 * Returns the newest block that has been read; undefined before the first, and after lost final blocks until their
 * moves have been read again.
 */
export const newestRead = async (tx: Tx, network: Network): Promise<{ height: number; hash: string } | undefined> => {
  const { rows } = await sql<{
    height: number
    hash: string
  }>`select height, hash from watch_cursors where network = ${network} and height >= moves_since`.execute(tx)
  return rows[0]
}

/** Whether this very block is the newest that has been read. */
export const isNewestRead = async (tx: Tx, network: Network, hash: string): Promise<boolean> => {
  const { rows } = await sql`select from watch_cursors where network = ${network} and hash = ${hash}`.execute(tx)
  return rows.length > 0
}

/** Whether this very block has been read, and the moves of it and of later blocks are in the records of addresses. */
export const hasRead = async (
  tx: Tx,
  network: Network,
  { height, hash }: { height: number; hash: string },
): Promise<boolean> => {
  const { rows } =
    await sql`select from watch_blocks b join watch_cursors c on c.network = b.network and c.height >= b.height and c.moves_since <= b.height
    where b.network = ${network} and b.height = ${height} and b.hash = ${hash}`.execute(tx)
  return rows.length === 1
}

/**
 * Whether our watcher has read every block up to a final one that was made after a given time. In a transaction, the
 * cursor is locked until it ends. False also when the final block is too old to be remembered.
 * @param time ms since the epoch, by the chain's clock
 */
export const isFinalPast = async (db: Db | Tx, network: Network, time: number): Promise<boolean> => {
  const { rows } =
    await sql`select from watch_cursors c join watch_blocks b on b.network = c.network and b.height = c.final_height
    where c.network = ${network} and b.time > ${new Date(time)} for share of c`.execute(db)
  return rows.length > 0
}

/** The newest final block of a network, while it is remembered. */
export const newestFinal = async (db: Db | Tx, network: Network): Promise<Head | undefined> => {
  const { rows } = await sql<Head>`select b.height, b.hash from watch_cursors c
    join watch_blocks b on b.network = c.network and b.height = c.final_height where c.network = ${network}`.execute(db)
  return rows[0]
}

/** Whether this very block has been read and is remembered. */
export const isRemembered = async (tx: Tx, network: Network, { height, hash }: Head): Promise<boolean> => {
  const { rows } =
    await sql`select from watch_blocks where network = ${network} and height = ${height} and hash = ${hash}`.execute(tx)
  return rows.length > 0
}
