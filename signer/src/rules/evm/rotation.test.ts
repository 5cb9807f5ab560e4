/** Two seeds on an EVM chain: the first sweeps to its own treasury, and pays one address of the second. */
import { encodeTransfer, sweepContracts, sweepMany } from '@bursar/chainkit/evm'
import type { Eip1559Transaction, Hex } from '@bursar/chainkit/evm'
import { SECOND_SEED } from '@bursar/chainkit'
import { parseTransaction, recoverTransactionAddress } from 'viem'
import type { TransactionSerialized } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  codeOf,
  depositKey,
  evmRequest,
  evmTransaction,
  hotKey,
  intentOf,
  keyring,
  makeSigner,
  openSigner,
  policyFile,
  STRANGER,
  temporaryDirectory,
  twoSeeds,
  unsignedHex,
  USDT,
} from '../../../../test/world/signer.ts'
import type { KeyReference, SignRequest } from '../../protocol/protocol.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import { plainSweep, sweepRequest } from './test-sweep.ts'

const newHotKey: KeyReference = { ...hotKey, index: SECOND_SEED }
const addressOf = (key: KeyReference): Hex => twoSeeds.evmAddress(key)
const [oldHot, newHot] = [addressOf(hotKey), addressOf(newHotKey)]
const [oldKey, newKey] = [depositKey(4), depositKey(SECOND_SEED + 4)]
const [oldDeposit, newDeposit] = [addressOf(oldKey), addressOf(newKey)]
const { ETHEREUM, BITCOIN } = policyFile.networks
const { USDT: dollar, ...others } = ETHEREUM.assets as Record<string, object>
const assets = { ...others, USDT: { ...dollar, cold: STRANGER } }
const policyOf = (treasury: Hex): object => ({
  ...policyFile,
  networks: { BITCOIN, ETHEREUM: { ...ETHEREUM, assets, hotAddresses: 2, sweep: { ...ETHEREUM.sweep, treasury } } },
})
const policy = policyOf(newHot)
const contracts = sweepContracts(newHot)
const oldContracts = sweepContracts(oldHot)

const tokens = (to: Hex): Partial<Eip1559Transaction> => ({ to: USDT, data: encodeTransfer(to, 10n ** 12n) })
const move = (to: Hex, keys: KeyReference[]): SignRequest => {
  const unsigned = unsignedHex({ ...evmTransaction(intentOf(1)), to, value: 5n, data: '0x' })
  return evmRequest(intentOf(1), {}, { purpose: 'rebalance', intents: [], unsigned, keys })
}
const filler = (key: KeyReference): SignRequest => {
  const nothing = { to: addressOf(key), value: 0n, data: '0x' as const, gas: 21_000n }
  const unsigned = unsignedHex({ ...evmTransaction(intentOf(0)), ...nothing })
  return evmRequest(intentOf(1), {}, { purpose: 'filler', intents: [], unsigned, keys: [key] })
}
const payment = (key: KeyReference, id = 1, more: object = {}): SignRequest =>
  evmRequest(intentOf(id), more, { keys: [key] })
const batchOf = (account: Hex, { batch } = contracts): Partial<Eip1559Transaction> => ({
  to: batch.address,
  data: sweepMany.encode([{ assets: [USDT], accounts: [account] }]),
})

const secondOldHot = { ...hotKey, index: 1 }
const secondNewHot = { ...hotKey, index: SECOND_SEED + 1 }

