import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

/** Bytes as JSON-RPC writes them: `0x` and two digits for each byte. */
export type Hex = `0x${string}`

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

export function isHex(text: string): text is Hex {
  return HEX.test(text)
}

/** Lower case. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}`
}

/** Throws a RangeError when the text is not hex of this form. */
export function fromHex(text: string): Uint8Array {
  if (!isHex(text)) throw new RangeError('Hex starts with 0x and has two digits for each byte')
  return hexToBytes(text.slice(2))
}

/** Encodes a number in the fewest big-endian bytes; zero is empty. */
export function numberToBytes(value: bigint): Uint8Array {
  if (value < 0n) throw new RangeError('Numbers on an EVM chain are not negative')
  if (value === 0n) return new Uint8Array()
  const digits = value.toString(16)
  return hexToBytes(digits.length % 2 ? `0${digits}` : digits)
}

export function bytesToNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(toHex(bytes))
}
