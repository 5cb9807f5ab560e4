import type { Block, Head, Network } from '@bursar/chainkit'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, joinEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { gather, type ChainSubscriber, type PoolChange } from './subscriber.ts'
import { forgetBlocks, moveCursor, rememberBlocks, rememberedAt, type Cursor } from './cursor.ts'
import { stopForBrokenFinality } from './finality.ts'

/** The node's last answer: its newest block, and its newest final block, or null while it knows none. */
export interface NodeView {
  head: Head
  final: Head | null
}

export interface StepDeps {
  runtime: Runtime
  network: Network
  subscribers: readonly ChainSubscriber[]
  ringBlocks: number
  /** Lets a test kill the process at a named point; absent in production. */
  pause?: (name: string) => Promise<void>
}

/** Returns a block with its time on the business clock, which leases and expiries use. */
export const onBusinessClock = (block: Block, clock: Clock): Block => ({
  ...block,
  time: block.time + clock.business() - clock.now(),
})

/** Applies consecutive blocks after the cursor, and settles objects that they make final, in one transaction. */
export const applyBlocks = async (
  { runtime, network, subscribers, ringBlocks, pause }: StepDeps,
  cursor: Cursor,
  blocks: readonly Block[],
  view: NodeView,
): Promise<Cursor> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const last = blocks.at(-1)!
    const finalHeight = await finalOnBranch(tx, network, cursor, blocks, view.final)
    const moved = { ...cursor, height: last.height, hash: last.hash, finalHeight }
    await moveCursor(tx, network, cursor, moved, view.head.height, moment.at)
    await rememberBlocks(tx, network, blocks, ringBlocks)
    const effects: Effects[] = []
    for (const block of blocks) {
      const shown = onBusinessClock(block, runtime.clock)
      effects.push(...(await gather(subscribers, (subscriber) => subscriber.block(tx, network, shown, moment))))
    }
    const heights = { headHeight: last.height, finalHeight }
    effects.push(...(await gather(subscribers, (subscriber) => subscriber.settled(tx, network, heights, moment))))
    await carryOut(tx, joinEffects(effects), moment)
    await pause?.('blocks-not-committed')
    return moved
  })

/** Calls `settled` of subscribers without new blocks, for objects that have become final or have waited too long. */
export const settleAgain = async (
  { runtime, network, subscribers }: StepDeps,
  cursor: Cursor,
  view: NodeView,
): Promise<Cursor> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const finalHeight = await finalOnBranch(tx, network, cursor, [], view.final)
    const settled = { ...cursor, finalHeight }
    await moveCursor(tx, network, cursor, settled, view.head.height, moment.at)
    const heights = { headHeight: cursor.height, finalHeight }
    await carryOut(tx, joinEffects(await gather(subscribers, (l) => l.settled(tx, network, heights, moment))), moment)
    return settled
  })

/**
 * Returns the final height on our branch: never lower than before, and not raised when our branch has another block at
 * the node's final height.
 */
const finalOnBranch = async (
  tx: Tx,
  network: Network,
  cursor: Cursor,
  blocks: readonly Block[],
  final: Head | null,
): Promise<number> => {
  if (final === null || final.height <= cursor.finalHeight || final.height > (blocks.at(-1) ?? cursor).height)
    return cursor.finalHeight
  const applied = blocks.find(({ height }) => height === final.height)
  const ours = applied?.hash ?? (await rememberedAt(tx, network, final.height))
  return ours === undefined || ours === final.hash ? final.height : cursor.finalHeight
}

/**
 * Moves the cursor back to the last block in common with the node's branch; everything above is taken back. If that is
 * below the final block, the network's outgoing payments are stopped too.
 */
export const goBack = async (
  { runtime, network, subscribers }: StepDeps,
  cursor: Cursor,
  fork: Head,
  view: NodeView,
): Promise<Cursor> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    if (cursor.finalHeight > fork.height) await stopForBrokenFinality(tx, network, fork.height, moment)
    const back = { ...cursor, ...fork, finalHeight: Math.min(cursor.finalHeight, fork.height) }
    await moveCursor(tx, network, cursor, back, view.head.height, moment.at)
    await forgetBlocks(tx, network, fork.height + 1)
    const effects = await gather(subscribers, (l) => l.orphaned(tx, network, fork.height + 1, moment))
    await carryOut(tx, joinEffects(effects), moment)
    return back
  })

/** Calls subscribers with a change of the pool. */
export const applyPool = async (
  { runtime, network, subscribers }: StepDeps,
  cursor: Cursor,
  pool: PoolChange,
  headHeight: number,
): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await moveCursor(tx, network, cursor, cursor, headHeight, moment.at)
    await carryOut(tx, joinEffects(await gather(subscribers, (l) => l.mempool(tx, network, pool, moment))), moment)
  })
