import { expect, test } from 'vitest'
import { twoSeeds } from '../../../../test/world/signer.ts'
import { WALLET } from '../../../../test/world/wallet.ts'
import { requireNextKeys } from './index.ts'

const { next } = twoSeeds.publicKeys
const { bitcoin, evm, masterFingerprint } = next!

test('a second seed without keys of a network is refused: its addresses would come from the first', () => {
  const bitcoinOnly = { ...WALLET, next: { masterFingerprint, bitcoin } }
  expect(() => requireNextKeys(bitcoinOnly, ['BITCOIN', 'ETHEREUM'])).toThrow(/without keys for ETHEREUM/)
  requireNextKeys(bitcoinOnly, ['BITCOIN'])
  const both = { ...WALLET, next: { masterFingerprint, bitcoin, evm } }
  requireNextKeys(both, ['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN'])
  expect(() => requireNextKeys(both, ['TRON'])).toThrow(/without keys for TRON/)
  requireNextKeys(WALLET, ['BITCOIN', 'ETHEREUM', 'TRON'])
})