describe('with an active second seed on an EVM chain', () => {
  test.each<[string, SignRequest, Hex]>([
    ['tokens of an old deposit address to the old treasury', plainSweep(tokens(oldHot), [oldKey]), oldDeposit],
    ['coin of an old deposit address to the old treasury', plainSweep({ to: oldHot, value: 9n }, [oldKey]), oldDeposit],
    ['gas of the old hot address', plainSweep({ to: oldDeposit, value: 9n }, [hotKey, oldKey]), oldHot],
    [
      'a batch of old deposit addresses, paid by the old hot address',
      plainSweep(batchOf(oldDeposit, oldContracts), [hotKey, oldKey]),
      oldHot,
    ],
    ['an authorisation of an old deposit address', authorization([hotKey, oldKey], oldContracts), oldHot],
    ['tokens of a new deposit address to the new treasury', plainSweep(tokens(newHot), [newKey]), newDeposit],
    ['a batch of new deposit addresses', plainSweep(batchOf(newDeposit), [newHotKey, newKey]), newHot],
    ['coin of the old hot address to the new one', move(newHot, [hotKey, newHotKey]), oldHot],
    [
      'coin of another old hot address to the new one',
      move(newHot, [secondOldHot, newHotKey]),
      addressOf(secondOldHot),
    ],
    ['coin between new hot addresses', move(addressOf(secondNewHot), [newHotKey, secondNewHot]), newHot],
    ['a payment by the new hot address', payment(newHotKey), newHot],
    ['a filler of an old nonce', filler(hotKey), oldHot],
  ])('signs %s', async (_name, request, from) => {
    const { signer } = await makeSigner({ policy, keyring: twoSeeds })
    const { signed } = await signer.sign(request)
    const serialized = signed as TransactionSerialized
    expect(parseTransaction(serialized).chainId).toBe(31_337)
    expect(await recoverTransactionAddress({ serializedTransaction: serialized })).toBe(from)
  })

  test.each<[string, SignRequest, RefusalCode]>([
    ['a payment by the old hot address', payment(hotKey), 'rotated'],
    ['a payment by an old deposit address', payment(oldKey), 'rotated'],
    ['a payment to cold storage by the old hot address', { ...payment(hotKey), purpose: 'cold' }, 'rotated'],
    [
      'tokens of an old deposit address to the new treasury',
      plainSweep(tokens(newHot), [oldKey]),
      'destination-mismatch',
    ],
    ['tokens of an old deposit address to a stranger', plainSweep(tokens(STRANGER), [oldKey]), 'destination-mismatch'],
    [
      'coin of a new deposit address to the old treasury',
      plainSweep({ to: oldHot, value: 9n }, [newKey]),
      'destination-mismatch',
    ],
    [
      'gas of the new hot address for an old one',
      plainSweep({ to: oldDeposit, value: 9n }, [newHotKey, oldKey]),
      'rotated',
    ],
    [
      'gas of the old hot address for a new one',
      plainSweep({ to: newDeposit, value: 9n }, [hotKey, newKey]),
      'rotated',
    ],
    ['a batch of both seeds', plainSweep(batchOf(oldDeposit), [newHotKey, oldKey]), 'rotated'],
    [
      'a batch of a new address that the old hot one pays',
      plainSweep(batchOf(newDeposit), [hotKey, newKey]),
      'rotated',
    ],
    [
      'an authorisation of an old deposit address to the new delegate',
      authorization([hotKey, oldKey], { ...oldContracts, delegate: contracts.delegate }),
      'destination-mismatch',
    ],
    [
      'an authorisation of an old deposit address by the new hot one',
      authorization([newHotKey, oldKey], contracts),
      'rotated',
    ],
    ['coin of the new hot address to the old one', move(oldHot, [newHotKey, hotKey]), 'rotated'],
    ['coin between old hot addresses', move(addressOf(secondOldHot), [hotKey, secondOldHot]), 'rotated'],
    [
      'coin of the old hot address to another new one',
      move(addressOf(secondNewHot), [hotKey, secondNewHot]),
      'rotated',
    ],
    [
      'more hot addresses of the second seed than the policy has',
      payment({ ...hotKey, index: SECOND_SEED + 2 }),
      'key-mismatch',
    ],
  ])('refuses %s', async (_name, request, code) => {
    const { signer } = await makeSigner({ policy, keyring: twoSeeds })
    expect(await codeOf(signer, request)).toBe(code)
  })

  test('a payment that the first seed signed is replaced with its own nonce, and not from the second seed too', async () => {
    const logFile = `${temporaryDirectory()}/log`
    const before = await openSigner({ policy: policyOf(oldHot), logFile })
    expect(await codeOf(before.signer, payment(hotKey, 1, { nonce: 7n }))).toBe('signed')
    expect(await codeOf(before.signer, plainSweep({ ...tokens(oldHot), nonce: 3n }, [oldKey]))).toBe('signed')
    await before.log.close()
    const { signer } = await makeSigner({ policy, logFile, keyring: twoSeeds })
    const dearer = { maxFeePerGas: 40n * 10n ** 9n }
    expect(await codeOf(signer, payment(hotKey, 1, { nonce: 7n, ...dearer }))).toBe('signed')
    expect(await codeOf(signer, payment(hotKey, 1, { nonce: 8n, ...dearer }))).toBe('intent-already-signed')
    expect(await codeOf(signer, payment(newHotKey, 1))).toBe('intent-already-signed')
    const other = { ...intentOf(1), to: addressOf({ ...hotKey, index: 1 }) }
    expect(await codeOf(signer, evmRequest(other, { nonce: 7n }))).toBe('intent-changed')
    // The sweep of before the rotation goes on.
    const swept = { ...tokens(oldHot), nonce: 3n, ...dearer }
    expect(await codeOf(signer, plainSweep(swept, [oldKey]))).toBe('signed')
    // The nonce of a payment is no drain's, so that both can't be mined.
    const drain = unsignedHex({ ...evmTransaction(intentOf(1)), nonce: 7n, to: newHot, value: 5n, data: '0x' })
    const keys = [hotKey, newHotKey]
    const drained = evmRequest(intentOf(1), {}, { purpose: 'rebalance', intents: [], unsigned: drain, keys })
    expect(await codeOf(signer, drained)).toBe('nonce-used')
  })
})

