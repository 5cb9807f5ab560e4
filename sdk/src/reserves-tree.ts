import { createHash } from 'node:crypto'

/** A node of a Merkle-sum tree: its hash, and the sums of all balances below it, one for each asset. */
export interface SumNode {
  readonly hash: Uint8Array
  readonly sums: readonly bigint[]
}

const LIMIT = 1n << 256n
const FORMAT = 'bursar-reserves-1'

/** A sum as 32 bytes, big-endian. Undefined when a sum is negative or too large: such a tree proves nothing. */
const bytesOf = (sums: readonly bigint[]): Uint8Array | undefined => {
  if (sums.some((sum) => sum < 0n || sum >= LIMIT)) return undefined
  return Buffer.from(sums.map((sum) => sum.toString(16).padStart(64, '0')).join(''), 'hex')
}

const digest = (kind: string, pieces: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  hash.update(`${FORMAT}/${kind}\0`)
  for (const piece of pieces) hash.update(piece)
  return hash.digest()
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8')

export const statementHash = (text: string): Uint8Array => digest('statement', [utf8(text)])

/** The leaf of a merchant, or undefined when a balance is out of range. */
export const leafNode = (
  statement: Uint8Array,
  { merchantId, salt, sums }: { merchantId: string; salt: Uint8Array; sums: readonly bigint[] },
): SumNode | undefined => {
  const bytes = bytesOf(sums)
  if (bytes === undefined) return undefined
  return { hash: digest('leaf', [statement, digest('merchant', [salt, utf8(merchantId)]), bytes]), sums }
}

/**
 * The parent of two nodes. It hashes the sums of both, not only their total; otherwise different splits of one total
 * could be shown for two siblings. Undefined when a sum of either, or their total, is out of range.
 */
export const parentNode = (left: SumNode, right: SumNode): SumNode | undefined => {
  const sums = left.sums.map((sum, i) => sum + right.sums[i]!)
  const [ours, theirs] = [bytesOf(left.sums), bytesOf(right.sums)]
  if (ours === undefined || theirs === undefined || bytesOf(sums) === undefined) return undefined
  return { hash: digest('node', [left.hash, ours, right.hash, theirs]), sums }
}

/** The commitment that the operator publishes for a report; undefined when its sums are out of range. */
export const commitmentHash = (statement: Uint8Array, root: SumNode): Uint8Array | undefined => {
  const bytes = bytesOf(root.sums)
  return bytes && digest('root', [statement, root.hash, bytes])
}
