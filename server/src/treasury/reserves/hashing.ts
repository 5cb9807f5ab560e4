import { createHash, createHmac } from 'node:crypto'
import { FORMAT } from './statement.ts'

/** A node of the tree: its hash, and the sum of the balances below it, one for each asset of the statement. */
export interface SumNode {
  hash: Buffer
  sums: readonly bigint[]
}

/**
 * SHA-256 with a different tag for each kind of input, so that a leaf can't be used as a node, a root or another
 * report's leaf. The data after a tag has a fixed length for a given number of assets.
 */
const digest = (
  kind: 'statement' | 'merchant' | 'leaf' | 'empty' | 'node' | 'root',
  ...pieces: readonly Buffer[]
): Buffer => {
  const hash = createHash('sha256').update(`${FORMAT}/${kind}\0`)
  for (const piece of pieces) hash.update(piece)
  return hash.digest()
}

const BYTES = 32
const LIMIT = 1n << 256n

/** Encodes sums as 32 bytes each, big-endian. Throws for a sum that is negative or too large: it can't be proven. */
const encodeSums = (sums: readonly bigint[]): Buffer => {
  const bytes = Buffer.alloc(BYTES * sums.length)
  sums.forEach((sum, i) => {
    if (sum < 0n || sum >= LIMIT) throw new RangeError(`a balance of ${sum} can't be proven`)
    bytes.write(sum.toString(16).padStart(2 * BYTES, '0'), i * BYTES, 'hex')
  })
  return bytes
}

export const hashStatement = (text: string): Buffer => digest('statement', Buffer.from(text, 'utf8'))

/** Returns the salt that hides the owner of a leaf from everyone without the report's secret. */
export const saltOf = (secret: Buffer, merchantId: string): Buffer =>
  createHmac('sha256', secret).update(merchantId).digest()

/**
 * Returns a merchant's id in the tree. It depends on the merchant's id, so that one leaf can't be shown to two
 * merchants with equal balances.
 */
export const leafIdOf = (salt: Buffer, merchantId: string): Buffer =>
  digest('merchant', salt, Buffer.from(merchantId, 'utf8'))

export const leafOf = (statement: Buffer, leafId: Buffer, sums: readonly bigint[]): SumNode => ({
  hash: digest('leaf', statement, leafId, encodeSums(sums)),
  sums,
})

/** Returns a leaf with zero balances, which fills the tree up to a power of two. */
export const emptyLeaf = (statement: Buffer, assets: number): SumNode => ({
  hash: digest('empty', statement),
  sums: Array.from({ length: assets }, () => 0n),
})

/**
 * Hashes the hashes and the sums of both children. A scheme that hashes only their total (Maxwell's first one, and
 * those that some exchanges published) allows to show two siblings different splits of it, and so to omit an amount.
 */
export const parentOf = (left: SumNode, right: SumNode): SumNode => {
  const sums = left.sums.map((sum, i) => sum + right.sums[i]!)
  encodeSums(sums)
  return { hash: digest('node', left.hash, encodeSums(left.sums), right.hash, encodeSums(right.sums)), sums }
}

/** Returns the published commitment: the same commitment implies the same statement, root and totals. */
export const commitmentOf = (statement: Buffer, root: SumNode): Buffer =>
  digest('root', statement, root.hash, encodeSums(root.sums))
