import { base58check, bech32, bech32m } from '@scure/base'
import { sha256 } from '@noble/hashes/sha2.js'
import { Address, NETWORK, OutScript } from '@scure/btc-signer'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { addressOf, parseAddress } from './address.ts'
import { CHAIN_PARAMETERS } from './chain.ts'
import type { BitcoinChain } from './chain.ts'
import { scriptTypeOf, writeScript } from './script.ts'
import type { ScriptType } from './script.ts'

const CHAINS = Object.keys(CHAIN_PARAMETERS) as BitcoinChain[]

const reasonFor = (text: string, chain: BitcoinChain): string => {
  const parsed = parseAddress(text, chain)
  return isRefused(parsed) ? parsed.refused : 'accepted'
}

const hash20 = fc.uint8Array({ minLength: 20, maxLength: 20 })
const hash32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const xOnlyKey = fc
  .bigInt({ min: 1n, max: secp256k1.Point.Fn.ORDER - 1n })
  .map((scalar) => secp256k1.Point.BASE.multiply(scalar).toBytes().slice(1))
const script: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc
    .tuple(fc.constantFrom<ScriptType>('p2pkh', 'p2sh', 'p2wpkh'), hash20)
    .map(([type, hash]) => writeScript(type, hash)),
  hash32.map((hash) => writeScript('p2wsh', hash)),
  xOnlyKey.map((key) => writeScript('p2tr', key)),
)
const chain = fc.constantFrom(...CHAINS)

describe('parseAddress', () => {
  test.each([
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'mainnet', 'p2pkh'],
    ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'mainnet', 'p2sh'],
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'mainnet', 'p2wpkh'],
    ['tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7', 'testnet', 'p2wsh'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'mainnet', 'p2tr'],
    ['1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA', 'mainnet', 'p2pkh'],
    ['37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf', 'mainnet', 'p2sh'],
    ['bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr', 'mainnet', 'p2tr'],
    ['bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk', 'regtest', 'p2wpkh'],
  ] as const)('reads the published address %s', (text, on, type) => {
    const parsed = parseAddress(text, on)
    if (isRefused(parsed)) throw new Error(parsed.message)
    expect(parsed.type).toBe(type)
    expect(scriptTypeOf(parsed.script)).toBe(type)
    expect(addressOf(parsed.script, on)).toBe(parsed.address)
    expect(parsed.address).toBe(text.startsWith('BC1') ? text.toLowerCase() : text)
  })

  test.each([
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', 'checksum'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'checksum'],
    // Version 0 in bech32m and version 1 in bech32 (BIP 350).
    ['bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'checksum'],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'checksum'],
    // A program of 16 bytes, of 2 (pay to anchor), an empty one, mixed case (BIP 173, 350, 433).
    ['BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P', 'format'],
    [bech32m.encode('bc', [1, ...bech32m.toWords(Uint8Array.of(0x4e, 0x73))]), 'format'],
    ['bc1gmk9yu', 'format'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4', 'format'],
    // Version 2 of 32 bytes: a later soft fork's.
    [bech32m.encode('bc', [2, ...bech32m.toWords(new Uint8Array(32))]), 'format'],
    // Taproot with a key off the curve (BIP 341 test vectors).
    [bech32m.encode('bc', [1, ...bech32m.toWords(new Uint8Array(32).fill(255))]), 'format'],
    ['', 'format'],
    [' bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'format'],
    ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu\n', 'format'],
    ['x'.repeat(10_000), 'format'],
  ])('refuses %s as %s', (text, reason) => {
    expect(reasonFor(text, 'mainnet')).toBe(reason)
  })

  const base58 = (version: number, length = 20): string =>
    base58check(sha256).encode(Uint8Array.of(version, ...new Uint8Array(length).fill(7)))
  const segwit = (hrp: string): string => bech32.encode(hrp, [0, ...bech32.toWords(new Uint8Array(20).fill(7))])

  test.each([
    ['Bitcoin testnet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'network'],
    ['Bitcoin testnet base58', base58(0x6f), 'network'],
    ['Bitcoin regtest', 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk', 'network'],
    ['Litecoin', segwit('ltc'), 'network'],
    ['Litecoin base58', base58(0x30), 'network'],
    ['Dogecoin', base58(0x1e), 'network'],
    ['Dash', base58(0x4c), 'network'],
    ['TRON', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'network'],
    ['BNB beacon chain', bech32.encode('bnb', bech32.toWords(new Uint8Array(20).fill(7))), 'network'],
    ['Cosmos', bech32.encode('cosmos', bech32.toWords(new Uint8Array(20).fill(7))), 'network'],
    ['Ethereum', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'format'],
    ['Bitcoin Cash', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', 'format'],
    ['Zcash', base58check(sha256).encode(Uint8Array.of(0x1c, 0xb8, ...new Uint8Array(20))), 'format'],
    ['Solana', 'So11111111111111111111111111111111111111112', 'format'],
    ['a private key', base58(0x80, 32), 'format'],
    ['an invoice of Lightning', 'lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf', 'format'],
  ])('refuses an address of %s', (_network, text, reason) => {
    expect(reasonFor(text, 'mainnet')).toBe(reason)
  })

  test('accepts and returns the same addresses as the library', () => {
    fc.assert(
      fc.property(script, (bytes) => {
        const text = addressOf(bytes, 'mainnet')!
        const decoded = Address(NETWORK).decode(text) as Parameters<typeof OutScript.encode>[0]
        expect(OutScript.encode(decoded)).toEqual(bytes)
        expect(parseAddress(text, 'mainnet')).toMatchObject({ address: text, script: bytes })
      }),
    )
  })

  test('an address of one chain is an address of another only where Bitcoin gives both the same text', () => {
    fc.assert(
      fc.property(script, chain, chain, (bytes, made, read) => {
        const text = addressOf(bytes, made)!
        const sameText = addressOf(bytes, read) === text
        expect(reasonFor(text, read)).toBe(sameText ? 'accepted' : 'network')
      }),
    )
  })

  test('B17 one changed character is refused', () => {
    const characters = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
    fc.assert(
      fc.property(script, chain, fc.nat(), fc.constantFrom(...characters), (bytes, on, place, character) => {
        const text = addressOf(bytes, on)!
        const at = place % text.length
        fc.pre(text[at] !== character)
        const mutated = text.slice(0, at) + character + text.slice(at + 1)
        for (const read of CHAINS) expect(reasonFor(mutated, read)).not.toBe('accepted')
      }),
      { numRuns: cases(2000) },
    )
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), chain, (text, on) => {
        expect(['accepted', 'checksum', 'network', 'format']).toContain(reasonFor(text, on))
      }),
      { numRuns: cases(1000) },
    )
  })
})

describe('addressOf', () => {
  test.each([
    ['data', Uint8Array.of(0x6a, 0x02, 0x01, 0x02)],
    ['bare multisig', Uint8Array.of(0x51, 0x21, ...new Uint8Array(33).fill(2), 0x51, 0xae)],
    ['an unknown witness version', Uint8Array.of(0x52, 0x20, ...new Uint8Array(32))],
    ['pay to anchor', Uint8Array.of(0x51, 0x02, 0x4e, 0x73)],
    ['pay to public key', Uint8Array.of(0x21, ...new Uint8Array(33).fill(2), 0xac)],
    ['nothing', new Uint8Array()],
    ['a push that runs past the end', Uint8Array.of(0x00, 0x14, 0x01)],
  ])('returns undefined for %s', (_name, bytes) => {
    expect(addressOf(bytes, 'mainnet')).toBeUndefined()
  })
})
