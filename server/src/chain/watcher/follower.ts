import type { Block } from '@bursar/chainkit'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { beginEpoch, createCursor, rememberedAt, type Cursor } from './cursor.ts'
import { findFork } from './fork.ts'
import { createPool } from './pool.ts'
import { createPrefetch } from './prefetch.ts'
import type { WatcherSettings } from './settings.ts'
import { applyBlocks, goBack, settleAgain, type NodeView, type StepDeps } from './steps.ts'

export interface FollowerDeps extends StepDeps {
  adapter: ChainAdapter
  settings: WatcherSettings
}

/** The result of one step. */
export interface Step {
  cursor: Cursor
  head: number
  /** blocks applied */
  applied: number
  /** true when another step can be taken at once */
  more: boolean
  /** why the node reports no final block; null when it reports one */
  finalUnknown: string | null
}

/**
 * Follows one chain as the leader of one epoch, one step at a time. After `LeadershipLost` or `ForkTooDeep`, call no
 * further step; after any other error, a step may be tried again.
 */
export interface Follower {
  step(): Promise<Step>
}

/** How often waiting deposits and transactions are checked while no block arrives, in ms of real time. */
const SETTLE_EVERY_MS = 30_000

/** Begins an epoch and follows the chain from its cursor. Throws `ChainUnavailable` or `LeadershipLost`. */
export const beginFollowing = async (deps: FollowerDeps): Promise<Follower> => {
  const { runtime, network, adapter, settings } = deps
  const capabilities = await adapter.capabilities()
  const { traces } = capabilities
  let cursor = (await beginEpoch(runtime.db, network, traces)) ?? (await firstCursor(deps, traces))
  const prefetch = createPrefetch(adapter, settings.ahead)
  const pool = createPool(deps)
  let settledAt = runtime.clock.now()

  const extend = async (view: NodeView): Promise<number> => {
    prefetch.want(cursor.height + 1, view.head.height)
    const blocks = await nextBlocks(deps, cursor, view, prefetch.take)
    if (blocks.length === 0) return 0
    prefetch.want(blocks.at(-1)!.height + 1, view.head.height)
    await deps.pause?.('blocks-read')
    cursor = await applyBlocks(deps, cursor, blocks, await clipFinal(adapter, blocks, view))
    await deps.pause?.('blocks-applied')
    settledAt = runtime.clock.now()
    pool.changed()
    return blocks.length
  }

  const turnBack = async (view: NodeView): Promise<boolean> => {
    prefetch.clear()
    const fork = await findFork(runtime.db, adapter, network, Math.min(cursor.height, view.head.height))
    if (!fork || fork.hash === cursor.hash) return false
    cursor = await goBack(deps, cursor, fork, view)
    pool.changed()
    return true
  }

  const move = async (view: NodeView): Promise<number | 'back'> => {
    if (await hasForked(deps, cursor, view)) return (await turnBack(view)) ? 'back' : 0
    if (view.head.height > cursor.height) {
      const applied = await extend(view)
      return applied === 0 && (await turnBack(view)) ? 'back' : applied
    }
    if ((view.final?.height ?? 0) > cursor.finalHeight || runtime.clock.now() - settledAt >= SETTLE_EVERY_MS) {
      cursor = await settleAgain(deps, cursor, view)
      settledAt = runtime.clock.now()
    }
    return 0
  }

  return {
    step: async () => {
      const view = await look(adapter)
      const moved = await move(view)
      const waiting =
        capabilities.mempool && cursor.hash === view.head.hash && (await pool.poll(cursor, view.head.height))
      const applied = moved === 'back' ? 0 : moved
      const more = waiting || (moved !== 0 && cursor.height < view.head.height)
      return { cursor, head: view.head.height, applied, more, finalUnknown: view.finalUnknown }
    },
  }
}

/**
 * Reads the node's head and final block. A node may know its head but no final block: after a restart, until its
 * consensus client responds, or when a provider rejects that request. Its head is followed anyway, and the final height
 * stays unchanged.
 */
const look = async (adapter: ChainAdapter): Promise<NodeView & { finalUnknown: string | null }> => {
  const [head, final] = await Promise.all([adapter.head(), adapter.finalized().catch(reasonIfUnavailable)])
  return typeof final === 'string' ? { head, final: null, finalUnknown: final } : { head, final, finalUnknown: null }
}

const reasonIfUnavailable = (error: unknown): string => {
  if (error instanceof ChainUnavailable) return error.message
  throw error
}

/** Creates the first cursor at a final block, so that our branch and the node's always have a block in common. */
const firstCursor = async ({ runtime, network, adapter, settings }: FollowerDeps, traces: boolean): Promise<Cursor> => {
  const { head, final, finalUnknown } = await look(adapter)
  if (final === null) throw new ChainUnavailable(`${network} is followed from a final block on: ${finalUnknown}`)
  const wanted = settings.startHeight === null ? final.height : settings.startHeight - 1
  const below = Math.min(final.height, Math.max(0, wanted))
  const hash = below === final.height ? final.hash : await adapter.hashAt(below)
  if (hash === null) throw new ChainUnavailable(`the node of ${network} no longer has block ${below}`)
  return createCursor(runtime.db, network, { at: { height: below, hash }, head, traces }, momentOf(runtime).at)
}

/**
 * Whether the node is on another branch. A head at or below our height means another branch when its hash differs from
 * our block's at that height; when the hash is the same, the node lags.
 */
const hasForked = async ({ runtime, network }: FollowerDeps, cursor: Cursor, { head }: NodeView): Promise<boolean> => {
  if (head.height > cursor.height || head.hash === cursor.hash) return false
  const ours = await rememberedAt(runtime.db, network, head.height)
  return ours !== undefined && ours !== head.hash
}

/**
 * The next blocks to apply, each the child of the previous one; empty when the first is not a child of the cursor's
 * block. The list ends before a block that the node fails to deliver. Only a failure of the first block is thrown: the
 * next step asks for any other block again.
 */
const nextBlocks = async (
  { settings }: FollowerDeps,
  cursor: Cursor,
  { head }: NodeView,
  take: (height: number) => Promise<Block | null>,
): Promise<Block[]> => {
  const blocks: Block[] = []
  let parent = cursor.hash
  let transfers = 0
  for (let height = cursor.height + 1; height <= head.height && blocks.length < settings.mostBlocks; height += 1) {
    const block = blocks.length === 0 ? await take(height) : await take(height).catch(nullIfUnavailable)
    if (block === null || block.parent !== parent) break
    blocks.push(block)
    parent = block.hash
    transfers += block.transactions.reduce((sum, transaction) => sum + transaction.transfers.length, 0)
    if (transfers >= settings.mostTransfers) break
  }
  return blocks
}

const nullIfUnavailable = (error: unknown): null => {
  if (error instanceof ChainUnavailable) return null
  throw error
}

/**
 * The node's view with its final height lowered to the last of these blocks. While we catch up, the node's final block
 * is above the blocks we apply, so all of them are final, provided that the last one is still on the node's chain;
 * prefetched blocks may not be.
 */
const clipFinal = async (adapter: ChainAdapter, blocks: readonly Block[], view: NodeView): Promise<NodeView> => {
  const last = blocks.at(-1)!
  if (view.final === null || view.final.height <= last.height) return view
  const onChain = (await adapter.hashAt(last.height)) === last.hash
  return onChain ? { ...view, final: { height: last.height, hash: last.hash } } : view
}
