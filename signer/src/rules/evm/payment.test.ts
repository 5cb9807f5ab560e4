import { hexToBytes, parseTransaction, recoverTransactionAddress } from 'viem'
import type { Hex, TransactionSerialized } from 'viem'
import { describe, expect, test } from 'vitest'
import { parseSigned } from '@bursar/chainkit/evm'
import type { SignRequest } from '../../protocol/protocol.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import type { Keyring } from '../../keys/keyring.ts'
import { readPolicy } from '../../policy/policy.ts'
import type { EvmPolicy } from '../../policy/policy.ts'
import { judgeEvm } from './payment.ts'
import {
  BITCOIN_STRANGER,
  STRANGER,
  USDC,
  USDT,
  codeOf,
  depositKey,
  evmRequest,
  evmTransaction,
  fillerRequest,
  hotKey,
  intentOf,
  keyring,
  makeSigner,
  policyFile,
  refusalOf,
  unsignedHex,
} from '../../../../test/world/signer.ts'

describe('on EVM chains', () => {
  test.each([
    ['a token', intentOf(1)],
    ['the native coin', intentOf(1, { asset: 'ETH', units: '700' })],
  ])('signs a payment of %s that viem reads as that payment', async (_name, intent) => {
    const { signer } = await makeSigner()
    const { signed, hash } = await signer.sign(evmRequest(intent))
    const { r: _r, s: _s, v: _v, yParity: _y, ...sent } = parseTransaction(signed as TransactionSerialized)
    const { chainId, nonce, gas, to, value, data, ...prices } = evmTransaction(intent)
    expect(sent).toMatchObject({ chainId: Number(chainId), gas, to: to.toLowerCase(), ...prices })
    expect([sent.nonce ?? 0, sent.value ?? 0n, sent.data ?? '0x']).toEqual([Number(nonce), value, data])
    const from = await recoverTransactionAddress({ serializedTransaction: signed as TransactionSerialized })
    expect(from).toBe(keyring.evmAddress(hotKey))
    expect(parseSigned(hexToBytes(signed as Hex))).toMatchObject({ hash })
  })

  test('signs legacy transactions too, and pays from deposit keys', async () => {
    const { signer } = await makeSigner()
    const intent = intentOf(1)
    const { maxFeePerGas: _a, maxPriorityFeePerGas: _b, ...call } = evmTransaction(intent)
    const unsigned = unsignedHex({ ...call, type: 'legacy', gasPrice: 10n ** 9n })
    const { signed } = await signer.sign(evmRequest(intent, {}, { unsigned, keys: [depositKey(7)] }))
    const from = await recoverTransactionAddress({ serializedTransaction: signed as TransactionSerialized })
    expect(from).toBe(keyring.evmAddress(depositKey(7)))
  })

  test.each([
    ['hot', hotKey],
    ['deposit', depositKey(7)],
  ])('returns no signature of a wrong key in place of a %s key', (_name, key) => {
    const faulty = {
      evmAddress: keyring.evmAddress.bind(keyring),
      evmRecovery: keyring.evmRecovery.bind(keyring),
      withEvmKey: (asked: typeof key, use: (bytes: Uint8Array) => unknown) =>
        keyring.withEvmKey({ ...asked, index: asked.index + 1 }, use),
    } as unknown as Keyring
    const policy = readPolicy(JSON.stringify(policyFile)).networks.get('ETHEREUM') as EvmPolicy
    const request = evmRequest(intentOf(1), {}, { keys: [key] })
    expect(() => judgeEvm(policy, keyring, request).sign()).not.toThrow()
    expect(() => judgeEvm(policy, faulty, request).sign()).toThrow(/not the one that was judged/)
  })

  test('signs a filler', async () => {
    const { signer } = await makeSigner()
    const { signed } = await signer.sign(fillerRequest({ nonce: 4n }))
    expect(parseTransaction(signed as TransactionSerialized)).toMatchObject({
      nonce: 4,
      to: keyring.evmAddress(hotKey).toLowerCase(),
    })
  })

  const token = intentOf(1)
  const coin = intentOf(1, { asset: 'ETH', units: '700' })
  const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
  const transferFrom = evmTransaction(token).data.replace('a9059cbb', '23b872dd') as Hex

  test.each<[string, SignRequest, RefusalCode]>([
    [
      'a token sent elsewhere',
      evmRequest(token, { data: evmTransaction({ ...token, to: other }).data }),
      'destination-mismatch',
    ],
    ['coins sent elsewhere', evmRequest(coin, { to: other }), 'destination-mismatch'],
    ['a twin of the token', evmRequest(token, { to: other }), 'destination-mismatch'],
    ['another token', evmRequest(token, { to: USDC }), 'destination-mismatch'],
    [
      'one token unit more',
      evmRequest(token, { data: evmTransaction({ ...token, units: '1000001' }).data }),
      'amount-mismatch',
    ],
    ['one wei more', evmRequest(coin, { value: 701n }), 'amount-mismatch'],
    ['one wei less', evmRequest(coin, { value: 699n }), 'amount-mismatch'],
    ['coins beside the token', evmRequest(token, { value: 1n }), 'amount-mismatch'],
    ['data beside the coins', evmRequest(coin, { data: '0x00' }), 'unknown-output'],
    ['transferFrom', evmRequest(token, { data: transferFrom }), 'unknown-output'],
    ['a byte after the call', evmRequest(token, { data: `${evmTransaction(token).data}00` }), 'unknown-output'],
    [
      'an approval of a spender',
      evmRequest(token, { data: evmTransaction(token).data.replace('a9059cbb', '095ea7b3') as Hex }),
      'unknown-output',
    ],
    [
      'coins where the intent says token',
      evmRequest(token, { to: STRANGER, value: 1_000_000n, data: '0x' }),
      'destination-mismatch',
    ],
    [
      'the token where the intent says coins',
      evmRequest(coin, { to: USDT, value: 0n, data: evmTransaction(token).data }),
      'unknown-output',
    ],
    ['a destination in lower case', evmRequest(intentOf(1, { to: STRANGER.toLowerCase() })), 'destination-mismatch'],
    [
      'a destination with a wrong checksum',
      evmRequest({ ...token, to: STRANGER.replace('C5', 'c5') }),
      'destination-mismatch',
    ],
    ['the zero address', evmRequest(intentOf(1, { to: `0x${'0'.repeat(40)}` })), 'destination-mismatch'],
    [
      'an address of Bitcoin',
      { ...evmRequest(token), intents: [{ ...token, to: BITCOIN_STRANGER }] },
      'destination-mismatch',
    ],
    ['B19 gas above the cap', evmRequest(token, { gas: 500_001n }), 'fee-too-high'],
    ['B19 a price above the cap', evmRequest(token, { maxFeePerGas: 100_000_000_001n }), 'fee-too-high'],
    ['another chain id', evmRequest(token, { chainId: 1n }), 'network'],
    ["the other network's chain id", evmRequest(token, { chainId: 31356n }), 'network'],
    ['a transaction of another network', { ...evmRequest(token), network: 'TRON' }, 'not-parsable'],
    ['a treasury transaction', { ...evmRequest(token), purpose: 'treasury', intents: [] }, 'network'],
    ['an unknown asset', evmRequest(intentOf(1, { asset: 'DAI' })), 'unknown-asset'],
    ['an asset of another network', evmRequest(intentOf(1, { asset: 'BNB' })), 'unknown-asset'],
    ['an asset switched off', evmRequest(intentOf(1, { asset: 'USDC' })), 'disabled'],
    ['two intents', { ...evmRequest(token), intents: [token, intentOf(2)] }, 'bad-request'],
    ['two keys', { ...evmRequest(token), keys: [hotKey, hotKey] }, 'key-mismatch'],
    ['no key', { ...evmRequest(token), keys: [] }, 'key-mismatch'],
    ['a key on branch 1', { ...evmRequest(token), keys: [{ ...hotKey, branch: 1 }] }, 'key-mismatch'],
    ['bytes without 0x', { ...evmRequest(token), unsigned: evmRequest(token).unsigned.slice(2) }, 'not-parsable'],
    ['rubbish', { ...evmRequest(token), unsigned: '0x02c0' }, 'not-parsable'],
    ['a byte left over', { ...evmRequest(token), unsigned: `${evmRequest(token).unsigned}00` }, 'not-parsable'],
    ['EIP-2930', { ...evmRequest(token), unsigned: `0x01${evmRequest(token).unsigned.slice(4)}` }, 'network'],
    ['EIP-7702', { ...evmRequest(token), unsigned: `0x04${evmRequest(token).unsigned.slice(4)}` }, 'network'],
    ['an amount above the limit', evmRequest(intentOf(1, { units: '1000000001' })), 'limit'],
    ['a large amount without approvals', evmRequest(intentOf(1, { units: '500000001' })), 'needs-approval'],
    ['a filler to another address', fillerRequest({ to: STRANGER }), 'destination-mismatch'],
    ['a filler from another key', fillerRequest({ to: keyring.evmAddress(depositKey(0)) }), 'destination-mismatch'],
    ['a filler with coins', fillerRequest({ value: 1n }), 'amount-mismatch'],
    ['a filler with data', fillerRequest({ data: '0x00' }), 'unknown-output'],
    ['a filler above the fee cap', fillerRequest({ gas: 500_001n }), 'fee-too-high'],
  ])('refuses %s', async (_name, request, code) => {
    expect(await refusalOf(request)).toBe(code)
  })

  test('audit M-B3: kill switches stop all or one network; earlier signatures are still returned', async () => {
    const request = evmRequest(token)
    expect(await refusalOf(request, { ...policyFile, enabled: false })).toBe('disabled')
    const off = { ...policyFile.networks.ETHEREUM, enabled: false }
    expect(await refusalOf(request, { ...policyFile, networks: { ...policyFile.networks, ETHEREUM: off } })).toBe(
      'disabled',
    )
    const { signer } = await makeSigner()
    await signer.sign(request)
    signer.replacePolicy(readPolicy(JSON.stringify({ ...policyFile, enabled: false })))
    expect(await codeOf(signer, request)).toBe('signed')
    expect(await codeOf(signer, evmRequest(intentOf(2), { nonce: 1n }))).toBe('disabled')
  })
})
