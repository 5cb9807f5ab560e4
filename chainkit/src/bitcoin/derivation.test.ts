import { HDKey } from '@scure/bip32'
import { hex } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { HARDENED } from '../account.ts'
import type { KeyAccount } from '../account.ts'
import type { BitcoinChain } from './chain.ts'
import { CHAIN_PARAMETERS } from './chain.ts'
import { accountPath, deriveAddress, keyOrigin } from './derivation.ts'

/** BIP 39 seeds of the two mnemonics every wallet is tested with. */
const ABANDON = hex.decode(
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
)
const JUNK = hex.decode(
  '9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0',
)

function accountKey(seed: Uint8Array, account: KeyAccount, chain: BitcoinChain): HDKey {
  const master = HDKey.fromMasterSeed(seed, CHAIN_PARAMETERS[chain].extendedKey)
  return accountPath(account, chain).reduce((key, index) => key.deriveChild(index), master)
}

const xpubOf = (seed: Uint8Array, account: KeyAccount, chain: BitcoinChain): string =>
  accountKey(seed, account, chain).publicExtendedKey

describe('deriveAddress', () => {
  test.each([
    [0, 0, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    [0, 1, 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
    [1, 0, 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el'],
  ] as const)('gives the published BIP 84 address of branch %i index %i', (branch, index, address) => {
    expect(deriveAddress(xpubOf(ABANDON, 'deposit', 'mainnet'), branch, index, 'mainnet').address).toBe(address)
  })

  test('gives the regtest addresses of the two test mnemonics', () => {
    const first = (seed: Uint8Array): string =>
      deriveAddress(xpubOf(seed, 'deposit', 'regtest'), 0, 0, 'regtest').address
    expect(first(ABANDON)).toBe('bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk')
    expect(first(JUNK)).toBe('bcrt1qquv9lg5g2r4jkr0ahun0ddfg5xntxjelwjpnuw')
  })

  test('keeps deposit and hot keys on different hardened accounts', () => {
    expect(accountPath('deposit', 'mainnet')).toEqual([84 + HARDENED, HARDENED, HARDENED])
    expect(accountPath('hot', 'regtest')).toEqual([84 + HARDENED, 1 + HARDENED, 1 + HARDENED])
    expect(xpubOf(ABANDON, 'deposit', 'mainnet')).not.toBe(xpubOf(ABANDON, 'hot', 'mainnet'))
  })

  test('refuses keys of another chain, of another depth, and private ones', () => {
    const account = accountKey(ABANDON, 'deposit', 'mainnet')
    expect(() => deriveAddress(account.publicExtendedKey, 0, 0, 'regtest')).toThrow(/not an extended public key/)
    expect(() => deriveAddress(account.privateExtendedKey, 0, 0, 'mainnet')).toThrow(/private key/)
    expect(() => deriveAddress(account.deriveChild(0).publicExtendedKey, 0, 0, 'mainnet')).toThrow(/depth 4/)
    expect(() => deriveAddress('xpub-nonsense', 0, 0, 'mainnet')).toThrow(/not an extended public key/)
  })

  test.each([-1, 0.5, HARDENED, Number.NaN])('refuses the index %d', (index) => {
    expect(() => deriveAddress(xpubOf(ABANDON, 'deposit', 'mainnet'), 0, index, 'mainnet')).toThrow(RangeError)
  })

  test('more accounts than are cached give the same addresses again', () => {
    const xpubs = Array.from(
      { length: 40 },
      (_, at) => HDKey.fromMasterSeed(ABANDON).derive(`m/84'/0'/${at}'`).publicExtendedKey,
    )
    const derive = (): string[] => xpubs.map((xpub) => deriveAddress(xpub, 0, 7, 'mainnet').address)
    const first = derive()
    expect(new Set(first).size).toBe(40)
    expect(derive()).toEqual(first)
  })
})

test('keyOrigin names the key by its full path from the master', () => {
  const xpub = xpubOf(ABANDON, 'hot', 'regtest')
  const origin = keyOrigin(xpub, 0x73c5da0a, { account: 'hot', branch: 1, index: 5 }, 'regtest')
  expect(origin.path).toEqual([84 + HARDENED, 1 + HARDENED, 1 + HARDENED, 1, 5])
  expect(origin.publicKey).toEqual(accountKey(ABANDON, 'hot', 'regtest').deriveChild(1).deriveChild(5).publicKey)
})
