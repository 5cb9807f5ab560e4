/** Attack: the file of keys that an older signer printed after a rotation lacks the EVM keys of the second seed. */
import { expect, test } from 'vitest'
import { twoSeeds } from '../../../../test/world/signer.ts'
import { evmHotAddress, type WalletKeys } from '../transactions/index.ts'
import { depositAddress } from './derivation.ts'

test('keys with a second seed of Bitcoin only give out no address of the stolen seed on EVM chains', () => {
  const { next, ...first } = twoSeeds.publicKeys
  const keys = { ...first, next: { masterFingerprint: next!.masterFingerprint, bitcoin: next!.bitcoin } } as WalletKeys
  const stolen = depositAddress(first as WalletKeys, 'EVM', 5)
  const given = (): string => depositAddress(keys, 'EVM', 5)
  expect(given).toThrow()
  expect(evmHotAddress(keys)).not.toBe(evmHotAddress(first as WalletKeys))
  void stolen
})
