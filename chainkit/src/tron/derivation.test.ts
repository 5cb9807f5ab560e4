import { hex } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { TronWeb } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { HARDENED } from '../account.ts'
import { deriveAddress as deriveEvmAddress } from '../evm/derivation.ts'
import { evmFormOf } from './address.ts'
import { accountPath, deriveAddress } from './derivation.ts'

const ABANDON = `${'abandon '.repeat(11)}about`
const JUNK = `${'test '.repeat(11)}junk`
/** Their BIP 39 seeds. */
const SEEDS = {
  [ABANDON]:
    '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
  [JUNK]:
    '9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0',
}

const accountKey = (mnemonic: string, account: 'deposit' | 'hot'): HDKey =>
  accountPath(account).reduce(
    (key, index) => key.deriveChild(index),
    HDKey.fromMasterSeed(hex.decode(SEEDS[mnemonic]!)),
  )

describe('deriveAddress', () => {
  test.each([
    [ABANDON, 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
    [JUNK, 'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6'],
  ])('gives the known first address of %s', (mnemonic, address) => {
    expect(deriveAddress(accountKey(mnemonic, 'deposit').publicExtendedKey, 0).address).toBe(address)
  })

  test.each([
    ['deposit', 0],
    ['hot', 1],
  ] as const)('of the %s account agrees with tronweb', (account, number) => {
    const xpub = accountKey(JUNK, account).publicExtendedKey
    for (const index of [0, 1, 77, 2 ** 31 - 1]) {
      expect(deriveAddress(xpub, index).address).toBe(
        TronWeb.fromMnemonic(JUNK, `m/44'/195'/${number}'/0/${index}`).address,
      )
    }
  })

  test("is of TRON's coin type: no address has the key of an EVM chain's", () => {
    const evm = HDKey.fromMasterSeed(hex.decode(SEEDS[JUNK]!)).derive("m/44'/60'/0'").publicExtendedKey
    const ours = deriveAddress(accountKey(JUNK, 'deposit').publicExtendedKey, 0).address
    expect(evmFormOf(ours)).not.toBe(deriveEvmAddress(evm, 0).address.toLowerCase())
    expect(evmFormOf(deriveAddress(evm, 0).address)).toBe(deriveEvmAddress(evm, 0).address.toLowerCase())
  })

  test('refuses private keys, other depths and indexes out of range', () => {
    const account = accountKey(JUNK, 'hot')
    expect(() => deriveAddress(account.privateExtendedKey, 0)).toThrow(/private key/)
    expect(() => deriveAddress(account.deriveChild(0).publicExtendedKey, 0)).toThrow(/depth 4/)
    expect(() => deriveAddress('xpub', 0)).toThrow(/not an extended public key/)
    expect(() => deriveAddress(account.publicExtendedKey, HARDENED)).toThrow(RangeError)
  })
})
