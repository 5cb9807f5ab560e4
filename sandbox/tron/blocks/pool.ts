/** Transactions that wait for a block. Each was executed on the state after those before it. */
import type { SignedTransaction } from '../codec/transaction.ts'
import { layeredState } from '../state/state.ts'
import type { Reader, State } from '../state/state.ts'
import { TransactionRefusal } from './refusal.ts'

export interface Pool {
  readonly list: () => readonly SignedTransaction[]
  readonly get: (id: string) => SignedTransaction | undefined
  /** State after the newest block and all that waits. */
  readonly state: () => State
  /** Throws TransactionRefusal; it waits for nothing then. */
  readonly add: (transaction: SignedTransaction) => Promise<void>
  readonly remove: (ids: readonly string[]) => void
  /**
   * After the chain changed: everything is tried again, and invalid transactions are dropped. Returns the dropped ones.
   */
  readonly renew: () => Promise<readonly SignedTransaction[]>
}

/** `attempt` executes a transaction on a state, or throws TransactionRefusal and leaves the state unchanged. */
export const openPool = (
  read: Reader,
  attempt: (state: State, transaction: SignedTransaction) => Promise<void>,
): Pool => {
  const waiting = new Map<string, SignedTransaction>()
  let state = layeredState(read)
  return {
    list: () => [...waiting.values()],
    get: (id) => waiting.get(id),
    state: () => state,
    add: async (transaction) => {
      await attempt(state, transaction)
      waiting.set(transaction.id, transaction)
    },
    remove: (ids) => {
      for (const id of ids) waiting.delete(id)
    },
    renew: async () => {
      state = layeredState(read)
      const dropped: SignedTransaction[] = []
      for (const transaction of waiting.values()) {
        try {
          await attempt(state, transaction)
        } catch (error) {
          if (!(error instanceof TransactionRefusal)) throw error
          waiting.delete(transaction.id)
          dropped.push(transaction)
        }
      }
      return dropped
    },
  }
}
