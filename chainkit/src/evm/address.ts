import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import type { Hex } from './hex.ts'

/** `checksum`: mixed case that violates EIP-55. `burn`: an address whose key can't be known. */
export type AddressRefusal = 'checksum' | 'format' | 'burn'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
/**
 * The first 65,536 addresses: zero, precompiled and system contracts, and 0x…dEaD. Their keys are unknown, so money
 * sent there is lost.
 */
const RESERVED = /^0x0{36}/

/** The EIP-55 text of 20 bytes. */
export function addressOfBytes(bytes: Uint8Array): Hex {
  if (bytes.length !== 20) throw new RangeError(`An address has 20 bytes, not ${bytes.length}`)
  return casedByHash(bytesToHex(bytes))
}

/** The EIP-55 text of an address in any case. Throws a RangeError when it is not 0x and 40 hex digits. */
export function checksumAddress(address: string): Hex {
  if (!ADDRESS.test(address)) throw new RangeError('An address is 0x and 40 hex digits')
  return casedByHash(address.slice(2).toLowerCase())
}

/**
 * Applies EIP-55: a letter is upper case where the hash of all digits has 8 or more at its place. Every withdrawal
 * calls this.
 */
function casedByHash(digits: string): Hex {
  for (let at = 0; at < 40; at += 1) ascii[at] = digits.charCodeAt(at)
  const hash = keccak_256(ascii)
  let text: Hex = '0x'
  for (let at = 0; at < 40; at += 1) {
    const isUpper = (hash[at >> 1]! & (at % 2 === 0 ? 0x80 : 0x08)) !== 0
    text += isUpper ? digits[at]!.toUpperCase() : digits[at]!
  }
  return text
}

/** Buffer for the digits to hash; refilled by each call. */
const ascii = new Uint8Array(40)

/** Reads an address as a payer typed it: one case throughout, or the mixed case of EIP-55. Never throws. */
export function parseAddress(text: string): { address: Hex } | Refused<AddressRefusal> {
  if (!ADDRESS.test(text)) return refuse('format', 'An address is 0x and 40 hex digits')
  const digits = text.slice(2)
  const address = checksumAddress(text)
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (!oneCase && text !== address) return refuse('checksum', 'A character of this address is wrong')
  if (RESERVED.test(text)) return refuse('burn', 'Nobody holds the key of this address: money sent there is lost')
  return { address }
}

/** The address of a public key, compressed or not: the last 20 bytes of its hash (yellow paper, appendix F). */
export function addressOfPublicKey(publicKey: Uint8Array): Hex {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  return addressOfBytes(keccak_256(uncompressed.slice(1)).slice(-20))
}
