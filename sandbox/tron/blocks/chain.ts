/** The chain: accepts transactions, makes blocks, forks, and resumes from its log. */
import { signedTransaction } from '../codec/transaction.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import type { ParameterValues } from '../resources/parameters.ts'
import type { State } from '../state/state.ts'
import type { ChainLog } from '../store/log.ts'
import { recordOf } from '../store/records.ts'
import type { Machine } from '../vm/machine.ts'
import type { Block } from './block.ts'
import type { Branch } from './branch.ts'
import { checkExpiration, checkTransaction } from './checks.ts'
import { executeTransaction } from './execute.ts'
import { makeBlock, nextPlace } from './maker.ts'
import type { Draft, Made } from './maker.ts'
import { openPool } from './pool.ts'
import type { Pool } from './pool.ts'
import { TransactionRefusal } from './refusal.ts'
import { verifySignature } from './signature.ts'

export interface ChainOptions {
  readonly branch: Branch
  readonly machine: Machine
  readonly log: ChainLog
  /** ms; the time of blocks when the chain is not ahead of it. */
  readonly clock: () => number
  /** ms between blocks. */
  readonly slotMs: number
}

/** Operations on the chain. Callers must serialise them. */
export interface Chain {
  readonly branch: Branch
  readonly pool: Pool
  /** Throws TransactionRefusal. */
  readonly broadcast: (transaction: SignedTransaction) => Promise<void>
  /** Puts waiting transactions into a block, unless they are held back. */
  readonly mine: (parameters?: Partial<ParameterValues>) => Promise<Block>
  /** Blocks on top of a block that is not the newest: a fork. Returns the transactions that are no longer valid. */
  readonly replace: (depth: number, contents: readonly (readonly SignedTransaction[])[]) => Promise<Replaced>
  /** From now on blocks are made without waiting transactions, or with them. */
  readonly hold: (on: boolean) => void
  readonly isHolding: () => boolean
  /** ms of the clock by which blocks are dated */
  readonly now: () => number
}

interface Replaced {
  readonly orphaned: readonly Block[]
  readonly blocks: readonly Block[]
  readonly refused: Made['refused']
}

export const openChain = ({ branch, machine, log, clock, slotMs }: ChainOptions): Chain => {
  let holding = false
  const nextTime = (): number => {
    const head = branch.head().timestamp
    return Math.max(head + slotMs, Math.floor(clock() / slotMs) * slotMs)
  }
  const pool = openPool(branch.read, async (state: State, transaction) => {
    checkTransaction(branch, transaction)
    await executeTransaction(state, nextPlace(branch, machine, nextTime(), branch.head().witness), transaction)
  })
  const push = async (draft: Draft): Promise<Made> => {
    const made = await makeBlock(branch, machine, draft)
    branch.push(made.block, made.changes)
    return made
  }
  return {
    branch,
    pool,
    broadcast: async (given) => {
      const transaction = signedTransaction(given.raw, given.signatures)
      if (pool.get(transaction.id) !== undefined)
        throw new TransactionRefusal('DUP_TRANSACTION_ERROR', 'Transaction already exists.')
      checkExpiration(branch, transaction)
      // Source: java-tron Wallet.broadcastTransaction: a transaction that expires before the next block is refused too.
      if (transaction.raw.expiration < BigInt(branch.head().timestamp + slotMs))
        throw new TransactionRefusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired')
      await verifySignature(transaction)
      await pool.add(transaction)
    },
    mine: async (parameters) => {
      const transactions = holding ? [] : pool.list()
      const draft = { timestamp: nextTime(), witness: branch.head().witness, transactions }
      const { block, changes } = await makeBlock(
        branch,
        machine,
        parameters === undefined ? draft : { ...draft, parameters },
      )
      log.append({ block: recordOf(block) })
      branch.push(block, changes)
      pool.remove(transactions.map(({ id }) => id))
      await pool.renew()
      return block
    },
    replace: async (depth, contents) => {
      const orphaned = Array.from({ length: depth }, () => branch.pop().block).toReversed()
      const changed = Object.assign({}, ...orphaned.map(({ parameters }) => parameters)) as Partial<ParameterValues>
      // Another witness: a block with the same content and time is another block.
      const witness = Math.max(branch.head().witness, ...orphaned.map((block) => block.witness)) + 1
      const made: Made[] = []
      for (const [place, transactions] of contents.entries()) {
        const timestamp = branch.head().timestamp + slotMs
        const parameters = place === 0 && Object.keys(changed).length > 0 ? { parameters: changed } : {}
        made.push(await push({ timestamp, witness, transactions, ...parameters }))
      }
      const blocks = made.map(({ block }) => block)
      log.append({ fork: { depth, blocks: blocks.map(recordOf) } })
      return { orphaned, blocks, refused: made.flatMap(({ refused }) => refused) }
    },
    hold: (on) => {
      holding = on
    },
    isHolding: () => holding,
    now: clock,
  }
}
