import { isHex } from './hex.ts'
import type { Hex } from './hex.ts'
import { SELECTOR_DIGITS, WORD_DIGITS, addressFromWord, addressWord, selector, uintWord } from './erc20.ts'

/**
 * Call data as 32-byte words (contract ABI). The decoder re-encodes and compares, so that only the encoding we write is
 * accepted.
 */
export class Words {
  readonly #digits: string

  constructor(digits: string) {
    this.#digits = digits
  }

  /**
   * Reads a number. Throws a RangeError beyond the end of the data.
   * @param at byte offset
   */
  uint(at: number): bigint {
    return BigInt(`0x${this.word(at)}`)
  }

  /**
   * Reads an address. Throws a RangeError when the word is not one.
   * @param at byte offset
   */
  address(at: number): Hex {
    const address = addressFromWord(this.word(at))
    if (!address) throw new RangeError('a word is no address')
    return address
  }

  /**
   * Reads an offset or a count. Throws a RangeError when it does not fit this data.
   * @param at byte offset
   */
  size(at: number): number {
    const size = this.uint(at)
    if (size * 2n > BigInt(this.#digits.length)) throw new RangeError('a length runs past the end')
    return Number(size)
  }

  word(at: number): string {
    const word = this.#digits.slice(at * 2, at * 2 + WORD_DIGITS)
    if (word.length !== WORD_DIGITS) throw new RangeError('a word is missing')
    return word
  }
}

export const WORD = 32

/** Encodes a dynamic list of encoded items of fixed size. */
export const listWords = (items: readonly string[]): string => uintWord(BigInt(items.length)) + items.join('')

export const addressList = (addresses: readonly string[]): string => listWords(addresses.map(addressWord))

/**
 * Reads a list of addresses.
 * @param at byte offset of its length
 */
export const readAddressList = (words: Words, at: number): Hex[] =>
  Array.from({ length: words.size(at) }, (_, index) => words.address(at + WORD * (index + 1)))

export interface Call<Arguments> {
  encode: (values: Arguments) => Hex
  /** undefined for anything that `encode` would not have written; never throws */
  decode: (data: string) => Arguments | undefined
}

/**
 * An encoder and decoder for calls of one contract function.
 * @param signature as the ABI hashes it, such as `transfer(address,uint256)`
 * @param write encodes the arguments as hex digits
 * @param read decodes the arguments; may throw a RangeError and need not be strict
 */
export const callOf = <Arguments>(
  signature: string,
  write: (values: Arguments) => string,
  read: (words: Words) => Arguments,
): Call<Arguments> => {
  const prefix = selector(signature)
  const encode = (values: Arguments): Hex => `0x${prefix}${write(values)}`
  const decode = (data: string): Arguments | undefined => {
    const lower = data.toLowerCase()
    if (!isHex(lower) || !lower.startsWith(`0x${prefix}`)) return undefined
    try {
      const values = read(new Words(lower.slice(2 + SELECTOR_DIGITS)))
      return encode(values) === lower ? values : undefined
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
  return { encode, decode }
}
