/**
 * A node that has not heard of the newest blocks yet: it answers as it did before they came, and keeps them for later.
 */
import type { SignedTransaction } from '../codec/transaction.ts'
import type { Pushed } from './branch.ts'
import type { Chain } from './chain.ts'
import { TransactionRefusal } from './refusal.ts'

export interface Lag {
  /** number of blocks that the node does not know */
  readonly blocks: () => number
  /**
   * The node knows all but the newest blocks from now on. Their transactions wait, as a node hears of a transaction
   * before its block; a transaction that is not valid on the older state waits out of sight until the blocks are back.
   */
  readonly set: (blocks: number) => Promise<void>
}

export const openLag = ({ branch, pool }: Chain): Lag => {
  /** The newest block is the first. */
  const missing: Pushed[] = []
  let unseen: readonly SignedTransaction[] = []
  return {
    blocks: () => missing.length,
    set: async (blocks) => {
      if (blocks === missing.length) return
      const waiting = [...unseen, ...pool.list()]
      while (missing.length > blocks) {
        const { block, changes } = missing.pop() as Pushed
        branch.push(block, changes)
      }
      while (missing.length < blocks && branch.height() > 1) missing.push(branch.pop())
      const ahead = missing.toReversed().flatMap(({ block }) => block.transactions)
      pool.remove(waiting.map(({ id }) => id))
      await pool.renew()
      const refused: SignedTransaction[] = []
      for (const transaction of [...ahead, ...waiting]) {
        if (branch.transaction(transaction.id) !== undefined || pool.get(transaction.id) !== undefined) continue
        try {
          await pool.add(transaction)
        } catch (error) {
          if (!(error instanceof TransactionRefusal)) throw error
          refused.push(transaction)
        }
      }
      unseen = missing.length === 0 ? [] : refused
    },
  }
}
