import type { Block, Head, Network } from '@bursar/chainkit'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, joinEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { gather } from './carrying.ts'
import { forgetBlocks, moveCursor, rememberBlocks, rememberedAt, type Cursor } from './cursor.ts'
import { stopForBrokenFinality } from './finality.ts'
import type { ChainSubscriber, PoolChange } from './subscriber.ts'

/** What the node said last: its newest block, and the newest it holds to be final; null while it knows none. */
export interface NodeView {
  head: Head
  final: Head | null
}

export interface StepDeps {
  runtime: Runtime
  network: Network
  subscribers: readonly ChainSubscriber[]
  ringBlocks: number
}

/** A block with its time on the clock that leases and expiries run on. */
export const onBusinessClock = (block: Block, clock: Clock): Block => ({
  ...block,
  time: block.time + clock.business() - clock.now(),
})

/** Applies consecutive blocks that follow the cursor, and settles what they make deep enough, in one transaction. */
export const applyBlocks = async (
  { runtime, network, subscribers, ringBlocks }: StepDeps,
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
    return moved
  })

/** Without new blocks: what has become final, or has waited too long. */
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
 * The final height as far as it concerns the branch we stand on: never lower than before, and only when the node's
 * final block is on it.
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
 * Goes back to where the node's branch left ours: everything above is lost. Below what was final, the network's money
 * out is stopped too.
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

/** Tells listeners of a change in the pool. */
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
