import type { Head } from '@bursar/chainkit'

/** How long a branch that was left is remembered, and a return to it counts. */
const WINDOW_MS = 10 * 60_000
/** One return may be the chain's own doing: a branch that lost and wins after all. */
const MOST_RETURNS = 1

/**
 * Notices a node that shows two branches in turn, as several nodes behind one address do while they disagree. A branch
 * that a chain has left comes back once at most; a chain that is read from two nodes returns with every other answer.
 * The branches may be of different lengths.
 */
export const createBranchWatch = () => {
  let last: Head | undefined
  /** when a block was left with its branch, by its hash */
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
      for (const [one, then] of left) if (then <= since) left.delete(one)
      // The cursor goes back to the block that two branches have in common before it follows the other one.
      if (last && height <= last.height && hash !== last.hash) left.set(last.hash, at)
      if (left.delete(hash)) returns.push(at)
      returns = returns.filter((one) => one > since)
      last = { height, hash }
      return returns.length > MOST_RETURNS ? height : null
    },
  }
}
