import { createPublicKey, verify } from 'node:crypto'
import { ReserveProofError } from './errors.ts'
import { readReserveFile } from './reserves-file.ts'
import type { ReserveAsset, ReserveFile } from './reserves-file.ts'
import { commitmentHash, leafNode, parentNode, statementHash } from './reserves-tree.ts'

export interface ReserveChecks {
  /** Your merchant id: a proof of another merchant is refused. */
  readonly merchantId: string
  /**
   * The commitment that the operator published for all merchants, hex. Without it, the check only shows that your copy
   * is consistent.
   */
  readonly commitment?: string | undefined
  /** The operator's Ed25519 key, 32 bytes as hex: the report must carry its signature. */
  readonly publicKey?: string | undefined
  /** Your balances by your own books, decimal strings by ticker, including holds; an asset left out is 0. */
  readonly expected?: Readonly<Record<string, string>> | undefined
}

export interface VerifiedReserves {
  readonly reportId: string
  /** ISO 8601 */
  readonly takenAt: string
  readonly commitment: string
  /** hex; null when the report is not signed */
  readonly signedBy: string | null
  /** merchants counted in the total */
  readonly merchants: number
  /** your balances: compare them with your books, unless you passed `expected` */
  readonly balances: readonly { readonly ticker: string; readonly value: string }[]
  /**
   * the whole report, in integer units; `liabilities` is proven to include yours, the rest is the operator's statement
   */
  readonly assets: readonly ReserveAsset[]
}

const fail = (code: ReserveProofError['code'], message: string): never => {
  throw new ReserveProofError(code, message)
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/**
 * Verifies a merchant's proof of the operator's liabilities: the total that the operator committed to includes exactly
 * these balances of this merchant. Needs neither database nor network. Throws a `ReserveProofError` that says what is
 * wrong.
 * @param file the text of the proof file
 */
export const verifyReserveProof = (file: string, checks: ReserveChecks): VerifiedReserves => {
  const proof = readReserveFile(file)
  if (proof.merchantId !== checks.merchantId) fail('merchant', `the proof is of merchant ${proof.merchantId}`)
  verifyPath(proof)
  verifyCommitment(proof, checks)
  const balances = proof.assets.map(({ ticker, scale }, i) => ({ ticker, value: decimal(proof.balances[i]!, scale) }))
  verifyExpected(balances, checks.expected)
  return {
    reportId: proof.id,
    takenAt: proof.takenAt,
    commitment: proof.commitment,
    signedBy: proof.signed?.publicKey ?? null,
    merchants: proof.merchants,
    balances,
    assets: proof.assets,
  }
}

/**
 * Computes the nodes from the leaf to the root. The depth follows from the number of merchants, so a path can't be
 * shorter.
 */
const verifyPath = ({
  statement,
  merchantId,
  salt,
  balances,
  merchants,
  path,
  position,
  root,
  assets,
}: ReserveFile): void => {
  let depth = 0
  while (2 ** depth < merchants) depth += 1
  if (path.length !== depth || position >= Math.max(1, merchants))
    fail('path', 'the path is not as long as the tree is deep')
  let node = leafNode(statementHash(statement), { merchantId, salt, sums: balances })
  for (const [height, sibling] of path.entries()) {
    const isRight = Math.floor(position / 2 ** height) % 2 === 1
    node = node && (isRight ? parentNode(sibling, node) : parentNode(node, sibling))
  }
  if (node === undefined) return fail('sum', 'a sum on the path is too large to be one')
  if (node.sums.some((sum, i) => sum !== root.sums[i]))
    fail('sum', 'the balances on the path do not add up to the total')
  if (!same(node.hash, root.hash)) fail('root', 'the path does not lead to the root')
  if (assets.some(({ liabilities }, i) => liabilities !== root.sums[i]))
    fail('sum', 'the statement names another total than the root')
}

const verifyCommitment = ({ statement, root, commitment, signed }: ReserveFile, checks: ReserveChecks): void => {
  const made = commitmentHash(statementHash(statement), root)
  if (made === undefined || Buffer.from(made).toString('hex') !== commitment)
    fail('commitment', 'the commitment is not that of the statement and root')
  const published = checks.commitment?.toLowerCase()
  if (published !== undefined && published !== commitment)
    fail('commitment', 'the operator has published another commitment')
  if (checks.publicKey !== undefined && signed?.publicKey !== checks.publicKey.toLowerCase()) {
    fail('signature', signed ? 'the report is signed by another key' : 'the report is not signed')
  }
  if (signed && !isSigned(commitment, signed)) fail('signature', 'the signature is not right')
}

const isSigned = (commitment: string, { publicKey, signature }: { publicKey: string; signature: string }): boolean => {
  const x = Buffer.from(publicKey, 'hex').toString('base64url')
  const message = Buffer.from(`bursar-reserves-1/signature\n${commitment}`, 'utf8')
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, message, key, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}

const verifyExpected = (balances: VerifiedReserves['balances'], expected: ReserveChecks['expected']): void => {
  if (expected === undefined) return
  const unknown = Object.keys(expected).filter((ticker) => !balances.some((one) => one.ticker === ticker))
  for (const ticker of unknown) if (plain(expected[ticker]!) !== '0') fail('balance', `the report has no ${ticker}`)
  for (const { ticker, value } of balances) {
    const wanted = plain(expected[ticker] ?? '0')
    if (wanted !== value) fail('balance', `the report counts ${value} ${ticker} as yours, your books say ${wanted}`)
  }
}

/** A decimal without superfluous zeros. */
const plain = (value: string): string => {
  const parts = /^0*(\d+)(?:\.(\d*?)0*)?$/.exec(value)
  if (!parts) throw new RangeError(`not a decimal amount: ${value}`)
  return parts[2] ? `${parts[1]}.${parts[2]}` : parts[1]!
}

const decimal = (units: bigint, scale: number): string => {
  const digits = units.toString().padStart(scale + 1, '0')
  return plain(scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`)
}
