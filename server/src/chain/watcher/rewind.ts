import type { Head, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { carryOut, joinEffects } from '../../ledger/effects/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { gather, type ChainSubscriber } from './subscriber.ts'
import { beginEpoch, moveCursor, readCursor, rememberOnly, type Cursor } from './cursor.ts'
import { stopForBrokenFinality } from './finality.ts'

export interface RewindDeps {
  runtime: Runtime
  network: Network
  adapter: Pick<ChainAdapter, 'hashAt' | 'head' | 'identity' | 'capabilities'>
  subscribers: readonly ChainSubscriber[]
}

/** The changes that a rewind to a block takes back, until the later blocks are read again. */
export interface Rewind {
  cursor: Cursor
  to: Head
  /** deposits in blocks above it, by asset: how many, and ledger units that were credited, held or in suspense */
  deposits: { asset: string; count: number; booked: bigint }[]
  /** transactions of ours in blocks above it */
  outgoing: number
}

/** Most stored blocks that are compared with the node to find one in common. */
const MOST_ASKED = 200

/**
 * Returns the newest block with a deposit or a transaction of ours that is also on the node's chain; up to there, both
 * chains agree. Undefined when the node has none of the newest such blocks.
 */
export const newestInCommon = async (
  db: Db,
  adapter: RewindDeps['adapter'],
  network: Network,
): Promise<Head | undefined> => {
  const { rows } = await sql<Head>`select distinct height, hash from (
      (select block_height as height, block_hash as hash from deposits where network = ${network} and block_height is not null and block_hash is not null and not internal
        order by block_height desc limit ${MOST_ASKED})
      union (select mined_height, mined_block from outgoing where network = ${network} and mined_height is not null and mined_block is not null
        order by mined_height desc limit ${MOST_ASKED})
      union (select height, hash from watch_blocks where network = ${network})) x
    order by height desc limit ${MOST_ASKED}`.execute(db)
  for (const stored of rows) if ((await adapter.hashAt(stored.height)) === stored.hash) return stored
  return undefined
}

/**
 * Returns the effects that a rewind to the node's block at a height would reverse. Throws a RangeError for a height
 * that is not below the cursor, and `ChainUnavailable` when the node has no such block.
 */
export const planRewind = async (
  { runtime: { db }, network, adapter }: RewindDeps,
  height: number,
): Promise<Rewind> => {
  const cursor = await readCursor(db, network)
  if (!cursor) throw new RangeError(`${network} has not been read yet`)
  if (height >= cursor.height)
    throw new RangeError(
      `${network} has been read to ${cursor.height}, and a rewind goes to a block below it. No rewind is needed if the node has block ${cursor.height}`,
    )
  const hash = await adapter.hashAt(height)
  if (hash === null) throw new ChainUnavailable(`the node of ${network} has no block ${height}`)
  const deposits = await sql<Rewind['deposits'][number]>`select asset, count(*) as count,
      coalesce(sum(units) filter (where state in ('credited', 'held', 'suspended')), 0) as booked
    from deposits where network = ${network} and block_height > ${height} and index not like 's:%' group by asset order by asset`.execute(
    db,
  )
  const outgoing = await sql<{
    count: number
  }>`select count(*) as count from outgoing where network = ${network} and mined_height > ${height}`.execute(db)
  return { cursor, to: { height, hash }, deposits: deposits.rows, outgoing: outgoing.rows[0]!.count }
}

/**
 * Sets a network's cursor back to a block of the node's chain. The effects of later blocks are taken back as in a
 * reorganisation, and are made again when the watcher reads on from there. No notification is sent twice. The present
 * leader can write no more. If the block is below the final one, the network's outgoing payments are stopped.
 */
export const rewind = async ({ runtime, network, adapter, subscribers }: RewindDeps, to: Head): Promise<void> => {
  const { traces } = await adapter.capabilities()
  const [cursor, head] = [await beginEpoch(runtime.db, network, traces), await adapter.head()]
  if (!cursor || to.height >= cursor.height) throw new RangeError(`${network} is not read beyond ${to.height}`)
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    if (cursor.finalHeight > to.height) await stopForBrokenFinality(tx, network, to.height, moment)
    await moveCursor(
      tx,
      network,
      cursor,
      { ...to, finalHeight: Math.min(cursor.finalHeight, to.height) },
      head.height,
      moment.at,
    )
    await rememberOnly(tx, network, to)
    await carryOut(
      tx,
      joinEffects(await gather(subscribers, (subscriber) => subscriber.orphaned(tx, network, to.height + 1, moment))),
      moment,
    )
  })
}
