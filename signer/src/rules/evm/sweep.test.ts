import { encodeFunctionData, hexToBytes, parseAbi, parseTransaction, recoverTypedDataAddress } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { COIN, encodeTransfer, parseSigned, parseSignedSetCode, relayTransfers, sweepMany } from '@bursar/chainkit/evm'
import type { TransferCall } from '@bursar/chainkit/evm'
import { isRefused } from '@bursar/chainkit'
import { readPolicy } from '../../policy/policy.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import { tronIntent, tronRequest } from '../../../../test/world/tron-requests.ts'
import { addressOf, contracts, movedContracts, plainSweep, sweepRequest, usdcPolicy } from './test-sweep.ts'
import type { SweepPlan } from './test-sweep.ts'
import {
  TREASURY,
  USDC,
  USDT,
  codeOf,
  depositKey,
  hotKey,
  keyring,
  makeSigner,
  policyFile,
  refusalOf,
} from '../../../../test/world/signer.ts'

const STRANGER = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB'

const relay = contracts.relay.address

const first: SweepPlan = {
  accounts: [1, 2],
  authorize: [
    [1, 0n],
    [2, 0n],
  ],
}

const transfers: TransferCall = {
  token: USDC,
  validBefore: 2n ** 40n,
  transfers: [
    { from: addressOf(1), units: 5n, nonce: 1n },
    { from: addressOf(2), units: 6n, nonce: 1n },
  ],
}

describe('signed sweeps', () => {
  test('viem reads the same batch, authorisations and signers from the signed bytes', async () => {
    const { signer } = await makeSigner()
    const { signed, hash } = await signer.sign(sweepRequest(first))
    const read = parseSignedSetCode(hexToBytes(signed as Hex))
    expect(read).toMatchObject({ from: keyring.evmAddress(hotKey), hash })
    const { authorizationList, to, data, value } = parseTransaction(signed as `0x04${string}`)
    expect([to, value ?? 0n]).toEqual([contracts.batch.address.toLowerCase(), 0n])
    expect(sweepMany.decode(data!)).toEqual([{ assets: [USDT], accounts: [addressOf(1), addressOf(2)] }])
    for (const [index, authorization] of authorizationList.entries()) {
      expect(authorization).toMatchObject({ chainId: 31_337, address: contracts.delegate.address.toLowerCase() })
      expect(
        await recoverAuthorizationAddress({
          authorization: { ...authorization, address: authorization.address! },
        } as Parameters<typeof recoverAuthorizationAddress>[0]),
      ).toBe(addressOf(index + 1))
    }
    expect(authorizationList).toHaveLength(2)
  })

  test('a later batch needs no authorisation, and legacy prices will do', async () => {
    const { signer } = await makeSigner()
    const { signed } = await signer.sign(sweepRequest({ accounts: [1, 2], assets: [USDT, COIN] }))
    expect(parseSigned(hexToBytes(signed as Hex))).toMatchObject({ from: keyring.evmAddress(hotKey) })
  })

  test('transfers through the relay are signed by their senders, to the treasury', async () => {
    const { signer } = await makeSigner({ policy: usdcPolicy })
    const { signed } = await signer.sign(
      plainSweep({ to: relay, data: relayTransfers.encode(transfers) }, [hotKey, depositKey(1), depositKey(2)]),
    )
    const read = parseSigned(hexToBytes(signed as Hex))
    if (isRefused(read)) throw new Error(read.message)
    const call = relayTransfers.decode(read.transaction.data)!
    for (const [index, { from, units, nonce, signature }] of call.transfers.entries()) {
      const signer = await recoverTypedDataAddress({
        domain: { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: USDC },
        types: {
          TransferWithAuthorization: [
            'address from',
            'address to',
            'uint256 value',
            'uint256 validAfter',
            'uint256 validBefore',
            'bytes32 nonce',
          ].map((one) => ({ type: one.split(' ')[0]!, name: one.split(' ')[1]! })),
        },
        primaryType: 'TransferWithAuthorization',
        message: {
          from,
          to: TREASURY,
          value: units,
          validAfter: 0n,
          validBefore: call.validBefore,
          nonce: `0x${nonce.toString(16).padStart(64, '0')}`,
        },
        signature: { r: word(signature!.r), s: word(signature!.s), yParity: signature!.yParity },
      })
      expect(signer).toBe(addressOf(index + 1))
    }
  })

  test.each<[string, SignRequest]>([
    ['a top-up', plainSweep({ to: addressOf(1), value: 10n ** 15n, gas: 21_000n }, [hotKey, depositKey(1)])],
    ['coin of a deposit address', plainSweep({ value: 10n ** 20n, gas: 21_000n }, [depositKey(1)])],
    [
      'a token of a deposit address',
      plainSweep({ to: USDT, data: encodeTransfer(TREASURY, 10n ** 30n) }, [depositKey(1)]),
    ],
  ])('%s', async (_name, request) => {
    expect(await refusalOf(request)).toBe('signed')
  })

  test('the log names the code of each address, and a replacement carries the same authorisations', async () => {
    const { signer } = await makeSigner()
    const one = await signer.sign(sweepRequest(first))
    const dearer = await signer.sign(sweepRequest({ ...first, call: { maxFeePerGas: 23n * 10n ** 9n } }))
    const [a, b] = [one, dearer].map(({ signed }) => parseSignedSetCode(hexToBytes(signed as Hex)))
    if (!a || !b || isRefused(a) || isRefused(b)) throw new Error('not read')
    expect(b.transaction.authorizations).toEqual(a.transaction.authorizations)
    expect(b.hash).not.toBe(a.hash)
    expect(await signer.sign(sweepRequest(first))).toEqual(one)
  })
})

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

