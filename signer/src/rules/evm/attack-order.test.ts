/** Attack: the server has the keys of the second seed, and the signer (or its standby) still runs with the first only. */
import { SECOND_SEED } from '@bursar/chainkit'
import { expect, test } from 'vitest'
import {
  codeOf,
  evmRequest,
  hotKey,
  intentOf,
  keyring,
  makeSigner,
  openSigner,
  policyFile,
  temporaryDirectory,
  twoSeeds,
} from '../../../../test/world/signer.ts'

const { ETHEREUM, BITCOIN } = policyFile.networks
const newHotKey = { ...hotKey, index: SECOND_SEED }
const policyOf = (keys: typeof keyring, index: number): object => ({
  ...policyFile,
  networks: { BITCOIN, ETHEREUM: { ...ETHEREUM, sweep: { ...ETHEREUM.sweep, treasury: keys.evmAddress({ ...hotKey, index }) } } },
})

test('a payment that is asked for too early is paid by the second seed after the activation', async () => {
  const logFile = `${temporaryDirectory()}/log`
  const before = await openSigner({ policy: policyOf(keyring, 0), logFile })
  const early = await codeOf(before.signer, evmRequest(intentOf(1), {}, { keys: [newHotKey] }))
  await before.log.close()
  const { signer } = await makeSigner({ policy: policyOf(twoSeeds, SECOND_SEED), logFile, keyring: twoSeeds })
  const later = await codeOf(signer, evmRequest(intentOf(1), { nonce: 1n }, { keys: [newHotKey] }))
  expect([early, later]).toEqual(['key-mismatch', 'signed'])
})
