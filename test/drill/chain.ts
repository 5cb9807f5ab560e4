/** An account chain in memory that mines each nonce once. It outlives the database: a restored copy reads it again. */
import { randomBytes } from 'node:crypto'
import { isRefused, type Block, type ChainTransaction } from '@bursar/chainkit'
import { decodeTransfer, parseSigned, fromHex, type Hex } from '@bursar/chainkit/evm'
import type { BroadcastResult, TransactionStatus } from '../../server/src/adapters/chains/port.ts'

const FINAL_DEPTH = 3

export type DrillChain = ReturnType<typeof createDrillChain>

/** @param hot the address whose payments are broadcast; @param token the contract of their token, in lower case */
export const createDrillChain = (hot: string, token: string, firstHeight: number) => {
  const blocks: Block[] = []
  const pool = new Map<number, ChainTransaction>()
  const waiting: ChainTransaction[] = []
  let nonce = 0
  const now = { ms: 0 }
  const append = (transactions: ChainTransaction[]): void => {
    const height = firstHeight + blocks.length
    blocks.push({ height, hash: `h${height}`, parent: `h${height - 1}`, time: now.ms, transactions })
  }
  append([])
  const at = (height: number): Block | null => blocks[height - firstHeight] ?? null
  const head = (): Block => blocks.at(-1)!
  return {
    blocks,
    now,
    /** next nonce after the mined transactions */
    nonce: () => nonce,
    head,
    broadcast: (raw: string): BroadcastResult => {
      const signed = parseSigned(fromHex(raw as Hex))
      if (isRefused(signed)) return { kind: 'refused', reason: 'invalid', message: 'no transaction' }
      const { transaction, hash } = signed
      const used = Number(transaction.nonce)
      const isMined = blocks.some(({ transactions }) => transactions.some((one) => one.hash === hash))
      if (used < nonce) return isMined ? { kind: 'accepted' } : { kind: 'conflict', message: 'nonce too low' }
      const paid = decodeTransfer(transaction.data)
      pool.set(used, {
        hash,
        keys: [`${hot}:${used}`],
        succeeded: true,
        fee: 1n,
        transfers: paid ? [{ index: 'l:0', from: [hot], to: paid.to, contract: token, units: paid.units }] : [],
      })
      return { kind: 'accepted' }
    },
    statusOf: (hash: string): TransactionStatus => {
      const block = blocks.find(({ transactions }) => transactions.some((one) => one.hash === hash))
      if (!block) return { kind: 'unknown' }
      return { kind: 'mined', height: block.height, blockHash: block.hash, succeeded: true, fee: 1n }
    },
    /** A payer sends tokens. @returns the hash */
    pay: (to: string, units: bigint): string => {
      const hash = `0x${randomBytes(32).toString('hex')}`
      const from = [`0x${randomBytes(20).toString('hex')}`]
      waiting.push({
        hash,
        keys: [`${from[0]}:0`],
        succeeded: true,
        fee: 1n,
        transfers: [{ index: 'l:0', from, to, contract: token, units }],
      })
      return hash
    },
    mine: (): void => {
      const transactions = waiting.splice(0)
      for (let next = pool.get(nonce); next; next = pool.get(nonce)) {
        transactions.push(next)
        pool.delete(nonce)
        nonce += 1
      }
      append(transactions)
    },
    /** The requests of the watcher. */
    adapter: {
      network: 'ETHEREUM' as const,
      capabilities: async () => ({ mempool: false, traces: true }),
      head: async () => head(),
      finalized: async () => at(Math.max(firstHeight, head().height - FINAL_DEPTH))!,
      blockAt: async (height: number) => at(height),
      hashAt: async (height: number) => at(height)?.hash ?? null,
      mempool: async () => ({ hashes: new Set<string>(), added: [] }),
    },
  }
}
