import * as fc from 'fast-check'
import { getAddress, isAddress } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { addressOfPublicKey, checksumAddress, parseAddress } from './address.ts'
import { toHex } from './hex.ts'

const reasonFor = (text: string): string => {
  const parsed = parseAddress(text)
  return isRefused(parsed) ? parsed.refused : 'accepted'
}

const bytes20 = fc.uint8Array({ minLength: 20, maxLength: 20 })
const living = bytes20.filter((bytes) => bytes.slice(0, 18).some((byte) => byte !== 0))

describe('parseAddress', () => {
  test.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ])('reads the published EIP-55 address %s in any one case', (address) => {
    expect(parseAddress(address)).toEqual({ address })
    expect(parseAddress(address.toLowerCase())).toEqual({ address })
    expect(parseAddress(`0x${address.slice(2).toUpperCase()}`)).toEqual({ address })
  })

  test.each([
    ['0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'checksum'],
    ['0x0000000000000000000000000000000000000000', 'burn'],
    ['0x0000000000000000000000000000000000000001', 'burn'],
    ['0x000000000000000000000000000000000000dEaD', 'burn'],
    ['0x000000000000000000000000000000000000DEAD', 'burn'],
    ['5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'format'],
    ['0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'format'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', 'format'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedd', 'format'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n', 'format'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg', 'format'],
    ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'format'],
    ['TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'format'],
    ['vitalik.eth', 'format'],
    ['', 'format'],
  ])('refuses %j as %s', (text, reason) => {
    expect(reasonFor(text)).toBe(reason)
  })

  test('one changed character of a mixed-case address is refused, save where viem too finds the checksum right', () => {
    fc.assert(
      fc.property(
        living,
        fc.nat({ max: 41 }),
        fc.constantFrom(...'0123456789abcdefABCDEFxXgO'),
        (bytes, at, character) => {
          const text = checksumAddress(toHex(bytes))
          fc.pre(text[at] !== character && /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text))
          const mutated = text.slice(0, at) + character + text.slice(at + 1)
          // viem holds all upper case to the checksum; EIP-55 lets it pass.
          const oneCase = mutated.slice(2) === mutated.slice(2).toUpperCase()
          if (reasonFor(mutated) === 'accepted') expect(isAddress(mutated, { strict: true }) || oneCase).toBe(true)
          if (at < 2) expect(reasonFor(mutated)).toBe('format')
        },
      ),
      { numRuns: cases(2000) },
    )
  })

  test('B17 accepts the addresses that viem accepts, and writes them the same way', () => {
    fc.assert(
      fc.property(living, fc.infiniteStream(fc.boolean()), (bytes, upper) => {
        const text = `0x${toHex(bytes)
          .slice(2)
          .replaceAll(/./g, (digit) => (upper.next().value ? digit.toUpperCase() : digit))}`
        const parsed = parseAddress(text)
        // viem holds all upper case to the checksum; EIP-55 lets it pass.
        const oneCase = text.slice(2) === text.slice(2).toUpperCase()
        expect(!isRefused(parsed)).toBe(isAddress(text, { strict: true }) || oneCase)
        expect(checksumAddress(text)).toBe(getAddress(toHex(bytes)))
      }),
      { numRuns: cases(500) },
    )
  })
})

test('addressOfPublicKey agrees with viem for compressed and whole keys', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: secp256k1.Point.Fn.ORDER - 1n }), (scalar) => {
      const key = secp256k1.Point.Fn.toBytes(scalar)
      const address = privateKeyToAddress(toHex(key))
      expect(addressOfPublicKey(secp256k1.getPublicKey(key))).toBe(address)
      expect(addressOfPublicKey(secp256k1.getPublicKey(key, false))).toBe(address)
    }),
    { numRuns: cases(50) },
  )
})
