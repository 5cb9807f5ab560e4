/** Attack: does a signer without a second seed refuse the hot indexes of one, as it did before? */
import { SECOND_SEED } from '@bursar/chainkit'
import { expect, test } from 'vitest'
import {
  codeOf,
  evmRequest,
  evmTransaction,
  hotKey,
  intentOf,
  makeSigner,
  keyring,
  unsignedHex,
} from '../../../../test/world/signer.ts'

test('a signer without a second seed moves nothing to a hot address that the policy does not have', async () => {
  const { signer } = await makeSigner({})
  const far = { ...hotKey, index: SECOND_SEED }
  const transaction = { ...evmTransaction(intentOf(1)), to: keyring.evmAddress(far), value: 10n ** 18n, data: '0x' as const }
  const request = evmRequest(intentOf(1), {}, {
    purpose: 'rebalance',
    intents: [],
    unsigned: unsignedHex(transaction),
    keys: [hotKey, far],
  })
  expect(await codeOf(signer, request)).toBe('key-mismatch')
})
