/**
 * A chain in memory for the watcher's tests, which name the transactions of each block and of each branch. Where
 * hashes, balances and coins have to be a chain's, use the simulated chain (`adapters/chains/simulated`). Only tests
 * of this module use it.
 */
import type { Block, ChainTransaction, Network } from '@bursar/chainkit'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'

export interface TestChain extends Pick<
  ChainAdapter,
  'network' | 'identity' | 'capabilities' | 'head' | 'finalized' | 'blockAt' | 'hashAt' | 'mempool'
> {
  /** the best chain, by height from 0 */
  blocks: Block[]
  pool: Map<string, ChainTransaction>
  /** blocks below the head that are final */
  finalDepth: number
  silent: boolean
  /** every question asked: method and argument */
  asked: string[]
  mine(transactions?: readonly ChainTransaction[]): Block
  /** Replaces the top `depth` blocks by as many as are given; what they leave out goes back to the pool. */
  reorganise(depth: number, branch: readonly (readonly ChainTransaction[])[]): void
  send(transaction: ChainTransaction): void
}

const conflict = (a: ChainTransaction, b: ChainTransaction): boolean =>
  a.hash !== b.hash && a.keys.some((key) => b.keys.includes(key))

export const createTestChain = (
  network: Network,
  options: { finalDepth?: number; timeAt?: (height: number) => number } = {},
): TestChain => {
  let mined = 0
  const timeAt = options.timeAt ?? (() => 0)
  const leavePool = (transaction: ChainTransaction): void => {
    chain.pool.delete(transaction.hash)
    for (const other of chain.pool.values()) if (conflict(other, transaction)) chain.pool.delete(other.hash)
  }
  const answer = async <T>(question: string, of: () => T): Promise<T> => {
    chain.asked.push(question)
    if (chain.silent) throw new ChainUnavailable(`${network} is silent`)
    return of()
  }
  const chain: TestChain = {
    network,
    blocks: [],
    pool: new Map(),
    finalDepth: options.finalDepth ?? 6,
    silent: false,
    asked: [],
    mine: (transactions = []) => {
      const height = chain.blocks.length
      mined += 1
      const parent = chain.blocks.at(-1)?.hash ?? 'none'
      const hash = `${network}-${height}-${mined}`
      const block = { height, hash, parent, time: timeAt(height), transactions: [...transactions] }
      chain.blocks.push(block)
      transactions.forEach(leavePool)
      return block
    },
    reorganise: (depth, branch) => {
      const lost = chain.blocks.splice(chain.blocks.length - depth).flatMap(({ transactions }) => transactions)
      for (const transactions of branch) chain.mine(transactions)
      const remaining = chain.blocks.flatMap(({ transactions }) => transactions)
      for (const transaction of lost) {
        const gone = remaining.some((other) => other.hash === transaction.hash || conflict(other, transaction))
        if (!gone) chain.send(transaction)
      }
    },
    send: (transaction) => {
      for (const other of chain.pool.values()) if (conflict(other, transaction)) chain.pool.delete(other.hash)
      chain.pool.set(transaction.hash, transaction)
    },
    identity: () => answer('identity', () => `${network}-test`),
    capabilities: () => answer('capabilities', () => ({ mempool: network === 'BITCOIN', traces: true })),
    head: () => answer('head', () => chain.blocks.at(-1)!),
    finalized: () => answer('finalized', () => chain.blocks[Math.max(0, chain.blocks.length - 1 - chain.finalDepth)]!),
    blockAt: (height) => answer(`blockAt ${height}`, () => chain.blocks[height] ?? null),
    hashAt: (height) => answer(`hashAt ${height}`, () => chain.blocks[height]?.hash ?? null),
    mempool: (known) =>
      answer('mempool', () => ({
        hashes: new Set(chain.pool.keys()),
        added: [...chain.pool.values()].filter(({ hash }) => !known.has(hash)),
      })),
  }
  chain.mine()
  return chain
}
