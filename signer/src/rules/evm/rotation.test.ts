/** Two seeds on an EVM chain: money of the first reaches the first hot address of the second, and nothing else. */
import { CREATE2_DEPLOYER, encodeTransfer, sweepContracts, sweepMany } from '@bursar/chainkit/evm'
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
const batchOf = (account: Hex): Partial<Eip1559Transaction> => ({
  to: contracts.batch.address,
  data: sweepMany.encode([{ assets: [USDT], accounts: [account] }]),
})

describe('with an active second seed on an EVM chain', () => {
  test.each<[string, SignRequest, Hex]>([
    ['tokens of an old deposit address to the new treasury', plainSweep(tokens(newHot), [oldKey]), oldDeposit],
    ['coin of an old deposit address to the new treasury', plainSweep({ to: newHot, value: 9n }, [oldKey]), oldDeposit],
    ['gas for an old deposit address', plainSweep({ to: oldDeposit, value: 9n }, [newHotKey, oldKey]), newHot],
    ['a batch of new deposit addresses', plainSweep(batchOf(newDeposit), [newHotKey, newKey]), newHot],
    ['coin of the old hot address to the new one', move(newHot, [hotKey, newHotKey]), oldHot],
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
    [
      'tokens of an old deposit address to the old hot one',
      plainSweep(tokens(oldHot), [oldKey]),
      'destination-mismatch',
    ],
    ['tokens of an old deposit address to a stranger', plainSweep(tokens(STRANGER), [oldKey]), 'destination-mismatch'],
    [
      'coin of an old deposit address to the old hot one',
      plainSweep({ to: oldHot, value: 9n }, [oldKey]),
      'destination-mismatch',
    ],
    ['gas from the old hot address', plainSweep({ to: oldDeposit, value: 9n }, [hotKey, oldKey]), 'rotated'],
    [
      'gas from the old hot address for a new one',
      plainSweep({ to: newDeposit, value: 9n }, [hotKey, newKey]),
      'rotated',
    ],
    ['a batch that the old hot address pays', plainSweep(batchOf(newDeposit), [hotKey, newKey]), 'rotated'],
    ['a batch with an old deposit address', plainSweep(batchOf(oldDeposit), [newHotKey, oldKey]), 'rotated'],
    ['an authorisation of an old deposit address', authorization(), 'rotated'],
    [
      'a deployment by the old hot address',
      plainSweep({ to: CREATE2_DEPLOYER, data: contracts.batch.deployment.data }, [hotKey]),
      'rotated',
    ],
    ['coin of the new hot address to the old one', move(oldHot, [newHotKey, hotKey]), 'rotated'],
    [
      'coin between old hot addresses',
      move(addressOf({ ...hotKey, index: 1 }), [hotKey, { ...hotKey, index: 1 }]),
      'rotated',
    ],
    [
      'more hot addresses of the second seed than the policy has',
      payment({ ...hotKey, index: SECOND_SEED + 2 }),
      'key-mismatch',
    ],
    ['a payment to cold storage by the old hot address', { ...payment(hotKey), purpose: 'cold' }, 'rotated'],
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
    // The sweep of before the rotation is not signed again: it pays the old treasury. The new one takes its nonce.
    const swept = { ...tokens(oldHot), nonce: 3n, ...dearer }
    expect(await codeOf(signer, plainSweep(swept, [oldKey]))).toBe('destination-mismatch')
    expect(await codeOf(signer, plainSweep({ ...swept, ...tokens(newHot) }, [oldKey]))).toBe('signed')
  })
})

function authorization(): SignRequest {
  const request = sweepRequest({
    accounts: [4],
    authorize: [[4, 0n]],
    call: { to: contracts.batch.address },
    alter: (draft) => ({
      ...draft,
      authorizations: draft.authorizations.map((one) => ({ ...one, delegate: contracts.delegate.address })),
    }),
  })
  return { ...request, keys: [newHotKey, oldKey] }
}
