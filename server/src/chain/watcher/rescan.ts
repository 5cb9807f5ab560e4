import type { Block, Network } from '@bursar/chainkit'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut, joinEffects } from '../../ledger/effects/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { gather, type ChainSubscriber } from './subscriber.ts'
import { holdCursor, readCursor, rememberedAt, rememberedBelow } from './cursor.ts'
import { createPrefetch } from './prefetch.ts'
import { onBusinessClock } from './steps.ts'
import { endUntracedAlerts } from './untraced.ts'

export interface RescanDeps {
  runtime: Runtime
  network: Network
  adapter: ChainAdapter
  subscribers: readonly ChainSubscriber[]
  /** called after each block */
  onBlock?: (height: number) => void
}

const AHEAD = 4

/**
 * Reads blocks again, from `from` to `to`, while the watcher continues: missed transfers are found, known ones are not
 * changed, and the cursor does not move. Throws a RangeError for blocks that were never read, and `ChainUnavailable`
 * when the node is on another branch than the watcher, or lacks the final block that the watcher has read: hashes of
 * older blocks are not stored, and a node of another chain would return other money in them.
 * When the node could trace all these blocks, the alerts about untraced blocks among them are resolved.
 * @returns how many blocks were read
 */
export const rescan = async (deps: RescanDeps, from: number, to: number): Promise<number> => {
  await requireSameChain(deps)
  const prefetch = createPrefetch(deps.adapter, AHEAD)
  let untraced = 0
  for (let height = from; height <= to; height += 1) {
    prefetch.want(height, to)
    const block = await prefetch.take(height)
    if (!block) throw new ChainUnavailable(`the node of ${deps.network} has no block ${height}`)
    await observeAgain(deps, block)
    if (block.untraced === true) untraced += 1
    deps.onBlock?.(height)
  }
  if (untraced === 0 && (await deps.adapter.capabilities()).traces)
    await endUntracedAlerts(deps.runtime.db, deps.network, from, to, momentOf(deps.runtime).at)
  return Math.max(0, to - from + 1)
}

const requireSameChain = async ({ runtime, network, adapter }: RescanDeps): Promise<void> => {
  const cursor = await readCursor(runtime.db, network)
  if (!cursor) throw new RangeError(`${network} has not been read yet`)
  const [final = cursor] = await rememberedBelow(runtime.db, network, cursor.finalHeight, 1)
  if ((await adapter.hashAt(final.height)) === final.hash) return
  throw new ChainUnavailable(
    `the node of ${network} does not have block ${final.height} as it was read (${final.hash}): it is of another chain, on another branch, or behind`,
  )
}

const observeAgain = async ({ runtime, network, subscribers }: RescanDeps, block: Block): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    // Held until the end: the watcher can't take the block back in between.
    const cursor = await holdCursor(tx, network)
    if (!cursor || block.height > cursor.height) {
      const read = cursor?.height ?? 'nowhere'
      throw new RangeError(`${network} has been read to ${read}: ${block.height} will be read in turn`)
    }
    const ours = await rememberedAt(tx, network, block.height)
    if (ours !== undefined && ours !== block.hash) {
      const text = `the node of ${network} is on another branch at ${block.height}: try again when it is not`
      throw new ChainUnavailable(text)
    }
    const moment = momentOf(runtime)
    const shown = onBusinessClock(block, runtime.clock)
    await carryOut(
      tx,
      joinEffects(await gather(subscribers, (subscriber) => subscriber.block(tx, network, shown, moment))),
      moment,
    )
  })
