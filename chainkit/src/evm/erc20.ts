import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { addressOfBytes } from './address.ts'
import { fromHex, isHex, toHex } from './hex.ts'
import type { Hex } from './hex.ts'

export const WORD_DIGITS = 64
export const SELECTOR_DIGITS = 8
export const MAX_UINT256 = 2n ** 256n - 1n

/** Topic of `Transfer(address indexed from, address indexed to, uint256 value)` (ERC-20). */
export const TRANSFER_TOPIC: Hex = toHex(keccak_256(utf8ToBytes('Transfer(address,address,uint256)')))
const TRANSFER = selector('transfer(address,uint256)')
const BALANCE_OF = selector('balanceOf(address)')
const DECIMALS = selector('decimals()')

/** The first 8 digits of a call to a function of this signature. */
export function selector(signature: string): string {
  return toHex(keccak_256(utf8ToBytes(signature)).slice(0, 4)).slice(2)
}

/** Call data of `transfer(to, units)`. Units are the token's base units. */
export function encodeTransfer(to: string, units: bigint): Hex {
  return `0x${TRANSFER}${addressWord(to)}${uintWord(units)}`
}

/** Decodes call data of `transfer`. Returns undefined for anything that `encodeTransfer` would not have written. */
export function decodeTransfer(data: string): { to: Hex; units: bigint } | undefined {
  const digits = callDigits(data)
  if (digits?.length !== SELECTOR_DIGITS + 2 * WORD_DIGITS || !digits.startsWith(TRANSFER)) return undefined
  const [first, second] = wordsOf(digits.slice(SELECTOR_DIGITS))
  const to = addressFromWord(first!)
  return to && { to, units: BigInt(`0x${second!}`) }
}

/** Call data of `balanceOf(owner)`; read the answer with `decodeUint`. */
export function encodeBalanceOf(owner: string): Hex {
  return `0x${BALANCE_OF}${addressWord(owner)}`
}

/** Call data of `decimals()`; read the answer with `decodeUint`. */
export const DECIMALS_CALL: Hex = `0x${DECIMALS}`

/**
 * Decodes the number that a call returned; undefined when the answer is not one word (no such contract or function).
 */
export function decodeUint(answer: string): bigint | undefined {
  const digits = callDigits(answer)
  return digits?.length === WORD_DIGITS ? BigInt(`0x${digits}`) : undefined
}

/** Topic of an indexed address, for filtering logs. */
export function addressTopic(address: string): Hex {
  return `0x${addressWord(address)}`
}

export interface TokenTransfer {
  from: Hex
  to: Hex
  /** token base units */
  units: bigint
}

/**
 * Decodes a `Transfer` log. Other events are `not-transfer`, including ERC-721's, which has four topics. A log with the
 * same topic but other contents is `malformed`. Never throws.
 */
export function decodeTransferLog(log: {
  topics: readonly string[]
  data: string
}): TokenTransfer | Refused<'not-transfer' | 'malformed'> {
  const [topic, from, to] = log.topics
  if (topic?.toLowerCase() !== TRANSFER_TOPIC) return refuse('not-transfer', 'The log is of another event')
  if (log.topics.length !== 3) return refuse('not-transfer', 'This Transfer is not of ERC-20: it has not three topics')
  const sender = addressFromTopic(from!)
  const receiver = addressFromTopic(to!)
  const units = decodeUint(log.data)
  if (!sender || !receiver || units === undefined) {
    return refuse('malformed', 'This Transfer is not shaped as ERC-20 says')
  }
  return { from: sender, to: receiver, units }
}

/** An address as 64 digits of call data. Throws a RangeError. */
export function addressWord(address: string): string {
  const bytes = fromHex(address)
  if (bytes.length !== 20) throw new RangeError('An address has 20 bytes')
  return toHex(bytes).slice(2).padStart(WORD_DIGITS, '0')
}

/** A number as 64 digits of call data. Throws a RangeError. */
export function uintWord(value: bigint): string {
  if (value < 0n || value > MAX_UINT256) throw new RangeError('An amount fits in 256 bits')
  return value.toString(16).padStart(WORD_DIGITS, '0')
}

function callDigits(data: string): string | undefined {
  return isHex(data) ? data.slice(2).toLowerCase() : undefined
}

function wordsOf(digits: string): string[] {
  return digits.match(/.{64}/g) ?? []
}

function addressFromTopic(topic: string): Hex | undefined {
  const digits = callDigits(topic)
  return digits?.length === WORD_DIGITS ? addressFromWord(digits) : undefined
}

/**
 * Decodes an address from 64 digits. The high 12 bytes must be zero: Solidity rejects or ignores others, and ignoring
 * them would give one address several encodings.
 */
export function addressFromWord(word: string): Hex | undefined {
  return /^0{24}/.test(word) ? addressOfBytes(fromHex(`0x${word.slice(24)}`)) : undefined
}
