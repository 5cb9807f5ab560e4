import { describe, expect, test } from 'vitest'
import { isRefused, SECOND_SEED } from '@bursar/chainkit'
import { encodeTokenTransfer, parseSigned } from '@bursar/chainkit/tron'
import type { Contract } from '@bursar/chainkit/tron'
import type { KeyReference, SignRequest } from '../../protocol/protocol.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import {
  MINUTE,
  NOW,
  TRON_STRANGER,
  ownerOf,
  paymentOf,
  treasuryRequest,
  tronIntent,
  tronRequest,
} from '../../../../test/world/tron-requests.ts'
import {
  TRON_USDC,
  TRON_USDT,
  codeOf,
  depositKey,
  hotKey,
  makeSigner,
  openSigner,
  policyFile,
  temporaryDirectory,
  twoSeeds,
} from '../../../../test/world/signer.ts'

const { BITCOIN, TRON } = policyFile.networks
const policy = { ...policyFile, networks: { BITCOIN, TRON } }
const newHotKey: KeyReference = { ...hotKey, index: SECOND_SEED }
const [oldHot, newHot] = [ownerOf(hotKey), ownerOf(newHotKey)]
const [oldKey, newKey] = [depositKey(4), depositKey(SECOND_SEED + 4)]
const [oldDeposit, newDeposit] = [ownerOf(oldKey), ownerOf(newKey)]

const from = (key: KeyReference, contract: Contract, more: Partial<SignRequest> = {}): SignRequest =>
  treasuryRequest(contract, { purpose: 'sweep', keys: [key], ...more })
const coins = (owner: string, to: string, amount = 1_000n): Contract => ({
  kind: 'TransferContract',
  owner,
  to,
  amount,
})
const tokens = (owner: string, to: string, contract = TRON_USDT): Contract => ({
  kind: 'TriggerSmartContract',
  owner,
  contract,
  callValue: 0n,
  data: encodeTokenTransfer(to, 10n ** 15n),
})
const unfreeze = (owner: string): Contract => ({
  kind: 'UnfreezeBalanceV2Contract',
  owner,
  amount: 5_000_000n,
  resource: 'ENERGY',
})
const lend = (owner: string, receiver: string): Contract => ({
  kind: 'DelegateResourceContract',
  owner,
  receiver,
  amount: 5_000_000n,
  resource: 'ENERGY',
  lock: false,
  lockPeriod: 0n,
})
const takeBack = (owner: string, receiver: string): Contract => ({
  kind: 'UnDelegateResourceContract',
  owner,
  receiver,
  amount: 5_000_000n,
  resource: 'ENERGY',
})
const treasury = (key: KeyReference, contract: Contract, receiver?: KeyReference): SignRequest =>
  treasuryRequest(contract, { keys: [key], ...(receiver && { receiver }) })
const payment = (number: number, key: KeyReference, expiration = NOW + MINUTE): SignRequest => {
  const intent = tronIntent(number)
  return tronRequest(intent, { contract: paymentOf(intent, ownerOf(key)), expiration }, { keys: [key] })
}

