/** The blocks that the watcher has read: of a chain that a test has, or empty ones where only the heights matter. */
import type { Network } from '@bursar/chainkit'
import { createCursor, readCursor } from '../../server/src/chain/watcher/cursor.ts'
import {
  beginFollowing,
  DEFAULT_WATCHER_SETTINGS,
  type ChainSubscriber,
  type Follower,
  type WatcherSettings,
} from '../../server/src/chain/watcher/index.ts'
import type { ChainAdapter } from '../../server/src/adapters/chains/port.ts'
import { applyBlocks, settleAgain } from '../../server/src/chain/watcher/steps.ts'
import type { Db } from '../../server/src/platform/db/index.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'

/** The requests of the watcher to a node. */
export type ReadChain = Pick<
  ChainAdapter,
  'network' | 'capabilities' | 'head' | 'finalized' | 'blockAt' | 'hashAt' | 'mempool'
>

/** Begins to follow a chain, or goes on after a restart. @param settings where they differ from the usual ones */
export const follow = (
  runtime: Runtime,
  adapter: ReadChain,
  subscribers: readonly ChainSubscriber[],
  settings: Partial<WatcherSettings> = {},
): Promise<Follower> => {
  const { network } = adapter
  const all = { ...DEFAULT_WATCHER_SETTINGS[network], network, identity: '', ahead: 2, ...settings }
  return beginFollowing({
    runtime,
    network,
    adapter: adapter as ChainAdapter,
    subscribers,
    ringBlocks: all.ringBlocks,
    settings: all,
  })
}

/** Steps until two in a row leave nothing to do. */
export const readAll = async (follower: Pick<Follower, 'step'>): Promise<void> => {
  for (let quiet = 0; quiet < 2;) quiet = (await follower.step()).more ? 0 : quiet + 1
}

const MOST_STEPS = 500
const RING_BLOCKS = 10_000

/**
 * Steps until the cursor stands at the head, and once more, for changes that are noticed only there.
 * @param head the hash of the chain's head now
 */
export const readToHead = async (
  db: Db,
  network: Network,
  follower: Pick<Follower, 'step'>,
  head: () => string | Promise<string>,
): Promise<void> => {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await follower.step()
    if ((await readCursor(db, network))?.hash === (await head())) return void (await follower.step())
  }
  throw new Error('the watcher does not arrive')
}

export interface ReadSoFar {
  /** the newest block that was read */
  height: number
  /** the newest final block; `height` when absent. It never goes back */
  final?: number
  /** the node's newest block; `height` when absent */
  head?: number
  /** whether the node shows calls inside contracts; it does when absent */
  traces?: boolean
  /** ms, of the blocks that are read now; the clock when absent. A network's first block has no time */
  time?: number
  /** the prefix of the hashes of these blocks, before their heights; `a` when absent, as `blockOf` in deposits.ts */
  branch?: string
}

/**
 * Lets the watcher have read a network's blocks, which have no transactions: it begins at the first final block, and
 * reads on each time. No subscriber is called.
 */
export const readEmptyBlocks = async (
  runtime: Runtime,
  network: Network,
  { height, final = height, head = height, traces = true, time = runtime.clock.now(), branch = 'a' }: ReadSoFar,
): Promise<void> => {
  const named = (at: number) => ({ height: at, hash: `${branch}${at}` })
  const view = { head: named(head), final: named(final) }
  const cursor =
    (await readCursor(runtime.db, network)) ??
    (await createCursor(
      runtime.db,
      network,
      { at: view.final, head: view.head, traces },
      new Date(runtime.clock.now()),
    ))
  const deps = { runtime, network, subscribers: [], ringBlocks: RING_BLOCKS }
  const blocks = Array.from({ length: height - cursor.height }, (_, i) => {
    const at = named(cursor.height + 1 + i)
    return { ...at, parent: i === 0 ? cursor.hash : named(at.height - 1).hash, time, transactions: [] }
  })
  await (blocks.length > 0 ? applyBlocks(deps, cursor, blocks, view) : settleAgain(deps, cursor, view))
}
