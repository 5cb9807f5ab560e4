/** Converts bytes to hexadecimal text and back, and computes TRON's two hashes. */
import { createHash } from 'node:crypto'
import { keccak256 } from 'viem'

export const noBytes = new Uint8Array(0)

/** Lower case, without 0x. */
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Parses hexadecimal text, with or without 0x. Throws an Error for an odd number of digits or other characters. */
export const bytesOf = (hex: string): Uint8Array => {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) throw new Error(`not hexadecimal: ${hex.slice(0, 80)}`)
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
export const textBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'))
export const hexOfText = (text: string): string => hexOf(textBytes(text))
export const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest())
export const keccak = (bytes: Uint8Array): Uint8Array => keccak256(bytes, 'bytes')
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** Big-endian, 8 bytes. */
export const uint64Bytes = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return new Uint8Array(bytes)
}
