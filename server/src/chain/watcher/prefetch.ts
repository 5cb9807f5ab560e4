import type { Block } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'

/** Fetches blocks ahead of need, at most `ahead` at once, and hands them out in height order. */
export interface Prefetch {
  /**
   * Starts fetching from a height on, up to `to`; what lies below is forgotten. What failed before is asked for again.
   */
  want(from: number, to: number): void
  /** A block that was wanted; null when the chain has become shorter. Throws what its fetching threw. */
  take(height: number): Promise<Block | null>
  /** Forgets everything: the chain has changed under it. */
  clear(): void
}

interface Fetch {
  block: Promise<Block | null>
  /** ended without a block: it is worth asking again */
  isEmpty: boolean
}

/**
 * A node that refuses is asked for half as many blocks at once, and for one more after each such number of blocks that
 * came: a provider's limit is found, and the blocks that it did give are kept.
 */
export const createPrefetch = (adapter: Pick<ChainAdapter, 'blockAt'>, ahead: number): Prefetch => {
  const fetches = new Map<number, Fetch>()
  let atOnce = ahead
  let came = 0
  /** Those that were asked for together fail together: they count once. */
  let hasHalved = false

  const succeed = (): void => {
    came += 1
    if (came < atOnce) return
    atOnce = Math.min(ahead, atOnce + 1)
    came = 0
  }
  const fail = (): void => {
    if (!hasHalved) atOnce = Math.max(1, Math.floor(atOnce / 2))
    hasHalved = true
    came = 0
  }
  const fetch = (height: number): Fetch => {
    const started: Fetch = { block: adapter.blockAt(height), isEmpty: false }
    // The taker sees the error; until then it must not end the process.
    started.block.then(
      (block) => {
        started.isEmpty = block === null
        succeed()
      },
      () => {
        started.isEmpty = true
        fail()
      },
    )
    fetches.set(height, started)
    return started
  }
  return {
    want: (from, to) => {
      hasHalved = false
      for (const [height, { isEmpty }] of fetches) if (height < from || isEmpty) fetches.delete(height)
      for (let height = from; height <= Math.min(to, from + atOnce - 1); height += 1) {
        if (!fetches.has(height)) fetch(height)
      }
    },
    take: async (height) => {
      const { block } = fetches.get(height) ?? fetch(height)
      fetches.delete(height)
      return block
    },
    clear: () => fetches.clear(),
  }
}
