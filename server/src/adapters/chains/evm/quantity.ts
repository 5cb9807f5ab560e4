import { checksumAddress, type Hex } from '@bursar/chainkit/evm'
import { exactOf, Malformed, textOf } from '../shape.ts'

const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const HASH = /^0x[0-9a-f]{64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i

/** Parses a quantity of Ethereum's JSON-RPC. */
export const quantityOf = (value: unknown, what: string): bigint => {
  const text = textOf(value, what)
  if (!QUANTITY.test(text)) throw new Malformed(`${what} is no quantity`)
  return BigInt(text)
}

/** Parses a quantity as a safe integer: heights, nonces, times. */
export const countOf = (value: unknown, what: string): number => exactOf(quantityOf(value, what), what)

/** Parses a hash in lower case, the form for comparison and storage. */
export const hashOf = (value: unknown, what: string): string => {
  const text = textOf(value, what)
  if (!HASH.test(text)) throw new Malformed(`${what} is no hash`)
  return text.toLowerCase()
}

/** Parses an address in EIP-55 mixed case, the form for comparison and storage. */
export const addressOf = (value: unknown, what: string): Hex => {
  const text = textOf(value, what)
  if (!ADDRESS.test(text)) throw new Malformed(`${what} is no address`)
  return checksumAddress(text)
}

export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`
