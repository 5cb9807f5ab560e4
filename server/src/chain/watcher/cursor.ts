import type { Block, Head, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** The block up to which a network has been read, and the epoch of its leader. */
export interface Cursor extends Head {
  epoch: number
  finalHeight: number
}

/** Thrown when another process leads this network now: the write in progress must not be made. */
export class LeadershipLost extends Error {
  override name = 'LeadershipLost'
}

const CURSOR = sql.raw('height, hash, epoch, final_height as "finalHeight"')

export const readCursor = async (db: Db | Tx, network: Network): Promise<Cursor | undefined> => {
  const { rows } = await sql<Cursor>`select ${CURSOR} from watch_cursors where network = ${network}`.execute(db)
  return rows[0]
}

/** Starts a new epoch: from here on no earlier leader can write. Undefined while the network has no cursor. */
export const beginEpoch = async (db: Db, network: Network, traces: boolean): Promise<Cursor | undefined> => {
  const { rows } = await sql<Cursor>`update watch_cursors set epoch = epoch + 1, traces = ${traces}
    where network = ${network} returning ${CURSOR}`.execute(db)
  return rows[0]
}

/** Sets a network's first cursor, at a final block. Throws `LeadershipLost` when another process was faster. */
export const createCursor = async (
  db: Db,
  network: Network,
  start: { at: Head; head: Head; traces: boolean },
  at: Date,
): Promise<Cursor> => {
  const { height, hash } = start.at
  const { rows } = await sql<Cursor>`
    with ring as (
      insert into watch_blocks(network, height, hash, parent) values (${network}, ${height}, ${hash}, '')
      on conflict do nothing)
    insert into watch_cursors(network, height, hash, epoch, head_height, final_height, traces, updated_at)
    values (${network}, ${height}, ${hash}, 1, ${start.head.height}, ${height}, ${start.traces}, ${at})
    on conflict do nothing returning ${CURSOR}`.execute(db)
  if (!rows[0]) throw new LeadershipLost(`${network} was started by another process`)
  return rows[0]
}

/**
 * Moves the cursor from its present block, if this leader still leads and nothing else has moved it. Call it first in a
 * transaction: it locks the row, so that a new leader's epoch waits for this transaction or makes it fail.
 */
export const moveCursor = async (
  tx: Tx,
  network: Network,
  from: Cursor,
  to: Head & { finalHeight: number },
  headHeight: number,
  at: Date,
): Promise<void> => {
  const { rows } = await sql`update watch_cursors
    set height = ${to.height}, hash = ${to.hash}, final_height = ${to.finalHeight}, head_height = ${headHeight},
      updated_at = ${at}
    where network = ${network} and hash = ${from.hash} and epoch = ${from.epoch} returning 1`.execute(tx)
  if (rows.length === 0) throw new LeadershipLost(`${network} is led by another process since epoch ${from.epoch}`)
}

/**
 * Suspends the comparison of address records until the network has been read up to the present block again. Final
 * payments and platform money of the lost blocks stay posted, while the chain does not show them yet.
 */
export const distrustRecords = async (tx: Tx, network: Network): Promise<void> => {
  await sql`update watch_cursors set moves_since = greatest(moves_since, height) where network = ${network}`.execute(tx)
}

/** Stores blocks, and deletes those more than `keep` below the newest. */
export const rememberBlocks = async (
  tx: Tx,
  network: Network,
  blocks: readonly Pick<Block, 'height' | 'hash' | 'parent' | 'time'>[],
  keep: number,
): Promise<void> => {
  await sql`insert into watch_blocks(network, height, hash, parent, time)
    select ${network}, * from unnest(${blocks.map((b) => b.height)}::bigint[], ${blocks.map((b) => b.hash)}::text[],
      ${blocks.map((b) => b.parent)}::text[], ${blocks.map((b) => new Date(b.time))}::timestamptz[])`.execute(tx)
  const oldest = blocks.at(-1)!.height - keep
  await sql`delete from watch_blocks where network = ${network} and height < ${oldest}`.execute(tx)
}

/** Stores this block and deletes all others, as for a first cursor. */
export const rememberOnly = async (tx: Tx, network: Network, { height, hash }: Head): Promise<void> => {
  await forgetBlocks(tx, network, 0)
  await sql`insert into watch_blocks(network, height, hash, parent) values (${network}, ${height}, ${hash}, '')`.execute(
    tx,
  )
}

export const forgetBlocks = async (tx: Tx, network: Network, fromHeight: number): Promise<void> => {
  await sql`delete from watch_blocks where network = ${network} and height >= ${fromHeight}`.execute(tx)
}

/** Hashes of remembered blocks from a height down, highest first, at most `most`. */
export const rememberedBelow = async (db: Db | Tx, network: Network, height: number, most: number): Promise<Head[]> => {
  const { rows } = await sql<Head>`select height, hash from watch_blocks
    where network = ${network} and height <= ${height} order by height desc limit ${most}`.execute(db)
  return rows
}

/** The remembered hash at a height; undefined when it is too long ago, or not read yet. */
export const rememberedAt = async (db: Db | Tx, network: Network, height: number): Promise<string | undefined> => {
  const [head] = await rememberedBelow(db, network, height, 1)
  return head?.height === height ? head.hash : undefined
}

/**
 * Locks the cursor until the transaction ends, so that no block is read, or read again, meanwhile. Returns the cursor.
 */
export const holdCursor = async (tx: Tx, network: Network): Promise<Cursor | undefined> => {
  const { rows } = await sql<Cursor>`select ${CURSOR} from watch_cursors
    where network = ${network} for no key update`.execute(tx)
  return rows[0]
}
