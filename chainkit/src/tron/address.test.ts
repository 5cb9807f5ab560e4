import * as fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import {
  addressBytes,
  addressOfBytes,
  addressOfEvmForm,
  addressOfHex,
  addressOfPublicKey,
  evmFormOf,
  hexOfAddress,
  parseAddress,
} from './address.ts'
import { arbitraryKey } from './test-tronweb.ts'
import { secp256k1 } from '@noble/curves/secp256k1.js'

/** Tether's contract, as its issuer publishes it, and java-tron's documented hex of an address. */
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const USDT_HEX = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'

const reasonFor = (text: string): string => {
  const parsed = parseAddress(text)
  return isRefused(parsed) ? parsed.refused : 'accepted'
}
const bytes20 = fc.uint8Array({ minLength: 20, maxLength: 20 })
const withPrefix = (bytes: Uint8Array): Uint8Array => Uint8Array.from([0x41, ...bytes])

describe('parseAddress', () => {
  test.each([USDT, 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6'])(
    'reads %s',
    (address) => {
      expect(parseAddress(address)).toEqual({ address })
    },
  )

  test.each([
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T', 'checksum'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj66', 'checksum'],
    ['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'burn'],
    ['TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy', 'burn'],
    [USDT_HEX, 'format'],
    [`0x${USDT_HEX.slice(2)}`, 'format'],
    [` ${USDT}`, 'format'],
    [`${USDT}\n`, 'format'],
    [USDT.slice(0, -1), 'format'],
    [`${USDT}a`, 'format'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj0t', 'format'],
    ['1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA', 'format'],
    ['0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'format'],
    ['', 'format'],
  ])('refuses %j as %s', (text, reason) => {
    expect(reasonFor(text)).toBe(reason)
  })

  test('refuses the first 65,536 addresses, which have no known keys', () => {
    for (const last of ['0000', '0001', 'dead', 'ffff'])
      expect(reasonFor(addressOfEvmForm(`0x${'0'.repeat(36)}${last}`))).toBe('burn')
    expect(reasonFor(addressOfEvmForm(`0x${'0'.repeat(35)}1${'0'.repeat(4)}`))).toBe('accepted')
  })

  test('B17 accepts the same addresses as tronweb, also with one character changed', () => {
    const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl'
    fc.assert(
      fc.property(bytes20, fc.nat({ max: 33 }), fc.constantFrom(...base58), (bytes, at, character) => {
        const address = addressOfBytes(withPrefix(bytes))
        const mutated = address.slice(0, at) + character + address.slice(at + 1)
        if (reasonFor(mutated) !== 'burn') expect(reasonFor(mutated) === 'accepted').toBe(TronWeb.isAddress(mutated))
      }),
      { numRuns: cases(1000) },
    )
  })
})

describe('forms of one address', () => {
  test('are those that tronweb writes', () => {
    fc.assert(
      fc.property(bytes20, (bytes) => {
        const address = addressOfBytes(withPrefix(bytes))
        expect(address).toBe(TronWeb.address.fromHex(`41${Buffer.from(bytes).toString('hex')}`))
        expect(hexOfAddress(address)).toBe(TronWeb.address.toHex(address).toLowerCase())
        expect(addressOfHex(hexOfAddress(address))).toBe(address)
        expect(addressOfEvmForm(evmFormOf(address))).toBe(address)
        expect(addressOfEvmForm(evmFormOf(address).slice(2))).toBe(address)
        expect(addressBytes(address)).toEqual(withPrefix(bytes))
      }),
      { numRuns: cases(300) },
    )
    expect(hexOfAddress(USDT)).toBe(USDT_HEX)
  })

  test('of public keys agree with tronweb, compressed and whole', () => {
    fc.assert(
      fc.property(arbitraryKey, (key) => {
        const address = TronWeb.address.fromPrivateKey(Buffer.from(key).toString('hex'))
        expect(addressOfPublicKey(secp256k1.getPublicKey(key))).toBe(address)
        expect(addressOfPublicKey(secp256k1.getPublicKey(key, false))).toBe(address)
      }),
      { numRuns: cases(50) },
    )
    expect(utils.crypto.isAddressValid(USDT)).toBe(true)
  })

  test('are refused with another prefix, length or digit', () => {
    expect(() => addressOfBytes(Uint8Array.from([0xa0, ...new Uint8Array(20)]))).toThrow(RangeError)
    expect(() => addressOfBytes(new Uint8Array(20))).toThrow(RangeError)
    expect(() => addressBytes('1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA')).toThrow(RangeError)
    for (const hex of [USDT_HEX.slice(2), `42${USDT_HEX.slice(2)}`, `0x${USDT_HEX}`, `${USDT_HEX.slice(0, -1)}g`])
      expect(() => addressOfHex(hex)).toThrow(RangeError)
    expect(() => addressOfEvmForm(USDT_HEX)).toThrow(RangeError)
  })
})
