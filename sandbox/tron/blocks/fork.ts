/** Forks on demand: replaces the newest blocks by one more block, with or without their transactions. */
import type { SignedTransaction } from '../codec/transaction.ts'
import type { Chain } from './chain.ts'
import { TransactionRefusal } from './refusal.ts'

export interface ForkOrder {
  /** How many of the newest blocks are replaced. */
  readonly depth: number
  /** Ids that the new branch is without, as if they had never been broadcast. */
  readonly without: readonly string[]
  /**
   * The other transactions: they are in the new branch too, wait for a block again, or are forgotten.
   */
  readonly others: 'mined' | 'pending' | 'forgotten'
}

export interface Forked {
  readonly height: number
  /** The newest block's id. */
  readonly id: string
  /** Ids of transactions of the old branch: in the new one, waiting, gone. */
  readonly mined: readonly string[]
  readonly pending: readonly string[]
  readonly forgotten: readonly string[]
}

/** Throws an Error when the depth reaches a solid block. */
export const fork = async (chain: Chain, { depth, without, others }: ForkOrder): Promise<Forked> => {
  const { branch, pool } = chain
  const most = branch.height() - branch.solid().number
  if (!Number.isInteger(depth) || depth < 1 || depth > most)
    throw new Error(`a fork can replace 1 to ${most} blocks: those before are solid`)
  const old = Array.from({ length: depth }, (_, at) => branch.at(branch.height() - depth + 1 + at)?.transactions ?? [])
  const ids = old.flat().map(({ id }) => id)
  const remaining = old.map((list): SignedTransaction[] => list.filter(({ id }) => !without.includes(id)))
  pool.remove(without)
  const waitingBefore = pool.list()
  const contents = others === 'mined' ? [...remaining, []] : [...remaining.map(() => []), []]
  await chain.replace(depth, contents)
  pool.remove(waitingBefore.map(({ id }) => id))
  await pool.renew()
  const returning =
    others === 'forgotten' ? [] : remaining.flat().filter(({ id }) => branch.transaction(id) === undefined)
  for (const transaction of [...returning, ...waitingBefore]) await pool.add(transaction).catch(forgetRefused)
  const mined = ids.filter((id) => branch.transaction(id) !== undefined)
  const pending = ids.filter((id) => pool.get(id) !== undefined)
  const forgotten = ids.filter((id) => !mined.includes(id) && !pending.includes(id))
  return { height: branch.height(), id: branch.head().id, mined, pending, forgotten }
}

/** As a real node does it: a transaction that is no longer valid is dropped without a message. */
const forgetRefused = (error: unknown): void => {
  if (!(error instanceof TransactionRefusal)) throw error
}
