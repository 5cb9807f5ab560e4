import { TronWeb, utils } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { isRefused } from '@bursar/chainkit'
import { encodeTokenTransfer, parseSigned } from '@bursar/chainkit/tron'
import type { Contract } from '@bursar/chainkit/tron'
import type { SignRequest } from '../../protocol/protocol.ts'
import { readPolicy } from '../../policy/policy.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import { HOUR_MS } from '../../log/velocity.ts'
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
  STRANGER,
  TRON_USDC,
  TRON_USDT,
  approve,
  approvers,
  codeOf,
  depositKey,
  hotKey,
  makeSigner,
  policyFile,
  refusalOf,
} from '../../../../test/world/signer.ts'

const token = tronIntent(1)
const coin = tronIntent(1, { asset: 'TRX', units: '700' })
const owner = ownerOf(hotKey)
const call = paymentOf(token) as Extract<Contract, { kind: 'TriggerSmartContract' }>
const other = ownerOf(depositKey(9))
const withTron = (more: object): object => ({
  ...policyFile,
  networks: { ...policyFile.networks, TRON: { ...policyFile.networks.TRON, ...more } },
})

describe('on TRON', () => {
  test.each([
    ['a token', token, 'TriggerSmartContract'],
    ['TRX', coin, 'TransferContract'],
  ])('signs a payment of %s that tronweb reads as that payment', async (_name, intent, kind) => {
    const { signer } = await makeSigner()
    const { signed, hash } = await signer.sign(tronRequest(intent))
    const parsed = parseSigned(Buffer.from(signed, 'hex'))
    if (isRefused(parsed)) throw new Error(parsed.message)
    expect(parsed).toMatchObject({ hash, from: owner })
    const request = tronRequest(intent)
    const { contract, expiration } = utils.deserializeTx.deserializeTransaction(kind, request.unsigned)
    expect(expiration).toBe(NOW + MINUTE)
    const { value } = contract[0].parameter
    expect(TronWeb.address.fromHex(value.owner_address)).toBe(owner)
    if (kind === 'TransferContract')
      expect([TronWeb.address.fromHex(value.to_address), value.amount]).toEqual([TRON_STRANGER, 700])
    else expect(TronWeb.address.fromHex(value.contract_address)).toBe(TRON_USDT)
    const recovered = utils.crypto.ecRecover(hash, `0x${Buffer.from(parsed.signature).toString('hex')}`)
    expect(TronWeb.address.fromHex(recovered)).toBe(owner)
    expect(signed).toContain(request.unsigned)
  })

  test('pays from deposit keys, and large amounts with approvals', async () => {
    const { signer } = await makeSigner()
    const from = ownerOf(depositKey(7))
    const request = tronRequest(token, { contract: paymentOf(token, from) }, { keys: [depositKey(7)] })
    expect(parseSigned(Buffer.from((await signer.sign(request)).signed, 'hex'))).toMatchObject({ from })
    const large = tronIntent(2, { units: '500000001' })
    const approvals = approvers.slice(0, 2).map((approver) => approve(approver, 'TRON', large))
    expect(await codeOf(signer, tronRequest(large))).toBe('needs-approval')
    expect(await codeOf(signer, tronRequest(large, {}, { approvals }))).toBe('signed')
  })

  const changed = (more: Partial<typeof call>, intent = token): SignRequest =>
    tronRequest(intent, { contract: { ...call, ...more } })
  const coins = (more: Partial<Extract<Contract, { kind: 'TransferContract' }>>): SignRequest =>
    tronRequest(coin, { contract: { kind: 'TransferContract', owner, to: TRON_STRANGER, amount: 700n, ...more } })

  /** A payment of TRX to a contract, which java-tron does not allow by a TransferContract. */
  const trxCallOf = (more: Partial<typeof call>): Contract => ({
    kind: 'TriggerSmartContract',
    owner,
    contract: TRON_STRANGER,
    callValue: 700n,
    data: '0x',
    ...more,
  })
  const trxCall = (more: Partial<typeof call>): SignRequest =>
    tronRequest(coin, { contract: trxCallOf(more), feeLimit: 20_000_000n })

  test('audit D-T4: signs a payment of TRX by a call of the contract that receives it, and counts its fee limit', async () => {
    const { signer } = await makeSigner()
    const { signed } = await signer.sign(trxCall({}))
    expect(parseSigned(Buffer.from(signed, 'hex'))).toMatchObject({
      transaction: { contract: trxCallOf({}), feeLimit: 20_000_000n },
      from: owner,
    })
    expect(await codeOf(signer, tronRequest(coin, { contract: paymentOf(coin), timestamp: NOW + 1 }))).toBe(
      'intent-already-signed',
    )
  })

  test.each<[string, SignRequest, RefusalCode]>([
    ['a token sent elsewhere', changed({ data: encodeTokenTransfer(other, 1_000_000n) }), 'destination-mismatch'],
    ['one token unit more', changed({ data: encodeTokenTransfer(TRON_STRANGER, 1_000_001n) }), 'amount-mismatch'],
    ['a twin of the token', changed({ contract: other }), 'destination-mismatch'],
    ['another token', changed({ contract: TRON_USDC }), 'destination-mismatch'],
    ['TRX beside the token', changed({ callValue: 1n }), 'amount-mismatch'],
    ['transferFrom', changed({ data: call.data.replace('a9059cbb', '23b872dd') as `0x${string}` }), 'unknown-output'],
    [
      'an approval of a spender',
      changed({ data: call.data.replace('a9059cbb', '095ea7b3') as `0x${string}` }),
      'unknown-output',
    ],
    ['a byte after the call', changed({ data: `${call.data}00` }), 'unknown-output'],
    ['a call without data', changed({ data: '0x' }), 'unknown-output'],
    ['TRX sent elsewhere', coins({ to: other }), 'destination-mismatch'],
    ['one sun more', coins({ amount: 701n }), 'amount-mismatch'],
    ['one sun less', coins({ amount: 699n }), 'amount-mismatch'],
    ['D-T4 a call that sends TRX elsewhere', trxCall({ contract: other }), 'destination-mismatch'],
    ['D-T4 a call that sends one sun more', trxCall({ callValue: 701n }), 'amount-mismatch'],
    ['D-T4 a call that sends TRX and says something', trxCall({ data: '0xd0e30db0' }), 'unknown-output'],
    [
      'D-T4 a call without data where the intent says token',
      tronRequest(token, { contract: trxCallOf({}) }),
      'destination-mismatch',
    ],
    ['TRX where the intent says token', tronRequest(token, { contract: paymentOf(coin) }), 'unknown-output'],
    ['the token where the intent says TRX', tronRequest(coin, { contract: call }), 'unknown-output'],
    ['another owner', changed({ owner: other }), 'key-mismatch'],
    ['another key', tronRequest(token, {}, { keys: [depositKey(0)] }), 'key-mismatch'],
    ['two keys', tronRequest(token, {}, { keys: [hotKey, hotKey] }), 'key-mismatch'],
    ['a key on branch 1', tronRequest(token, {}, { keys: [{ ...hotKey, branch: 1 }] }), 'key-mismatch'],
    ['a destination in hex', tronRequest(token, {}, { intents: [{ ...token, to: STRANGER }] }), 'destination-mismatch'],
    [
      'a mistyped destination',
      tronRequest(token, {}, { intents: [{ ...token, to: TRON_STRANGER.replace(/.$/, 'x') }] }),
      'destination-mismatch',
    ],
    [
      'the zero address',
      tronRequest(tronIntent(1, { to: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb' })),
      'destination-mismatch',
    ],
    ['two intents', tronRequest(token, {}, { intents: [token, tronIntent(2)] }), 'bad-request'],
    ['an unknown asset', tronRequest(tronIntent(1, { asset: 'USDD' })), 'unknown-asset'],
    ['an asset of another network', tronRequest(tronIntent(1, { asset: 'ETH' })), 'unknown-asset'],
    ['an asset switched off', tronRequest(tronIntent(1, { asset: 'USDC' })), 'disabled'],
    ['a filler', tronRequest(token, {}, { purpose: 'filler', intents: [] }), 'network'],
    ['0x before the bytes', { ...tronRequest(token), unsigned: `0x${tronRequest(token).unsigned}` }, 'not-parsable'],
    ['a byte left over', { ...tronRequest(token), unsigned: `${tronRequest(token).unsigned}00` }, 'not-parsable'],
    [
      'a memo',
      { ...tronRequest(token), unsigned: tronRequest(token).unsigned.replace('5aae01', '5201785aae01') },
      'not-parsable',
    ],
    ['a signed transaction', { ...tronRequest(token), unsigned: '0a020102' }, 'not-parsable'],
    ['an expired transaction', tronRequest(token, { expiration: NOW }), 'expiration'],
    ['one that lives too long', tronRequest(token, { expiration: NOW + 10 * MINUTE + 1 }), 'expiration'],
    ['B19 a fee limit above the cap', tronRequest(token, { feeLimit: 30_000_000n }), 'fee-too-high'],
    ['an amount above the limit', tronRequest(tronIntent(1, { units: '1000000001' })), 'limit'],
  ])('refuses %s', async (_name, request, code) => {
    expect(await refusalOf(request)).toBe(code)
  })

  test('counts as fee the fee limit, and the cost of bandwidth or an activation on top', async () => {
    const { signer } = await makeSigner()
    const fees = (): unknown =>
      signer.status().velocity.find(({ network, asset }) => network === 'TRON' && asset === 'fee')?.hour
    await signer.sign(tronRequest(token))
    expect(fees()).toBe(String(20_000_000 + 345_000))
    await signer.sign(tronRequest(tronIntent(2, { asset: 'TRX', units: '700' })))
    expect(fees()).toBe(String(20_345_000 + 1_100_000))
  })

  test('kill switches stop the network, and one asset of it', async () => {
    expect(await refusalOf(tronRequest(token), withTron({ enabled: false }))).toBe('disabled')
    const { TRON: _tron, ...others } = policyFile.networks
    expect(await refusalOf(tronRequest(token), { ...policyFile, networks: others })).toBe('network')
  })
})

describe("TRON's treasury", () => {
  const deposit = depositKey(3)
  const mine = ownerOf(deposit)
  const lend = {
    kind: 'DelegateResourceContract',
    owner,
    resource: 'ENERGY',
    amount: 5_000_000n,
    receiver: mine,
    lock: false,
    lockPeriod: 0n,
  } as const
  const stake = { kind: 'FreezeBalanceV2Contract', owner, amount: 5_000_000n, resource: 'ENERGY' } as const

  test.each<[string, Contract, SignRequest['receiver']?]>([
    ['stakes', stake],
    ['unstakes', { kind: 'UnfreezeBalanceV2Contract', owner, amount: 1n, resource: 'BANDWIDTH' }],
    ['takes back the stake', { kind: 'WithdrawExpireUnfreezeContract', owner }],
    ['lends', lend, deposit],
    [
      'takes back lent energy',
      { kind: 'UnDelegateResourceContract', owner, resource: 'ENERGY', amount: 5n, receiver: mine },
      deposit,
    ],
    ['activates an account of ours', { kind: 'AccountCreateContract', owner, account: mine }, deposit],
  ])('%s', async (_name, contract, receiver) => {
    const { signer } = await makeSigner()
    const { signed } = await signer.sign(treasuryRequest(contract, receiver && { receiver }))
    expect(parseSigned(Buffer.from(signed, 'hex'))).toMatchObject({ transaction: { contract }, from: owner })
  })

  test.each<[string, SignRequest, RefusalCode]>([
    [
      'lending to a stranger',
      treasuryRequest({ ...lend, receiver: TRON_STRANGER }, { receiver: deposit }),
      'destination-mismatch',
    ],
    [
      'lending to another account of ours than is named',
      treasuryRequest(lend, { receiver: depositKey(4) }),
      'destination-mismatch',
    ],
    ['lending without a receiver', treasuryRequest(lend), 'bad-request'],
    ['lending on branch 1', treasuryRequest(lend, { receiver: { ...deposit, branch: 1 } }), 'key-mismatch'],
    [
      'lending with a lock',
      treasuryRequest({ ...lend, lock: true, lockPeriod: 10n }, { receiver: deposit }),
      'unknown-output',
    ],
    ['lending nothing', treasuryRequest({ ...lend, amount: 0n }, { receiver: deposit }), 'amount-mismatch'],
    ['lending too much', treasuryRequest({ ...lend, amount: 50_000_000_001n }, { receiver: deposit }), 'limit'],
    ['staking too much', treasuryRequest({ ...stake, amount: 50_000_000_001n }), 'limit'],
    ['staking for a receiver', treasuryRequest(stake, { receiver: deposit }), 'bad-request'],
    [
      'activating a stranger',
      treasuryRequest({ kind: 'AccountCreateContract', owner, account: TRON_STRANGER }, { receiver: deposit }),
      'destination-mismatch',
    ],
    [
      'taking back from a stranger',
      treasuryRequest(
        { kind: 'UnDelegateResourceContract', owner, resource: 'ENERGY', amount: 5n, receiver: TRON_STRANGER },
        { receiver: deposit },
      ),
      'destination-mismatch',
    ],
    ['a payment of TRX', treasuryRequest(paymentOf(coin)), 'unknown-output'],
    ['a payment of a token', treasuryRequest(paymentOf(token)), 'unknown-output'],
    ['another owner', treasuryRequest({ ...stake, owner: mine }), 'key-mismatch'],
    ['staking in place of a payment', tronRequest(coin, { contract: stake }), 'unknown-output'],
  ])('refuses %s', async (_name, request, code) => {
    expect(await refusalOf(request)).toBe(code)
  })

  test('audit S-16: staked, unstaked and lent amounts have sums of an hour and a day', async () => {
    let now = NOW
    const { signer } = await makeSigner({ now: () => now })
    const at = () => ({ timestamp: now, expiration: now + MINUTE })
    const bind = (change: object) => codeOf(signer, treasuryRequest({ ...stake, ...change }, {}, at()))
    expect(await bind({ amount: 40_000_000_000n })).toBe('signed')
    expect(await bind({ amount: 20_000_000_001n })).toBe('velocity')
    expect(await bind({ kind: 'UnfreezeBalanceV2Contract', amount: 20_000_000_000n })).toBe('signed')
    expect(await bind({ kind: 'UnfreezeBalanceV2Contract', amount: 1n })).toBe('velocity')
    const lendAgain = (amount: bigint) =>
      codeOf(signer, treasuryRequest({ ...lend, amount }, { receiver: deposit }, at()))
    expect(await lendAgain(50_000_000_000n)).toBe('signed')
    expect(await lendAgain(30_000_000_001n)).toBe('velocity')
    expect(await lendAgain(30_000_000_000n)).toBe('signed')
    now += HOUR_MS
    expect(await bind({ amount: 40_000_000_001n })).toBe('velocity')
    expect(await bind({ amount: 40_000_000_000n })).toBe('signed')
    const uses = signer.status().velocity.filter(({ asset }) => asset === 'stake' || asset === 'loan')
    expect(uses).toMatchObject([
      { hour: '40000000000', day: '100000000000' },
      { hour: '0', day: '80000000000' },
    ])
  })

  test('is off when the policy does not mention it, or says so', async () => {
    expect(await refusalOf(treasuryRequest(stake), withTron({ treasury: undefined }))).toBe('disabled')
    expect(
      await refusalOf(
        treasuryRequest(stake),
        withTron({ treasury: { ...policyFile.networks.TRON.treasury, enabled: false } }),
      ),
    ).toBe('disabled')
    const { signer } = await makeSigner()
    expect(await codeOf(signer, treasuryRequest(stake))).toBe('signed')
    signer.replacePolicy(readPolicy(JSON.stringify({ ...policyFile, enabled: false })))
    expect(await codeOf(signer, treasuryRequest(stake))).toBe('signed')
    expect(await codeOf(signer, treasuryRequest({ ...stake, amount: stake.amount - 1n }))).toBe('disabled')
  })
})
