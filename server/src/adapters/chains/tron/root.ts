import { hash } from 'node:crypto'
import { bytesOf, listOf, Malformed, objectOf, textOf } from '../shape.ts'
import { amountOf, contractResultOf, type Fields } from './fields.ts'

/**
 * Computes the transaction root that the block's header should have: a tree of sha256 over the bytes of each
 * transaction with its signatures and result (`BlockCapsule.calcMerkleRoot`, `MerkleTree.createTree` and
 * `TransactionCapsule.getMerkleHash` of java-tron). Undefined when the node does not show the bytes, `unreadable` when
 * they are malformed: the sender chooses the other fields of a transaction's result and must not be able to stop the
 * reading. A different root in the header means that a transaction is missing, or that one has fields which the API
 * does not show.
 */
export const rootOf = (shown: readonly Fields[]): string | undefined => {
  if (shown.length === 0 || shown.some((one) => one['raw_data_hex'] === undefined)) return undefined
  let level: Buffer[]
  try {
    level = shown.map((one) => sha256(bytesOfTransaction(one)))
  } catch (error) {
    if (error instanceof Malformed) return 'unreadable'
    throw error
  }
  while (level.length > 1) {
    const pairs: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const right = level[at + 1]
      pairs.push(right === undefined ? level[at]! : sha256(Buffer.concat([level[at]!, right])))
    }
    level = pairs
  }
  return level[0]!.toString('hex')
}

const sha256 = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer')

/** Transaction{1 raw_data, 2 signature, 5 ret} of Tron.proto. */
const bytesOfTransaction = (shown: Fields): Buffer =>
  Buffer.concat([
    ...part(1, hexIn(shown['raw_data_hex'], 'raw_data_hex')),
    ...listOf(shown['signature'] ?? [], 'signature').flatMap((one) => part(2, hexIn(one, 'a signature'))),
    ...listOf(shown['ret'] ?? [], 'ret').flatMap((one) => part(5, bytesOfResult(objectOf(one, 'ret')))),
  ])

/**
 * Transaction.Result{1 fee, 2 ret, 3 contractRet}: since the introduction of the virtual machine, only the last one is
 * set (`TransactionCapsule.setResultCode`).
 */
const bytesOfResult = (result: Fields): Buffer =>
  Buffer.concat([
    ...number(1, amountOf(result['fee'], 'fee')),
    ...number(2, result['ret'] === 'FAILED' ? 1n : 0n),
    ...number(3, BigInt(contractResultOf(result['contractRet']))),
  ])

const hexIn = (value: unknown, what: string): Buffer => Buffer.from(bytesOf(textOf(value, what), what))

const varint = (value: bigint): Buffer => {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}

/** Encodes a protobuf field of bytes. */
const part = (field: number, bytes: Buffer): Buffer[] => [
  Buffer.from([field * 8 + 2]),
  varint(BigInt(bytes.length)),
  bytes,
]
/** Encodes a protobuf number; zero is omitted. */
const number = (field: number, value: bigint): Buffer[] =>
  value === 0n ? [] : [Buffer.from([field * 8]), varint(value)]
