import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import { saltOf, type SumNode } from './hashing.ts'
import { FORMAT, type Statement } from './statement.ts'
import type { Report } from './store.ts'
import { buildTree, type Balances, type SumTree } from './tree.ts'

/** Hex: an Ed25519 public key of 32 bytes, and its signature of 64. */
export interface Signed {
  publicKey: string
  signature: string
}

interface NodeFile {
  /** hex */
  hash: string
  /** decimal digits, in the order of the statement's assets */
  sums: string[]
}

/** The report as the operator publishes it, so that all merchants can compare it. */
export interface ReportFile {
  /** the exact text of a `Statement` */
  statement: string
  root: NodeFile
  /** hex */
  commitment: string
  signed: Signed | null
}

/** The proof that one merchant checks. */
export interface ProofFile extends ReportFile {
  merchantId: string
  /** hex */
  salt: string
  position: number
  balances: string[]
  /** siblings from the leaf up */
  path: NodeFile[]
}

const nodeFile = ({ hash, sums }: SumNode): NodeFile => ({ hash: hash.toString('hex'), sums: sums.map(String) })

const assetsOf = (report: Report): number => (JSON.parse(report.statement) as Statement).assets.length

const fileOf = ({ statement, commitment, publicKey, signature }: Report, tree: SumTree): ReportFile => ({
  statement,
  root: nodeFile(tree.root),
  commitment,
  signed: publicKey === null || signature === null ? null : { publicKey, signature },
})

/** Returns the published file of a report. @param leaves all leaves of the report */
export const reportFile = (report: Report, leaves: readonly Balances[]): ReportFile =>
  fileOf(report, buildTree(report.statement, report.secret, leaves, assetsOf(report)))

/** Yields the proofs of these merchants (of all when null), without those that the report lacks. */
export function* proofFiles(
  report: Report,
  leaves: readonly Balances[],
  wanted: readonly string[] | null,
): Generator<ProofFile> {
  const tree = buildTree(report.statement, report.secret, leaves, assetsOf(report))
  const file = fileOf(report, tree)
  const unitsOf = new Map(leaves.map(({ merchantId, units }) => [merchantId, units]))
  for (const merchantId of wanted ?? unitsOf.keys()) {
    const position = tree.positionOf(merchantId)
    if (position === undefined) continue
    const salt = saltOf(report.secret, merchantId).toString('hex')
    yield {
      ...file,
      merchantId,
      salt,
      position,
      balances: unitsOf.get(merchantId)!.map(String),
      path: tree.pathOf(position).map(nodeFile),
    }
  }
}

export const proofFile = (report: Report, leaves: readonly Balances[], merchantId: string): ProofFile | undefined =>
  proofFiles(report, leaves, [merchantId]).next().value as ProofFile | undefined

/** Signs a commitment (hex) with an Ed25519 key of the operator. */
export const signReport = (key: KeyObject, commitment: string): Signed => {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('reports are signed with an Ed25519 key')
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return {
    publicKey: Buffer.from(x!, 'base64url').toString('hex'),
    signature: sign(null, Buffer.from(`${FORMAT}/signature\n${commitment}`, 'utf8'), key).toString('hex'),
  }
}
