import { expect } from 'vitest'
import type { Block, ChainAdapter, Transfer } from '../port.ts'

/** Returns the block of a transaction that the adapter reports as mined. */
export const blockOf = async (adapter: ChainAdapter, hash: string): Promise<Block> => {
  const status = await adapter.statusOf(hash)
  if (status.kind !== 'mined') throw new Error(`${hash} is ${status.kind}`)
  const block = await adapter.blockAt(status.height)
  expect(block?.hash).toBe(status.blockHash)
  return block!
}

/** Transfers of a block to an address, in the block's order. */
export const transfersOf = (block: Block, to: string): Transfer[] =>
  block.transactions.flatMap(({ transfers }) => transfers.filter((transfer) => transfer.to === to))
