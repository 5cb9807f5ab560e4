/**
 * Blocks. BlockHeader.raw{1 timestamp, 2 txTrieRoot, 3 parentHash, 7 number, 9 witness_address, 10 version}; a block's
 * id is its number in 8 bytes and the rest of the sha256 of those bytes. Source: java-tron Tron.proto, BlockCapsule.
 */
import { bytesOf, concat, hexOf, sha256, uint64Bytes } from '../bytes.ts'
import { bytesField, integerField } from '../codec/wire.ts'
import { encodeTransaction } from '../codec/transaction.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import type { ParameterValues } from '../resources/parameters.ts'
import type { Receipt } from './receipt.ts'
import { witnessAddress } from './witness.ts'

export interface MinedTransaction extends SignedTransaction {
  readonly receipt: Receipt
}

export interface Block {
  readonly number: number
  /** 64 hexadecimal digits. */
  readonly id: string
  readonly parent: string
  /** ms */
  readonly timestamp: number
  /** Which of the witnesses made it: branches of a fork have different ones. */
  readonly witness: number
  readonly transactions: readonly MinedTransaction[]
  /** Changes of the chain's parameters that count from here on. */
  readonly parameters?: Partial<ParameterValues>
}

export const blockVersion = 31
const noParent = '0'.repeat(64)

export const sealBlock = (block: Omit<Block, 'id' | 'parent'>, parent: Block | undefined): Block => {
  const parentId = parent?.id ?? noParent
  const hash = sha256(headerBytes({ ...block, parent: parentId }))
  return { ...block, parent: parentId, id: hexOf(concat(uint64Bytes(BigInt(block.number)), hash.subarray(8))) }
}

export const headerBytes = ({ timestamp, transactions, parent, number, witness }: Omit<Block, 'id'>): Uint8Array =>
  concat(
    integerField(1, BigInt(timestamp)),
    bytesField(2, transactionRoot(transactions)),
    bytesField(3, bytesOf(parent)),
    integerField(7, BigInt(number)),
    bytesField(9, bytesOf(witnessAddress(witness))),
    integerField(10, BigInt(blockVersion)),
  )

/** Returns the Merkle root of the transactions with their results; zero when there are none. */
export const transactionRoot = (transactions: readonly MinedTransaction[]): Uint8Array => {
  let level = transactions.map((one) => sha256(concat(encodeTransaction(one), resultBytes(one))))
  while (level.length > 1) {
    const pairs = level
    level = []
    for (let at = 0; at < pairs.length; at += 2) {
      const [left, right] = [pairs[at] as Uint8Array, pairs[at + 1]]
      level.push(right === undefined ? left : sha256(concat(left, right)))
    }
  }
  return level[0] ?? new Uint8Array(32)
}

/** Transaction.ret{3 contractRet}: the numbers of java-tron's contractResult. */
const resultBytes = ({ receipt }: MinedTransaction): Uint8Array =>
  bytesField(5, integerField(3, BigInt(resultNumbers.indexOf(receipt.run?.result ?? 'SUCCESS'))), true)

const resultNumbers: readonly string[] = [
  'DEFAULT',
  'SUCCESS',
  'REVERT',
  'BAD_JUMP_DESTINATION',
  'OUT_OF_MEMORY',
  'PRECOMPILED_CONTRACT',
  'STACK_TOO_SMALL',
  'STACK_TOO_LARGE',
  'ILLEGAL_OPERATION',
  'STACK_OVERFLOW',
  'OUT_OF_ENERGY',
  'OUT_OF_TIME',
  'JVM_STACK_OVER_FLOW',
  'UNKNOWN',
  'TRANSFER_FAILED',
  'INVALID_CODE',
]
