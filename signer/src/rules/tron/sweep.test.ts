import { describe, expect, test } from 'vitest'
import { encodeTokenTransfer } from '@bursar/chainkit/tron'
import type { Contract } from '@bursar/chainkit/tron'
import type { KeyReference, SignRequest } from '../../protocol/protocol.ts'
import { readPolicy } from '../../policy/policy.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import { TRON_STRANGER, ownerOf, treasuryRequest } from '../../../../test/world/tron-requests.ts'
import {
  TRON_USDC,
  TRON_USDT,
  codeOf,
  depositKey,
  hotKey,
  makeSigner,
  policyFile,
} from '../../../../test/world/signer.ts'

const hot = ownerOf(hotKey)
const key = depositKey(4)
const deposit = ownerOf(key)
const otherHot: KeyReference = { ...hotKey, index: 1 }

const request = (contract: Contract, more: Partial<SignRequest> = {}): SignRequest =>
  treasuryRequest(contract, { purpose: 'sweep', keys: [key], ...more })
const tokens = (to = hot, more: Partial<Extract<Contract, { kind: 'TriggerSmartContract' }>> = {}): Contract => ({
  kind: 'TriggerSmartContract',
  owner: deposit,
  contract: TRON_USDT,
  callValue: 0n,
  data: encodeTokenTransfer(to, 10n ** 15n),
  ...more,
})
const coins = (to = hot, owner = deposit): Contract => ({ kind: 'TransferContract', owner, to, amount: 10n ** 12n })
const topUp = (
  contract: Partial<Extract<Contract, { kind: 'TransferContract' }>> = {},
  more: Partial<SignRequest> = {},
): SignRequest =>
  request(
    { kind: 'TransferContract', owner: hot, to: deposit, amount: 20_000_000n, ...contract },
    { keys: [hotKey], receiver: key, ...more },
  )
const withTron = (more: object): object => ({
  ...policyFile,
  networks: { ...policyFile.networks, TRON: { ...policyFile.networks.TRON, ...more } },
})

describe('sweeps on TRON', () => {
  test.each<[string, SignRequest]>([
    ['tokens of a deposit address to the hot one, whatever they come to', request(tokens())],
    ['TRX of a deposit address', request(coins())],
    ['a top-up as large as allowed', topUp()],
  ])('signs %s', async (_, given) => {
    const { signer } = await makeSigner()
    expect(await codeOf(signer, given)).toBe('signed')
  })

  test.each<[string, SignRequest, RefusalCode]>([
    ['tokens to a stranger', request(tokens(TRON_STRANGER)), 'destination-mismatch'],
    ['TRX to a stranger', request(coins(TRON_STRANGER)), 'destination-mismatch'],
    ['tokens to another hot address', request(tokens(ownerOf(otherHot))), 'destination-mismatch'],
    ['tokens to a deposit address', request(tokens(ownerOf(depositKey(5)))), 'destination-mismatch'],
    ['a contract that is not pinned', request(tokens(hot, { contract: TRON_STRANGER })), 'unknown-asset'],
    ['a token switched off', request(tokens(hot, { contract: TRON_USDC })), 'disabled'],
    ['TRX beside the tokens', request(tokens(hot, { callValue: 1n })), 'amount-mismatch'],
    ['another call', request(tokens(hot, { data: '0x095ea7b3' })), 'unknown-output'],
    ['another owner', request(coins(hot, ownerOf(depositKey(5)))), 'key-mismatch'],
    [
      'a contract that pays no address',
      request({ kind: 'WithdrawExpireUnfreezeContract', owner: deposit }),
      'unknown-output',
    ],
    ['a receiver besides', request(coins(), { receiver: key }), 'bad-request'],
    ['a top-up that is too large', topUp({ amount: 20_000_001n }), 'limit'],
    ['a top-up of another address than the key named', topUp({}, { receiver: depositKey(5) }), 'destination-mismatch'],
    ['a top-up of a stranger', topUp({ to: TRON_STRANGER }), 'destination-mismatch'],
    [
      'a top-up without a receiver',
      request({ kind: 'TransferContract', owner: hot, to: deposit, amount: 1n }, { keys: [hotKey] }),
      'bad-request',
    ],
    ['a top-up of a hot address', topUp({ to: ownerOf(otherHot) }, { receiver: otherHot }), 'bad-request'],
    [
      'a top-up in tokens',
      request(tokens(deposit, { owner: hot }), { keys: [hotKey], receiver: key }),
      'unknown-output',
    ],
    ['a top-up by another hot key', topUp({ owner: ownerOf(otherHot) }, { keys: [otherHot] }), 'key-mismatch'],
  ])('refuses %s', async (_, given, code) => {
    const { signer } = await makeSigner()
    expect(await codeOf(signer, given)).toBe(code)
  })

  test('is off without a policy, and can be switched off', async () => {
    const { sweep: _, ...without } = policyFile.networks.TRON
    const none = { ...policyFile, networks: { ...policyFile.networks, TRON: without } }
    const off = withTron({ sweep: { enabled: false, maxTopUp: '1' } })
    for (const policy of [none, off]) {
      const { signer } = await makeSigner({ policy })
      expect(await codeOf(signer, request(tokens()))).toBe('disabled')
      expect(await codeOf(signer, topUp())).toBe('disabled')
    }
  })

  test('fees count towards the sums of fees', async () => {
    const fee = { ...policyFile.networks.TRON.fee, maxPerHour: '30000000' }
    const { signer } = await makeSigner({ policy: withTron({ fee }) })
    expect(await codeOf(signer, topUp())).toBe('signed')
    expect(await codeOf(signer, topUp({ amount: 19_999_999n }))).toBe('velocity')
  })

  test.each([
    ['more than a switch and a cap', { enabled: true, maxTopUp: '1', treasury: hot }, /unknown treasury|treasury/],
    ['no cap', { enabled: true }, /maxTopUp/],
  ])('refuses a policy with %s', (_, sweep, message) => {
    expect(() => readPolicy(JSON.stringify(withTron({ sweep })))).toThrow(message)
  })
})
