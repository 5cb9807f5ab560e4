import type { Block } from '@bursar/chainkit'
import type { ChainAdapter } from '../adapters/chains/port.ts'

/** Fetches blocks ahead of need, at most `ahead` at once, and hands them out in height order. */
export interface Prefetch {
  /** Starts fetching from a height on, up to `to`; what lies below is forgotten. */
  want(from: number, to: number): void
  /** A block that was wanted; null when the chain has become shorter. */
  take(height: number): Promise<Block | null>
  /** Forgets everything: the chain has changed under it. */
  clear(): void
}

export const createPrefetch = (adapter: Pick<ChainAdapter, 'blockAt'>, ahead: number): Prefetch => {
  const blocks = new Map<number, Promise<Block | null>>()
  const fetch = (height: number): Promise<Block | null> => {
    const block = adapter.blockAt(height)
    // Whoever takes it sees the error; until then it must not end the process.
    block.catch(() => {})
    blocks.set(height, block)
    return block
  }
  return {
    want: (from, to) => {
      for (const height of blocks.keys()) if (height < from) blocks.delete(height)
      for (let height = from; height <= Math.min(to, from + ahead - 1); height += 1) {
        if (!blocks.has(height)) void fetch(height)
      }
    },
    take: async (height) => {
      const block = blocks.get(height) ?? fetch(height)
      blocks.delete(height)
      return block
    },
    clear: () => blocks.clear(),
  }
}
