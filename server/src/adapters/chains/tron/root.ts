import { hash } from 'node:crypto'
import { bytesOf, listOf, Malformed, objectOf, textOf } from '../shape.ts'
import { amountOf, contractResultOf, type Fields } from './fields.ts'

/**
 * The root that a block's header should name for these transactions: a tree of sha256 over the bytes of each with its
 * signatures and its result (`BlockCapsule.calcMerkleRoot`, `MerkleTree.createTree` and
 * `TransactionCapsule.getMerkleHash` of java-tron). Undefined where a node does not show the bytes, and `unreadable`
 * where they are none: the sender of a transaction chooses its result's other fields, and must not stop the reading.
 * Another root than the header's says that a transaction is missing, or that one has fields which the API does not
 * show.
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
 * Transaction.Result{1 fee, 2 ret, 3 contractRet}: since TRON has a virtual machine, the last alone is set
 * (`TransactionCapsule.setResultCode`).
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

/** A field of bytes, as protobuf writes it. */
const part = (field: number, bytes: Buffer): Buffer[] => [
  Buffer.from([field * 8 + 2]),
  varint(BigInt(bytes.length)),
  bytes,
]
/** Zero is not written. */
const number = (field: number, value: bigint): Buffer[] =>
  value === 0n ? [] : [Buffer.from([field * 8]), varint(value)]