const batch = (more: Partial<SweepPlan>): SignRequest => sweepRequest({ ...first, ...more })

const named = (...keys: SignRequest['keys']): Partial<SweepPlan> => ({ request: { keys } })

/** `pull` (SweepRelay.sol): nothing plans it. */
const pullOf = (token: Hex, owner: Hex): Hex =>
  encodeFunctionData({ abi: parseAbi(['function pull(address token, address[] owners)']), args: [token, [owner]] })

describe('refused sweeps', () => {
  test.each<[string, SignRequest, RefusalCode]>([
    [
      'an authorisation of a hot wallet',
      sweepRequest({
        accounts: [1],
        authorize: [[1, 0n]],
        call: { data: sweepMany.encode([{ assets: [USDT], accounts: [keyring.evmAddress(hotKey)] }]) },
        request: { keys: [hotKey, hotKey] },
      }),
      'key-mismatch',
    ],
    [
      'an authorisation of another delegate',
      batch({
        alter: (draft) => ({
          ...draft,
          authorizations: draft.authorizations.map((one) => ({ ...one, delegate: STRANGER })),
        }),
      }),
      'destination-mismatch',
    ],
    [
      'an authorisation of the delegate of another treasury',
      batch({
        alter: (draft) => ({
          ...draft,
          authorizations: draft.authorizations.map((one) => ({ ...one, delegate: movedContracts.delegate.address })),
        }),
      }),
      'destination-mismatch',
    ],
    [
      'an authorisation for the other chain',
      batch({
        alter: (draft) => ({
          ...draft,
          authorizations: draft.authorizations.map((one) => ({ ...one, chainId: 31_356n })),
        }),
      }),
      'network',
    ],
    ["the other chain's id throughout", batch({ call: { chainId: 31_356n } }), 'network'],
    [
      'an address that authorises twice',
      sweepRequest({
        accounts: [1],
        authorize: [
          [1, 0n],
          [1, 1n],
        ],
      }),
      'key-mismatch',
    ],
    ['an authorisation ahead of its nonce', sweepRequest({ accounts: [1], authorize: [[1, 1n]] }), 'authorization'],
    ['a key too few', batch(named(hotKey, depositKey(1))), 'key-mismatch'],
    ['a key too many', batch(named(hotKey, depositKey(1), depositKey(2), depositKey(3))), 'key-mismatch'],
    [
      "a stranger's address among ours",
      sweepRequest({
        accounts: [1],
        call: { data: sweepMany.encode([{ assets: [USDT], accounts: [addressOf(1), STRANGER] }]) },
      }),
      'key-mismatch',
    ],
    [
      'an address swept twice',
      sweepRequest({
        accounts: [1],
        call: { data: sweepMany.encode([{ assets: [USDT], accounts: [addressOf(1), addressOf(1)] }]) },
      }),
      'unknown-output',
    ],
    [
      'a batch paid by a deposit address',
      sweepRequest({ accounts: [1], request: { keys: [depositKey(9), depositKey(1)] } }),
      'key-mismatch',
    ],
    ['a batch of nothing', sweepRequest({ accounts: [], request: { keys: [hotKey] } }), 'key-mismatch'],
    ['a call of another contract', batch({ call: { to: STRANGER } }), 'destination-mismatch'],
    ['a call of the delegate itself', batch({ call: { to: contracts.delegate.address } }), 'destination-mismatch'],
    ['coin sent with the call', batch({ call: { value: 1n } }), 'amount-mismatch'],
    [
      'a call of the relay that moves a token by an allowance',
      plainSweep({ to: relay, data: pullOf(USDT, addressOf(1)) }, [hotKey, depositKey(1)]),
      'unknown-output',
    ],
    ['another call of the batch', batch({ call: { data: '0x12345678' } }), 'unknown-output'],
    ['an asset that is not in the policy', batch({ assets: [STRANGER] }), 'unknown-asset'],
    ['an asset that is switched off', batch({ assets: [USDT, USDC] }), 'disabled'],
    ['a fee above the cap', batch({ call: { gas: 2_500_001n } }), 'fee-too-high'],
    ['keys on another branch', batch(named({ ...hotKey, branch: 1 }, depositKey(1), depositKey(2))), 'key-mismatch'],
    ['no key', batch(named()), 'key-mismatch'],
    ['half a draft', batch({ request: { unsigned: '0x04c0' } }), 'not-parsable'],
    [
      'a top-up above the cap',
      plainSweep({ to: addressOf(1), value: 10n ** 15n + 1n }, [hotKey, depositKey(1)]),
      'limit',
    ],
    [
      'a top-up of a stranger',
      plainSweep({ to: STRANGER, value: 1n }, [hotKey, depositKey(1)]),
      'destination-mismatch',
    ],
    [
      'a top-up of a hot wallet',
      plainSweep({ to: keyring.evmAddress(hotKey), value: 1n }, [hotKey, hotKey]),
      'key-mismatch',
    ],
    [
      'a top-up with data',
      plainSweep({ to: addressOf(1), value: 1n, data: '0x00' }, [hotKey, depositKey(1)]),
      'unknown-output',
    ],
    ['a payment of a hot wallet to the treasury', plainSweep({ value: 1n }, [hotKey]), 'key-mismatch'],
    ['coin sent elsewhere', plainSweep({ to: STRANGER, value: 1n }, [depositKey(1)]), 'destination-mismatch'],
    [
      'a token sent elsewhere',
      plainSweep({ to: USDT, data: encodeTransfer(STRANGER, 1n) }, [depositKey(1)]),
      'destination-mismatch',
    ],
    [
      'coin beside the token',
      plainSweep({ to: USDT, value: 1n, data: encodeTransfer(TREASURY, 1n) }, [depositKey(1)]),
      'amount-mismatch',
    ],
    [
      'another call of a token',
      plainSweep({ to: USDT, data: `0x095ea7b3${encodeTransfer(TREASURY, 1n).slice(10)}` }, [depositKey(1)]),
      'unknown-output',
    ],
    [
      'a token that is switched off',
      plainSweep({ to: USDC, data: encodeTransfer(TREASURY, 1n) }, [depositKey(1)]),
      'disabled',
    ],
    ['on Bitcoin', { ...batch({}), network: 'BITCOIN' }, 'disabled'],
    [
      'a top-up on TRON that names no receiver',
      tronRequest(tronIntent(1), {}, { purpose: 'sweep', intents: [] }),
      'bad-request',
    ],
  ])('%s', async (_name, request, code) => {
    expect(await refusalOf(request)).toBe(code)
  })

  test.each<[string, Partial<typeof transfers>, SignRequest['keys'], RefusalCode]>([
    [
      'of another sender',
      { transfers: [{ ...transfers.transfers[0]!, from: STRANGER }] },
      [hotKey, depositKey(1)],
      'key-mismatch',
    ],
    ['in another order than their keys', {}, [hotKey, depositKey(2), depositKey(1)], 'key-mismatch'],
    [
      'that are signed already',
      { transfers: [{ ...transfers.transfers[0]!, signature: { r: 1n, s: 1n, yParity: 0 } }] },
      [hotKey, depositKey(1)],
      'not-parsable',
    ],
    ['of a token without a domain', { token: USDT }, [hotKey, depositKey(1), depositKey(2)], 'unknown-asset'],
    ['of an unknown token', { token: STRANGER }, [hotKey, depositKey(1), depositKey(2)], 'unknown-asset'],
  ])('transfers through the relay %s', async (_name, change, keys, code) => {
    const data = relayTransfers.encode({ ...transfers, ...change })
    expect(await refusalOf(plainSweep({ to: relay, data }, keys), usdcPolicy)).toBe(code)
  })

  test('sweeps, when the policy has no sweeps or has them switched off', async () => {
    const { sweep, ...without } = policyFile.networks.ETHEREUM
    for (const ETHEREUM of [without, { ...without, sweep: { ...sweep, enabled: false } }]) {
      expect(
        await refusalOf(sweepRequest(first), { ...policyFile, networks: { ...policyFile.networks, ETHEREUM } }),
      ).toBe('disabled')
    }
  })

  test('fees above the limit of an hour; coin sent for gas counts', async () => {
    const { signer } = await makeSigner()
    const request = (nonce: bigint): SignRequest =>
      plainSweep({ nonce, to: addressOf(1), value: 10n ** 15n, gas: 950_000n }, [hotKey, depositKey(1)])
    expect(await codeOf(signer, request(0n))).toBe('signed')
    expect(await codeOf(signer, request(1n))).toBe('signed')
    expect(await codeOf(signer, request(2n))).toBe('velocity')
  })
})

test('audit M-B3: switching sweeps off stops every new sweep; earlier signatures are still returned', async () => {
  const { signer } = await makeSigner()
  await signer.sign(sweepRequest(first))
  const { sweep, ...rest } = policyFile.networks.ETHEREUM
  const off = {
    ...policyFile,
    networks: { ...policyFile.networks, ETHEREUM: { ...rest, sweep: { ...sweep, enabled: false } } },
  }
  signer.replacePolicy(readPolicy(JSON.stringify(off)))
  expect(await codeOf(signer, sweepRequest(first))).toBe('signed')
  expect(await codeOf(signer, sweepRequest({ ...first, call: { nonce: 7n } }))).toBe('disabled')
})