test('fees of the first seed, which a thief can raise, leave the second seed its own fees of the hour', async () => {
  const { signer } = await makeSigner({ policy, keyring: twoSeeds })
  let nonce = 0n
  for (const gas of [400_000n, 100_000n, 30_000n, 21_000n])
    for (;;) {
      const code = await codeOf(signer, plainSweep({ nonce, gas, to: oldDeposit, value: 1n }, [hotKey, oldKey]))
      if (code === 'velocity') break
      expect(code).toBe('signed')
      nonce += 1n
    }
  expect(await codeOf(signer, payment(newHotKey))).toBe('signed')
  const used = signer.status().velocity.filter(({ asset }) => asset.endsWith('fee'))
  expect(used.map(({ network, asset, hour }) => [network, asset, hour === '0'])).toEqual([
    ['BITCOIN', 'fee', true],
    ['ETHEREUM', 'fee', false],
    ['ETHEREUM', 'first-seed-fee', false],
  ])
})

test('before the second seed is active nothing is signed with its keys, and afterwards its payments are made', async () => {
  const logFile = `${temporaryDirectory()}/log`
  const before = await openSigner({ policy: policyOf(oldHot), logFile })
  expect(await codeOf(before.signer, payment(newHotKey))).toBe('key-mismatch')
  expect(await codeOf(before.signer, payment(newKey))).toBe('key-mismatch')
  expect(await codeOf(before.signer, move(keyring.evmAddress(newHotKey), [hotKey, newHotKey]))).toBe('key-mismatch')
  expect(await codeOf(before.signer, plainSweep(tokens(oldHot), [newKey]))).toBe('key-mismatch')
  const topUp = { to: keyring.evmAddress(newKey), value: 9n }
  expect(await codeOf(before.signer, plainSweep(topUp, [hotKey, newKey]))).toBe('key-mismatch')
  await before.log.close()
  const { signer } = await makeSigner({ policy, logFile, keyring: twoSeeds })
  expect(await codeOf(signer, payment(newHotKey))).toBe('signed')
})

function authorization(keys: KeyReference[], { batch, delegate } = contracts): SignRequest {
  const request = sweepRequest({
    accounts: [4],
    authorize: [[4, 0n]],
    call: { to: batch.address },
    alter: (draft) => ({
      ...draft,
      authorizations: draft.authorizations.map((one) => ({ ...one, delegate: delegate.address })),
    }),
  })
  return { ...request, keys }
}