describe('with an active second seed on TRON', () => {
  test.each<[string, SignRequest]>([
    ['tokens of an old deposit address to the new hot one', from(oldKey, tokens(oldDeposit, newHot))],
    ['TRX of an old deposit address to the new hot one', from(oldKey, coins(oldDeposit, newHot))],
    ['tokens of the old hot address to the new one', from(hotKey, tokens(oldHot, newHot))],
    ['TRX of the old hot address to the new one', from(hotKey, coins(oldHot, newHot, 10n ** 12n))],
    ['a sweep of a new deposit address', from(newKey, tokens(newDeposit, newHot))],
    ['a top-up of an old deposit address', from(newHotKey, coins(newHot, oldDeposit), { receiver: oldKey })],
    ['a top-up of the old hot address', from(newHotKey, coins(newHot, oldHot), { receiver: hotKey })],
    ['a loan to an old deposit address', treasury(newHotKey, lend(newHot, oldDeposit), oldKey)],
    ['unstaking of the old hot address', treasury(hotKey, unfreeze(oldHot))],
    ['its withdrawal', treasury(hotKey, { kind: 'WithdrawExpireUnfreezeContract', owner: oldHot })],
    ['the return of its loans', treasury(hotKey, takeBack(oldHot, oldDeposit), oldKey)],
    ['a payment of the new hot address', payment(1, newHotKey)],
  ])('signs %s', async (_name, request) => {
    const { signer } = await makeSigner({ policy, keyring: twoSeeds })
    const { signed } = await signer.sign(request)
    const parsed = parseSigned(Buffer.from(signed, 'hex'))
    expect(!isRefused(parsed) && parsed.from).toBe(ownerOf(request.keys[0]!))
  })

  test.each<[string, SignRequest, RefusalCode]>([
    ['a payment of the old hot address', payment(1, hotKey), 'rotated'],
    ['a payment of an old deposit address', payment(1, oldKey), 'rotated'],
    ['a sweep to the old hot address', from(oldKey, tokens(oldDeposit, oldHot)), 'rotated'],
    ['a sweep of a new address to the old hot one', from(newKey, coins(newDeposit, oldHot)), 'rotated'],
    [
      'a sweep to an old deposit address',
      from(oldKey, coins(oldDeposit, ownerOf(depositKey(5)))),
      'destination-mismatch',
    ],
    ['a sweep to a stranger', from(oldKey, tokens(oldDeposit, TRON_STRANGER)), 'destination-mismatch'],
    ['TRX of the old hot address to a stranger', from(hotKey, coins(oldHot, TRON_STRANGER)), 'destination-mismatch'],
    [
      'tokens of the old hot address to a stranger',
      from(hotKey, tokens(oldHot, TRON_STRANGER)),
      'destination-mismatch',
    ],
    ['a token of it that is switched off', from(hotKey, tokens(oldHot, newHot, TRON_USDC)), 'disabled'],
    ['a top-up by the old hot address', from(hotKey, coins(oldHot, oldDeposit), { receiver: oldKey }), 'bad-request'],
    ['a top-up above the limit', from(newHotKey, coins(newHot, oldHot, 20_000_001n), { receiver: hotKey }), 'limit'],
    ['a top-up of the new hot address', from(newHotKey, coins(newHot, newHot), { receiver: newHotKey }), 'bad-request'],
    ['a loan of the old hot address', treasury(hotKey, lend(oldHot, oldDeposit), oldKey), 'rotated'],
    [
      'staking of the old hot address',
      treasury(hotKey, { kind: 'FreezeBalanceV2Contract', owner: oldHot, amount: 5_000_000n, resource: 'ENERGY' }),
      'rotated',
    ],
    [
      'the activation of an account by the old hot address',
      treasury(hotKey, { kind: 'AccountCreateContract', owner: oldHot, account: newDeposit }, newKey),
      'rotated',
    ],
  ])('refuses %s', async (_name, request, code) => {
    const { signer } = await makeSigner({ policy, keyring: twoSeeds })
    expect(await codeOf(signer, request)).toBe(code)
  })

  test('renews an expired payment that the first seed signed, and counts both seeds in its limits', async () => {
    const logFile = `${temporaryDirectory()}/log`
    let now = NOW
    const clock = () => now
    const before = await openSigner({ policy, logFile, now: clock })
    expect(await codeOf(before.signer, payment(1, hotKey))).toBe('signed')
    await before.log.close()
    const limited = {
      ...policy,
      networks: {
        TRON: { ...TRON, assets: { USDT: { ...TRON.assets.USDT, maxPerHour: '2500000', maxPerDay: '2500000' } } },
      },
    }
    now += 45 * MINUTE
    const { signer } = await makeSigner({ policy: limited, keyring: twoSeeds, logFile, now: clock })
    expect(await codeOf(signer, payment(2, hotKey, now + MINUTE))).toBe('rotated')
    expect(await codeOf(signer, payment(1, hotKey, now + MINUTE))).toBe('signed')
    expect(await codeOf(signer, payment(3, newHotKey, now + MINUTE))).toBe('velocity')
  })
})

test('without a second seed nothing but a top-up leaves the hot address by a sweep', async () => {
  const { signer } = await makeSigner({ policy })
  expect(await codeOf(signer, from(hotKey, coins(oldHot, newHot)))).toBe('bad-request')
  expect(await codeOf(signer, from(hotKey, coins(oldHot, oldHot), { receiver: hotKey }))).toBe('bad-request')
})
