import { createHash, createHmac } from 'node:crypto'
import { FORMAT } from './statement.ts'

/** A node of the tree: its hash, and the sum of the balances below it, one for each asset of the statement. */
export interface SumNode {
  hash: Buffer
  sums: readonly bigint[]
}

/**
 * SHA-256 over a tag of its own for each kind of thing, so that no leaf can pass for a node, a root or another report's
 * leaf. All that follows a tag has a fixed length given the number of assets.
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

/** Sums as 32 bytes each, big-endian. Throws for one that is negative or does not fit: it can't be proven. */
const encodeSums = (sums: readonly bigint[]): Buffer => {
  const bytes = Buffer.alloc(BYTES * sums.length)
  sums.forEach((sum, i) => {
    if (sum < 0n || sum >= LIMIT) throw new RangeError(`a balance of ${sum} can't be proven`)
    bytes.write(sum.toString(16).padStart(2 * BYTES, '0'), i * BYTES, 'hex')
  })
  return bytes
}

export const hashStatement = (text: string): Buffer => digest('statement', Buffer.from(text, 'utf8'))

/** What hides whose a leaf is from everyone who lacks the report's secret. */
export const saltOf = (secret: Buffer, merchantId: string): Buffer =>
  createHmac('sha256', secret).update(merchantId).digest()

/**
 * Names a merchant in the tree. Bound to the merchant's id, so that one leaf can't be shown to two merchants with equal
 * balances.
 */
export const leafIdOf = (salt: Buffer, merchantId: string): Buffer =>
  digest('merchant', salt, Buffer.from(merchantId, 'utf8'))

export const leafOf = (statement: Buffer, leafId: Buffer, sums: readonly bigint[]): SumNode => ({
  hash: digest('leaf', statement, leafId, encodeSums(sums)),
  sums,
})

/** Fills the tree up to a power of two; there is nothing to be owed to it. */
export const emptyLeaf = (statement: Buffer, assets: number): SumNode => ({
  hash: digest('empty', statement),
  sums: Array.from({ length: assets }, () => 0n),
})

/**
 * Both children's hashes and both children's sums are hashed. A scheme that hashes only their total (Maxwell's first
 * one, and what some exchanges published) lets two siblings be shown two different splits of it, and so an amount be
 * left out.
 */
export const parentOf = (left: SumNode, right: SumNode): SumNode => {
  const sums = left.sums.map((sum, i) => sum + right.sums[i]!)
  encodeSums(sums)
  return { hash: digest('node', left.hash, encodeSums(left.sums), right.hash, encodeSums(right.sums)), sums }
}

/** What is published: everyone who has the same commitment has the same statement, root and totals. */
export const commitmentOf = (statement: Buffer, root: SumNode): Buffer =>
  digest('root', statement, root.hash, encodeSums(root.sums))
