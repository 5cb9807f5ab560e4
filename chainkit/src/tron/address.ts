import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { createBase58check } from '@scure/base'
import type { Hex } from '../evm/hex.ts'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'

/** `checksum`: base58 of the right form with a wrong checksum. `burn`: an address whose key is unknown. */
export type AddressRefusal = 'checksum' | 'format' | 'burn'

/** First byte of every address of TRON's main network and of the test networks that follow it. */
const PREFIX = 0x41
/** 0x41 makes every base58check text of 25 bytes begin with T and have 34 characters. */
const BASE58 = /^T[1-9A-HJ-NP-Za-km-z]{33}$/
const HEX = /^41[0-9a-fA-F]{40}$/
const EVM_FORM = /^0x[0-9a-fA-F]{40}$/
/** Zero, precompiled contracts and 0x…dEaD: the first 65,536 addresses, as on EVM chains. */
const RESERVED_BYTES = 18
/** The account that java-tron credits with burnt fees (`getBlackholeAddress`). */
const BLACK_HOLE = 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'
const base58check = createBase58check(sha256)

/** Reads an address as a payer typed it: base58check only, so that the checksum detects typing errors. Never throws. */
export function parseAddress(text: string): { address: string } | Refused<AddressRefusal> {
  if (!BASE58.test(text)) return refuse('format', 'An address of TRON is T and 33 characters of base58')
  const bytes = decode(text)
  if (!bytes) return refuse('checksum', 'A character of this address is wrong')
  const isReserved = bytes.slice(1, 1 + RESERVED_BYTES).every((byte) => byte === 0)
  if (isReserved || text === BLACK_HOLE) {
    return refuse('burn', 'Nobody holds the key of this address: money sent there is lost')
  }
  return { address: text }
}

function decode(text: string): Uint8Array | undefined {
  try {
    const bytes = base58check.decode(text)
    return bytes.length === 21 && bytes[0] === PREFIX ? bytes : undefined
  } catch {
    return undefined
  }
}

/**
 * The base58check text of 0x41 and 20 bytes, the form used in transactions. Throws a RangeError for any other bytes.
 */
export function addressOfBytes(bytes: Uint8Array): string {
  if (bytes.length !== 21 || bytes[0] !== PREFIX) throw new RangeError('An address is 0x41 and 20 bytes')
  return base58check.encode(bytes)
}

/** 0x41 and 20 bytes. Throws a RangeError when the text is no base58check address. */
export function addressBytes(address: string): Uint8Array {
  const bytes = decode(address)
  if (!bytes) throw new RangeError(`Not an address of TRON: ${address}`)
  return bytes
}

/** Converts `41…`, the hex that java-tron returns without `visible`, to base58check. */
export function addressOfHex(hex: string): string {
  if (!HEX.test(hex)) throw new RangeError('An address in hex is 41 and 40 digits')
  return addressOfBytes(hexToBytes(hex))
}

/** `41` and 40 digits in lower case, as java-tron accepts it. */
export function hexOfAddress(address: string): string {
  return bytesToHex(addressBytes(address))
}

/** Converts `0x…` or 40 bare digits, the form in contracts, logs and call data, to base58check. */
export function addressOfEvmForm(hex: string): string {
  const text = hex.startsWith('0x') ? hex : `0x${hex}`
  if (!EVM_FORM.test(text)) throw new RangeError('An address in a contract is 40 hex digits')
  return addressOfBytes(concatBytes(Uint8Array.of(PREFIX), hexToBytes(text.slice(2))))
}

/** `0x` and 40 digits in lower case: the address without its first byte. */
export function evmFormOf(address: string): Hex {
  return `0x${hexOfAddress(address).slice(2)}`
}

/** The address of a public key, compressed or not: 0x41 and the last 20 bytes of its hash, as on Ethereum. */
export function addressOfPublicKey(publicKey: Uint8Array): string {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  return addressOfBytes(concatBytes(Uint8Array.of(PREFIX), keccak_256(uncompressed.slice(1)).slice(-20)))
}
