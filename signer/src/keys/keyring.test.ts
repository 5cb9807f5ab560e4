import { TronWeb } from 'tronweb'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { Keyring } from './keyring.ts'
import { JUNK_WORDS, seed } from '../../../test/world/signer.ts'

describe('Keyring', () => {
  test('derives the addresses that wallets derive from the same words', () => {
    const keyring = Keyring.open(seed(), 'regtest')
    expect(keyring.bitcoinAddress({ account: 'deposit', branch: 0, index: 0 }).address).toBe(
      'bcrt1qquv9lg5g2r4jkr0ahun0ddfg5xntxjelwjpnuw',
    )
    for (const [account, accountIndex] of [
      ['deposit', 0],
      ['hot', 1],
    ] as const) {
      const theirs = mnemonicToAccount(JUNK_WORDS, { accountIndex, addressIndex: 3 })
      expect(keyring.evmAddress({ account, index: 3 })).toBe(theirs.address)
      // The second call derives no key: it adds the offset of the first.
      for (const _call of [1, 2])
        keyring.withEvmKey({ account, index: 3 }, (key) => {
          expect(Buffer.from(key).equals(theirs.getHdKey().privateKey!)).toBe(true)
        })
    }
    for (const [account, number] of [
      ['deposit', 0],
      ['hot', 1],
    ] as const) {
      const theirs = TronWeb.fromMnemonic(JUNK_WORDS, `m/44'/195'/${number}'/0/3`)
      expect(keyring.tronAddress({ account, index: 3 })).toBe(theirs.address)
      keyring.withTronKey({ account, index: 3 }, (key) => {
        expect(`0x${Buffer.from(key).toString('hex')}`).toBe(theirs.privateKey.toLowerCase())
      })
    }
    expect(keyring.publicKeys.bitcoin.hot).toMatch(/^tpub/)
    expect(Keyring.open(seed(), 'mainnet').publicKeys.bitcoin.hot).toMatch(/^xpub/)
  })

  test('answers with the same address again, of each account and among many indexes', () => {
    const keyring = Keyring.open(seed(), 'regtest')
    const first = Array.from({ length: 140 }, (_, index) => keyring.evmAddress({ account: 'hot', index }))
    expect(new Set(first).size).toBe(140)
    for (const index of [0, 11, 12, 13, 139]) {
      const theirs = mnemonicToAccount(JUNK_WORDS, { accountIndex: 1, addressIndex: index }).address
      expect([first[index], keyring.evmAddress({ account: 'hot', index })]).toEqual([theirs, theirs])
      expect(keyring.evmAddress({ account: 'deposit', index })).toBe(
        mnemonicToAccount(JUNK_WORDS, { accountIndex: 0, addressIndex: index }).address,
      )
    }
  })

  test('overwrites the seed it was opened with', () => {
    const given = seed()
    Keyring.open(given, 'regtest')
    expect(given.every((byte) => byte === 0)).toBe(true)
  })

  test('overwrites private keys after use, when it failed too', () => {
    const keyring = Keyring.open(seed(), 'regtest')
    const seen: Uint8Array[] = []
    const keep = (keys: Uint8Array[]): void => {
      expect(keys.every((key) => key.some((byte) => byte !== 0))).toBe(true)
      seen.push(...keys)
    }
    keyring.withBitcoinKeys(
      [
        { account: 'hot', branch: 1, index: 4 },
        { account: 'deposit', branch: 0, index: 9 },
      ],
      keep,
    )
    for (const _call of [1, 2]) {
      expect(() =>
        keyring.withEvmKey({ account: 'hot', index: 0 }, (key) => {
          keep([key])
          throw new Error('stop')
        }),
      ).toThrow('stop')
    }
    keyring.withTronKey({ account: 'deposit', index: 0 }, (key) => keep([key]))
    expect(seen).toHaveLength(5)
    expect(seen.every((key) => key.every((byte) => byte === 0))).toBe(true)
  })

  test('signs nothing once closed, yet still knows its addresses', () => {
    const keyring = Keyring.open(seed(), 'regtest')
    keyring.withEvmKey({ account: 'hot', index: 1 }, () => 1)
    keyring.close()
    expect(() => keyring.withEvmKey({ account: 'hot', index: 1 }, () => 1)).toThrow(/closed/)
    expect(() => keyring.withEvmKey({ account: 'hot', index: 0 }, () => 1)).toThrow(/closed/)
    expect(() => keyring.withBitcoinKeys([{ account: 'hot', branch: 0, index: 0 }], () => 1)).toThrow(/closed/)
    expect(() => keyring.withTronKey({ account: 'hot', index: 0 }, () => 1)).toThrow(/closed/)
    expect(keyring.evmAddress({ account: 'hot', index: 0 })).toMatch(/^0x/)
  })
})
