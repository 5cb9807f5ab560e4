import { checksumAddress, type Hex } from '@bursar/chainkit/evm'
import { exactOf, Malformed, textOf } from '../shape.ts'

const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const HASH = /^0x[0-9a-f]{64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i

/** A number as Ethereum's JSON-RPC writes it. */
export const quantityOf = (value: unknown, what: string): bigint => {
  const text = textOf(value, what)
  if (!QUANTITY.test(text)) throw new Malformed(`${what} is no quantity`)
  return BigInt(text)
}

/** A quantity that a double holds exactly: heights, nonces, times. */
export const countOf = (value: unknown, what: string): number => exactOf(quantityOf(value, what), what)

/** In lower case, in which hashes are compared and stored. */
export const hashOf = (value: unknown, what: string): string => {
  const text = textOf(value, what)
  if (!HASH.test(text)) throw new Malformed(`${what} is no hash`)
  return text.toLowerCase()
}

/** In the mixed case of EIP-55, in which addresses are compared and stored. */
export const addressOf = (value: unknown, what: string): Hex => {
  const text = textOf(value, what)
  if (!ADDRESS.test(text)) throw new Malformed(`${what} is no address`)
  return checksumAddress(text)
}

export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`
