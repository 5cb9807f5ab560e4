import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { addressOfBytes } from './address.ts'
import { bytesToNumber, fromHex, numberToBytes, toHex } from './hex.ts'
import type { Hex } from './hex.ts'
import { decodeRlp, encodeRlp } from './rlp.ts'
import type { RlpItem } from './rlp.ts'

interface Call {
  chainId: bigint
  nonce: bigint
  /** Limit, in units of gas */
  gas: bigint
  /** Never absent, since these transactions create no contracts */
  to: Hex
  /** wei */
  value: bigint
  data: Hex
}

/** EIP-155: a legacy transaction bound to its chain. Prices in wei for each unit of gas. */
export interface LegacyTransaction extends Call {
  type: 'legacy'
  gasPrice: bigint
}

/** EIP-1559, without access list. Prices in wei for each unit of gas. */
export interface Eip1559Transaction extends Call {
  type: 'eip1559'
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/**
 * The types of transaction for payments. Access lists, blobs and code delegation (EIP-2930, 4844, 7702) are excluded.
 */
export type UnsignedTransaction = LegacyTransaction | Eip1559Transaction

/** `unsupported`: a transaction of a type that we do not handle. */
export type TransactionRefusal = 'not-parsable' | 'unsupported'

const EIP1559_TYPE = 0x02
const LIST_PREFIX = 0xc0
const UINT64 = 2n ** 64n
const UINT256 = 2n ** 256n
const NO_BYTES = new Uint8Array()

/** The bytes whose hash is signed. Throws a RangeError when a field is out of its range. */
export function serializeUnsigned(transaction: UnsignedTransaction): Uint8Array {
  assertRanges(transaction)
  const fields = fieldsOf(transaction)
  return transaction.type === 'eip1559'
    ? typed(fields)
    : encodeRlp([...fields, numberToBytes(transaction.chainId), NO_BYTES, NO_BYTES])
}

/** The hash that is signed. */
export function signingHash(transaction: UnsignedTransaction): Uint8Array {
  return keccak_256(serializeUnsigned(transaction))
}

export function typed(fields: readonly RlpItem[]): Uint8Array {
  return concatBytes(Uint8Array.of(EIP1559_TYPE), encodeRlp(fields))
}

/** Fields in wire order, without the signature or chain id that follow. */
export function fieldsOf(transaction: UnsignedTransaction): RlpItem[] {
  const { nonce, gas, to, value, data } = transaction
  const call = [numberToBytes(gas), fromHex(to), numberToBytes(value), fromHex(data)]
  if (transaction.type === 'legacy') return [numberToBytes(nonce), numberToBytes(transaction.gasPrice), ...call]
  const { chainId, maxPriorityFeePerGas, maxFeePerGas } = transaction
  return [...[chainId, nonce, maxPriorityFeePerGas, maxFeePerGas].map(numberToBytes), ...call, []]
}

/** Parses the bytes that `serializeUnsigned` writes, and no other encoding. Never throws. */
export function parseUnsigned(bytes: Uint8Array): UnsignedTransaction | Refused<TransactionRefusal> {
  return reading(bytes, (type, items) => {
    if (type === 'eip1559') return readEip1559(items, 9)
    const [chainId, r, s] = items.slice(6).map((item) => number(item))
    if (items.length !== 9 || r !== 0n || s !== 0n) throw new RangeError('it is not an unsigned EIP-155 transaction')
    return readLegacy(items, chainId!)
  })
}

/** Decodes the envelope and passes its fields to a reader. Every exception becomes a refusal. */
export function reading<Result>(
  bytes: Uint8Array,
  read: (type: UnsignedTransaction['type'], items: readonly RlpItem[]) => Result,
): Result | Refused<TransactionRefusal> {
  const first = bytes[0] ?? 0
  if (first !== EIP1559_TYPE && first < LIST_PREFIX) {
    return refuse('unsupported', `Transactions of type ${first} are not handled, only legacy (EIP-155) and EIP-1559`)
  }
  try {
    const type = first === EIP1559_TYPE ? 'eip1559' : 'legacy'
    const items = decodeRlp(type === 'eip1559' ? bytes.slice(1) : bytes)
    if (items instanceof Uint8Array) throw new RangeError('it is not a list')
    return read(type, items)
  } catch (error) {
    return refuse('not-parsable', `Not an EVM transaction: ${(error as Error).message}`)
  }
}

export function readEip1559(items: readonly RlpItem[], length: number): Eip1559Transaction {
  if (items.length !== length) throw new RangeError(`it has ${items.length} fields, not ${length}`)
  const [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas] = items.slice(0, 4).map(number)
  const accessList = items[8]
  if (!Array.isArray(accessList) || accessList.length > 0) throw new RangeError('its access list is not empty')
  return checked({
    type: 'eip1559',
    chainId: chainId!,
    nonce: nonce!,
    maxPriorityFeePerGas: maxPriorityFeePerGas!,
    maxFeePerGas: maxFeePerGas!,
    ...readCall(items.slice(4, 8)),
  })
}

export function readLegacy(items: readonly RlpItem[], chainId: bigint): LegacyTransaction {
  const [nonce, gasPrice] = items.slice(0, 2).map(number)
  return checked({ type: 'legacy', chainId, nonce: nonce!, gasPrice: gasPrice!, ...readCall(items.slice(2, 6)) })
}

function readCall(items: readonly RlpItem[]): Pick<Call, 'gas' | 'to' | 'value' | 'data'> {
  const [gas, to, value, data] = items
  return { gas: number(gas), to: addressOfBytes(string(to)), value: number(value), data: toHex(string(data)) }
}

export function string(item: RlpItem | undefined): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new RangeError('a field is missing or a list')
  return item
}

export function number(item: RlpItem | undefined): bigint {
  const bytes = string(item)
  if (bytes[0] === 0) throw new RangeError('a number has leading zeros')
  return bytesToNumber(bytes)
}

function checked<T extends UnsignedTransaction>(transaction: T): T {
  assertRanges(transaction)
  return transaction
}

/** EIP-2681 for the nonce; the client's types for the rest. Throws a RangeError. */
export function assertRanges(transaction: UnsignedTransaction): void {
  const { chainId, nonce, gas, value } = transaction
  const prices =
    transaction.type === 'legacy'
      ? [transaction.gasPrice]
      : [transaction.maxFeePerGas, transaction.maxPriorityFeePerGas]
  if (chainId < 1n || chainId >= UINT64) throw new RangeError('the chain id is out of range')
  if (nonce < 0n || nonce >= UINT64 - 1n) throw new RangeError('the nonce is out of range')
  if (gas < 0n || gas >= UINT64) throw new RangeError('the gas limit is out of range')
  if ([value, ...prices].some((wei) => wei < 0n || wei >= UINT256)) throw new RangeError('an amount is out of range')
  if (transaction.type === 'eip1559' && transaction.maxPriorityFeePerGas > transaction.maxFeePerGas) {
    throw new RangeError('the priority fee is above the whole fee')
  }
}
