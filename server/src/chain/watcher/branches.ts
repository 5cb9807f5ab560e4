import type { Head } from '@bursar/chainkit'

/** What is remembered of branches, and how long a return to one counts. */
const WINDOW_MS = 10 * 60_000
/** One return may be the chain's own doing: a branch that lost and wins after all. */
const MOST_RETURNS = 1
/** Heights whose blocks are remembered: more than nodes of one chain lie apart. */
const MOST_HEIGHTS = 200

/**
 * Notices a node that shows two branches in turn, as several nodes behind one address do while they disagree. A branch
 * that a chain has left comes back once at most; a chain that is read from two nodes returns with every other answer.
 */
export const createBranchWatch = () => {
  const shown = new Map<number, Head>()
  /** when a block was left for another one of its height, by its hash */
  const left = new Map<string, number>()
  let returns: number[] = []
  return {
    /**
     * @param cursor the block that the chain has been read to
     * @param at ms
     * @returns the height of the branches that the node shows in turn; null while it shows one
     */
    note: ({ height, hash }: Head, at: number): number | null => {
      const since = at - WINDOW_MS
      const before = shown.get(height)
      if (before && before.hash !== hash) {
        left.set(before.hash, at)
        if ((left.get(hash) ?? 0) > since) returns.push(at)
      }
      shown.set(height, { height, hash })
      returns = returns.filter((one) => one > since)
      for (const [one, then] of left) if (then <= since) left.delete(one)
      for (const one of shown.keys()) if (one < height - MOST_HEIGHTS) shown.delete(one)
      return returns.length > MOST_RETURNS ? height : null
    },
  }
}
