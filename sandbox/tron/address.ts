/**
 * Addresses: the byte 41 and the last 20 bytes of the Keccak-256 of the public key. Inside this chain an address is its
 * 42 hexadecimal digits, lower case; people write it in base58 with a checksum (base58check, as Bitcoin's).
 */
import { bytesOf, concat, hexOf, keccak, sameBytes, sha256 } from './bytes.ts'

/** 42 hexadecimal digits, the first two 41. */
export type Address = string

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export const base58Of = (address: Address): string => {
  const payload = bytesOf(address)
  const bytes = concat(payload, checksum(payload))
  let number = BigInt(`0x${hexOf(bytes)}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = (digits[Number(number % 58n)] as string) + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(Math.max(0, zeros)) + text
}

/** Parses both forms. Throws an Error for text that is not a TRON address. */
export const addressOf = (text: string): Address => {
  const found = /^(0x)?41[0-9a-f]{40}$/i.test(text) ? text.replace(/^0x/i, '').toLowerCase() : decodeBase58(text)
  if (!isAddress(found)) throw new Error(`no address: ${text.slice(0, 80)}`)
  return found
}

export const isAddress = (hex: string): boolean => /^41[0-9a-f]{40}$/.test(hex)

/** From the uncompressed public key: 04 and 64 bytes. */
export const addressOfKey = (publicKey: Uint8Array): Address => `41${hexOf(keccak(publicKey.subarray(1)).subarray(12))}`

/** Returns the 20 bytes that the EVM uses as the address. */
export const evmAddressOf = (address: Address): Uint8Array => bytesOf(address.slice(2))
export const addressOfEvm = (bytes: Uint8Array): Address => `41${hexOf(bytes)}`

/** Only for text that is base58check of 21 bytes; any prefix. Throws an Error. */
const decodeBase58 = (text: string): string => {
  if (text.length > 40) throw new Error(`no address: ${text.slice(0, 80)}`)
  let number = 0n
  for (const digit of text) {
    const value = digits.indexOf(digit)
    if (value < 0) throw new Error(`no address: ${text}`)
    number = number * 58n + BigInt(value)
  }
  const hex = number.toString(16).padStart(50, '0')
  if (hex.length !== 50) throw new Error(`no address: ${text}`)
  const bytes = bytesOf(hex)
  const payload = bytes.subarray(0, 21)
  if (!sameBytes(checksum(payload), bytes.subarray(21))) throw new Error(`the address has a wrong checksum: ${text}`)
  return hexOf(payload)
}

const checksum = (payload: Uint8Array): Uint8Array => sha256(sha256(payload)).subarray(0, 4)

/** Returns a contract's address: the last 20 bytes of the Keccak-256 of the transaction's id and its owner. */

export const contractAddressOf = (transactionId: string, owner: Address): Address =>
  addressOfEvm(keccak(concat(bytesOf(transactionId), bytesOf(owner))).subarray(12))
