/** A chain as a node shows it. */
import type { Block, ChainTransaction, Head } from '@bursar/chainkit'
import type { TransactionStatus } from '../port.ts'
import type { Chain, SimulatedBlock } from './chain.ts'
import { creditsOf, type SimulatedTransaction } from './transaction.ts'

export const headOf = ({ height, hash }: SimulatedBlock): Head => ({ height, hash })

export const observedBlock = (block: SimulatedBlock | undefined): Block | null =>
  block ? { ...block, transactions: block.transactions.map(observed) } : null

const observed = ({ hash, keys, succeeded, fee, transfers }: SimulatedTransaction): ChainTransaction => ({
  hash,
  keys: [...keys],
  succeeded,
  fee,
  transfers: transfers.map((transfer) => ({ ...transfer, from: [...transfer.from] })),
})

export const poolOf = (
  chain: Chain,
  known: ReadonlySet<string>,
): { hashes: Set<string>; added: ChainTransaction[] } => ({
  hashes: new Set(chain.pool.keys()),
  added: [...chain.pool.values()]
    .filter(({ hash }) => !known.has(hash))
    .map((one) => ({ ...observed(one), fee: null })),
})

/** @param shown the blocks that the node has */
export const statusOf = (chain: Chain, shown: readonly SimulatedBlock[], hash: string): TransactionStatus => {
  const block = chain.blockOf(hash)
  const mined = block?.transactions.find((one) => one.hash === hash)
  if (block && mined && block.height < shown.length) {
    return { kind: 'mined', height: block.height, blockHash: block.hash, succeeded: mined.succeeded, fee: mined.fee }
  }
  return { kind: block || chain.pool.has(hash) ? 'mempool' : 'unknown' }
}

/** Balance at a height: the current one without the changes of later blocks. */
export const balanceAt = (chain: Chain, height: number, address: string, contract: string | null): bigint => {
  const later = chain.blocks.slice(height + 1).flatMap(({ transactions }) => transactions)
  const touching = (one: { address: string; contract: string | null }): boolean =>
    one.address === address && one.contract === contract
  return later.reduce(
    (units, transaction) => {
      const credited = sumOf(creditsOf(transaction).filter(touching))
      const debited = sumOf(transaction.debits.filter(touching))
      return units - credited + debited
    },
    chain.state.balanceOf(address, contract),
  )
}

const sumOf = (items: readonly { units: bigint }[]): bigint => items.reduce((sum, { units }) => sum + units, 0n)
