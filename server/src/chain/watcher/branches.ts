import type { Head } from '@bursar/chainkit'

/** How long a branch that the cursor left is remembered; a return to it within that time counts. */
const WINDOW_MS = 10 * 60_000
/** One return may be a normal reorganisation: a branch that lost and then wins after all. */
const MOST_RETURNS = 1

/**
 * Detects a node that returns two branches in turn, as several nodes behind one address do while they disagree. On one
 * node, a branch that was left comes back once at most; with two nodes it returns with every other answer. The branches
 * may differ in length.
 */
export const createBranchWatch = () => {
  let last: Head | undefined
  /** when the cursor left a block, by its hash */
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
      // Before it follows the other branch, the cursor goes back to the block that both have in common.
      if (last && height <= last.height && hash !== last.hash) left.set(last.hash, at)
      if (left.delete(hash)) returns.push(at)
      returns = returns.filter((one) => one > since)
      last = { height, hash }
      return returns.length > MOST_RETURNS ? height : null
    },
  }
}
