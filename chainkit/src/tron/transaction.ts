import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { decodeContract, encodeContract } from './contract.ts'
import type { Contract } from './contract.ts'
import { decodeMessage, encodeMessage } from './message.ts'
import type { Fields } from './message.ts'

/** Reference to a recent block: the transaction is valid only on branches that contain it (TAPOS). Hex, lower case. */
export interface BlockReference {
  /** The two low bytes of the block's height */
  refBlockBytes: string
  /** Bytes 8 to 15 of the block's id */
  refBlockHash: string
}

/** A transaction with one contract, the only number that java-tron accepts. */
export interface UnsignedTransaction extends BlockReference {
  contract: Contract
  /** ms since the epoch: it can't be in a block whose parent has this time or a later one */
  expiration: number
  /** ms since the epoch, not verified by nodes: it distinguishes otherwise equal transactions */
  timestamp: number
  /** maximum cost of energy in sun; bandwidth and activation are charged in addition */
  feeLimit: bigint
}

export type TransactionRefusal = 'not-parsable'

/** `Transaction.raw` in Tron.proto. We write neither a memo (10), which costs a TRX, nor several contracts. */
const RAW = {
  refBlockBytes: [1, 'bytes'],
  refBlockHash: [4, 'bytes'],
  expiration: [8, 'int64'],
  contract: [11, 'bytes'],
  timestamp: [14, 'int64'],
  feeLimit: [18, 'int64'],
} as const satisfies Fields

const HASH = /^[0-9a-f]{64}$/

/** The reference to a block by its id (`blockID`: eight bytes of its height, then of its hash). */
export function referenceTo(blockId: string): BlockReference {
  if (!HASH.test(blockId)) throw new RangeError('A block id is 64 hex digits in lower case')
  return { refBlockBytes: blockId.slice(12, 16), refBlockHash: blockId.slice(16, 32) }
}

/** `raw_data`, the bytes whose hash is signed. Throws a RangeError when a field is out of its range. */
export function serializeUnsigned(transaction: UnsignedTransaction): Uint8Array {
  const { contract, expiration, timestamp, feeLimit } = transaction
  return encodeMessage(RAW, {
    refBlockBytes: sized(hexToBytes(transaction.refBlockBytes), 2),
    refBlockHash: sized(hexToBytes(transaction.refBlockHash), 8),
    expiration: BigInt(moment(expiration)),
    contract: encodeContract(contract),
    timestamp: BigInt(moment(timestamp)),
    feeLimit,
  })
}

/** The hash that is signed; it is also the transaction's id. */
export function signingHash(transaction: UnsignedTransaction): Uint8Array {
  return sha256(serializeUnsigned(transaction))
}

/** The transaction's id as nodes print it: the hash of `raw_data`, which does not depend on signatures. */
export function transactionId(transaction: UnsignedTransaction): string {
  return bytesToHex(signingHash(transaction))
}

/** Parses the bytes that `serializeUnsigned` writes, and no other encoding. Never throws. */
export function parseUnsigned(bytes: Uint8Array): UnsignedTransaction | Refused<TransactionRefusal> {
  return reading(() => readRaw(bytes))
}

export function readRaw(bytes: Uint8Array): UnsignedTransaction {
  const { refBlockBytes, refBlockHash, expiration, contract, timestamp, feeLimit } = decodeMessage(RAW, bytes)
  const transaction = {
    refBlockBytes: bytesToHex(sized(refBlockBytes, 2)),
    refBlockHash: bytesToHex(sized(refBlockHash, 8)),
    contract: decodeContract(contract),
    expiration: moment(Number(expiration)),
    timestamp: moment(Number(timestamp)),
    feeLimit,
  }
  if (bytesToHex(serializeUnsigned(transaction)) !== bytesToHex(bytes)) throw new RangeError('it is spelled otherwise')
  return transaction
}

/** Runs a parser; every exception becomes a refusal. */
export function reading<Result>(read: () => Result): Result | Refused<TransactionRefusal> {
  try {
    return read()
  } catch (error) {
    return refuse('not-parsable', `Not a transaction of TRON as we make them: ${(error as Error).message}`)
  }
}

function sized(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`a block reference has ${bytes.length} bytes in place of ${length}`)
  return bytes
}

function moment(ms: number): number {
  if (!Number.isSafeInteger(ms) || ms <= 0) throw new RangeError('a time is ms since the epoch')
  return ms
}
