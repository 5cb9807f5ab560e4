/** The best chain: its blocks, and the state after each block that can still be reverted. */
import type { Changes, Reader } from '../state/state.ts'
import type { Block, MinedTransaction } from './block.ts'

export interface Located {
  readonly transaction: MinedTransaction
  readonly block: Block
}

export interface Branch {
  readonly height: () => number
  readonly head: () => Block
  /** Returns the newest block that no fork can replace. */
  readonly solid: () => Block
  readonly at: (number: number) => Block | undefined
  readonly byId: (id: string) => Block | undefined
  readonly transaction: (id: string) => Located | undefined
  /** State after the newest block, or after the newest solid one. */
  readonly read: Reader
  readonly readSolid: Reader
  readonly push: (block: Block, changes: Changes) => void
  /** Removes the newest block and its changes. Returns them, for `push`. */
  readonly pop: () => Pushed
}

export interface Pushed {
  readonly block: Block
  readonly changes: Changes
}

/** At least this number of blocks can be reverted, so that a log with deep forks can be replayed with a smaller lag. */
const fewestStates = 128

/** Opens a branch. `lag`: number of later blocks that make a block solid. */
export const openBranch = (lag: number): Branch => {
  const blocks: Block[] = []
  const ids = new Map<string, Block>()
  const transactions = new Map<string, Located>()
  const state = new Map<string, unknown>()
  /**
   * The previous values of the state that each of the newest blocks changed. The last element is of the newest block.
   */
  const before: Map<string, unknown>[] = []
  const last = (): Block => {
    const block = blocks.at(-1)
    if (block === undefined) throw new Error('the chain has no block')
    return block
  }
  return {
    height: () => blocks.length - 1,
    head: last,
    solid: () => blocks[Math.max(0, blocks.length - 1 - lag)] ?? last(),
    at: (number) => blocks[number],
    byId: (id) => ids.get(id),
    transaction: (id) => transactions.get(id),
    read: (key) => state.get(key),
    readSolid: (key) => {
      const notSolid = Math.min(lag, blocks.length - 1)
      const first = notSolid === 0 ? undefined : before.slice(-notSolid).find((values) => values.has(key))
      return first === undefined ? state.get(key) : first.get(key)
    },
    push: (block, changes) => {
      blocks.push(block)
      ids.set(block.id, block)
      for (const transaction of block.transactions) transactions.set(transaction.id, { transaction, block })
      before.push(new Map([...changes.keys()].map((key) => [key, state.get(key)])))
      for (const [key, value] of changes) put(state, key, value)
      while (before.length > Math.min(Math.max(lag, fewestStates), blocks.length - 1)) before.shift()
    },
    pop: () => {
      const values = before.pop()
      if (values === undefined) throw new Error('the newest block cannot be taken back')
      const changes = new Map([...values.keys()].map((key) => [key, state.get(key)]))
      for (const [key, value] of values) put(state, key, value)
      const block = blocks.pop() as Block
      ids.delete(block.id)
      for (const { id } of block.transactions) transactions.delete(id)
      return { block, changes }
    },
  }
}

const put = (state: Map<string, unknown>, key: string, value: unknown): void => {
  if (value === undefined) state.delete(key)
  else state.set(key, value)
}
