import type { Block } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'

/** Fetches blocks ahead, at most `ahead` at once, and returns them in height order. */
export interface Prefetch {
  /** Starts fetching from a height up to `to`, and drops the blocks below. Failed requests are repeated. */
  want(from: number, to: number): void
  /** Returns a block; null when the chain has become shorter. Throws the error of its request. */
  take(height: number): Promise<Block | null>
  /** Drops all blocks, because the chain has changed. */
  clear(): void
}

interface Fetch {
  block: Promise<Block | null>
  /** ended without a block: to be requested again */
  isEmpty: boolean
}

/**
 * Creates a prefetch that adapts to the node's limit. After a refusal it requests half as many blocks at once, and one
 * more after each such number of blocks received. Blocks already received stay in memory.
 */
export const createPrefetch = (adapter: Pick<ChainAdapter, 'blockAt'>, ahead: number): Prefetch => {
  const fetches = new Map<number, Fetch>()
  let atOnce = ahead
  let came = 0
  /** Requests made together fail together, so they count once. */
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
    // `take` throws the error; until then it must not end the process.
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
