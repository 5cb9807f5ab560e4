import { isHex } from './hex.ts'
import type { Hex } from './hex.ts'
import { SELECTOR_DIGITS, WORD_DIGITS, addressFromWord, addressWord, selector, uintWord } from './erc20.ts'

/**
 * Call data as its words of 32 bytes (the contract ABI). The decoder encodes again and compares: only the one
 * spelling that we write is read.
 */
export class Words {
  readonly #digits: string

  constructor(digits: string) {
    this.#digits = digits
  }

  /** Throws a RangeError when there is no such word. @param at in bytes */
  uint(at: number): bigint {
    return BigInt(`0x${this.word(at)}`)
  }

  /** Throws a RangeError when the word is no address. @param at in bytes */
  address(at: number): Hex {
    const address = addressFromWord(this.word(at))
    if (!address) throw new RangeError('a word is no address')
    return address
  }

  /** A place or a count that fits this data. Throws a RangeError. @param at in bytes */
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

/** A dynamic list of items whose size is fixed, each already words. */
export const listWords = (items: readonly string[]): string => uintWord(BigInt(items.length)) + items.join('')

export const addressList = (addresses: readonly string[]): string => listWords(addresses.map(addressWord))

/** The addresses of a list. @param at where its length stands, in bytes */
export const readAddressList = (words: Words, at: number): Hex[] =>
  Array.from({ length: words.size(at) }, (_, index) => words.address(at + WORD * (index + 1)))

export interface Call<Arguments> {
  encode: (values: Arguments) => Hex
  /** undefined when the data is anything but exactly what `encode` writes; never throws */
  decode: (data: string) => Arguments | undefined
}

/**
 * A function of a contract as a pair that undo each other.
 * @param signature as the ABI hashes it, such as `transfer(address,uint256)`
 * @param write the arguments as hex digits
 * @param read the arguments; may throw a RangeError, and need not be strict
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
