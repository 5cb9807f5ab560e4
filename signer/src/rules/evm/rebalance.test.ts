/** Transfers between hot addresses: to the key that is named, among those the policy counts, and nothing else. */
import { encodeTransfer } from '@bursar/chainkit/evm'
import type { UnsignedTransaction } from '@bursar/chainkit/evm'
import { parseTransaction } from 'viem'
import type { TransactionSerialized } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  codeOf,
  depositKey,
  evmRequest,
  evmTransaction,
  intentOf,
  keyring,
  makeSigner,
  policyFile,
  refusalOf,
  STRANGER,
  unsignedHex,
  USDC,
  USDT,
} from '../../../../test/world/signer.ts'
import type { KeyReference, SignRequest } from '../../protocol/protocol.ts'

const hot = (index: number): KeyReference => ({ account: 'hot', branch: 0, index })
const POOL = 3
const policy = {
  ...policyFile,
  networks: { ...policyFile.networks, ETHEREUM: { ...policyFile.networks.ETHEREUM, hotAddresses: POOL } },
}
const second = keyring.evmAddress(hot(1))
const base = evmTransaction(intentOf(1)) as UnsignedTransaction
const coin = (to = second, more: Partial<UnsignedTransaction> = {}): UnsignedTransaction =>
  ({ ...base, to, value: 5_000n, data: '0x', ...more }) as UnsignedTransaction
const token = (to = second, more: Partial<UnsignedTransaction> = {}): UnsignedTransaction =>
  ({ ...base, to: USDT, value: 0n, data: encodeTransfer(to, 10n ** 12n), ...more }) as UnsignedTransaction
const move = (
  transaction: UnsignedTransaction,
  keys: KeyReference[] = [hot(0), hot(1)],
  more: Partial<SignRequest> = {},
): SignRequest =>
  evmRequest(intentOf(1), {}, { purpose: 'rebalance', intents: [], unsigned: unsignedHex(transaction), keys, ...more })

describe('rebalancing', () => {
  test.each([
    ['coin', coin()],
    ['a token, above the limit of one payment', token()],
  ])('signs %s for another hot address', async (_name, transaction) => {
    const { signer } = await makeSigner({ policy })
    const { signed } = await signer.sign(move(transaction))
    expect(parseTransaction(signed as TransactionSerialized).to).toBe(transaction.to.toLowerCase())
  })

  test.each<[string, SignRequest, string]>([
    ['a stranger', move(coin(STRANGER)), 'destination-mismatch'],
    ['a token to a stranger', move(token(STRANGER)), 'destination-mismatch'],
    ['a receiver beyond the pool', move(coin(keyring.evmAddress(hot(POOL))), [hot(0), hot(POOL)]), 'key-mismatch'],
    ['a sender beyond the pool', move(coin(), [hot(POOL), hot(1)]), 'key-mismatch'],
    [
      'a deposit address as receiver',
      move(coin(keyring.evmAddress(depositKey(1))), [hot(0), depositKey(1)]),
      'key-mismatch',
    ],
    ['a deposit address as sender', move(coin(), [depositKey(1), hot(1)]), 'key-mismatch'],
    ['no receiver', move(coin(), [hot(0)]), 'key-mismatch'],
    ['three keys', move(coin(), [hot(0), hot(1), hot(2)]), 'key-mismatch'],
    ['coin beside a token', move(token(second, { value: 1n })), 'amount-mismatch'],
    ['another call of a token', move(token(second, { data: '0x095ea7b3' })), 'unknown-output'],
    ['a token the policy does not have', move(token(second, { to: STRANGER })), 'unknown-asset'],
    ['an asset that is switched off', move(token(second, { to: USDC })), 'disabled'],
    ['a fee above the cap', move(coin(second, { gas: 10n ** 9n })), 'fee-too-high'],
    ['Bitcoin', move(coin(), [hot(0), hot(1)], { network: 'BITCOIN' }), 'network'],
    ['TRON', move(coin(), [hot(0), hot(1)], { network: 'TRON' }), 'network'],
  ])('refuses %s', async (_name, request, code) => {
    const off = structuredClone(policy) as {
      networks: { ETHEREUM: { assets: Record<string, { enabled: boolean; contract?: string }> } }
    }
    off.networks.ETHEREUM.assets['USDC'] = { ...off.networks.ETHEREUM.assets['USDT']!, enabled: false, contract: USDC }
    expect(await refusalOf(request, off)).toBe(code)
  })

  test('a payment comes from hot addresses of the policy only, and from deposit addresses', async () => {
    const { signer } = await makeSigner({ policy })
    const pay = (key: KeyReference, n: number) =>
      codeOf(signer, evmRequest(intentOf(n), { nonce: BigInt(n) }, { keys: [key] }))
    expect(await pay(hot(POOL - 1), 1)).toBe('signed')
    expect(await pay(depositKey(9), 2)).toBe('signed')
    expect(await pay(hot(POOL), 3)).toBe('key-mismatch')
    expect(await refusalOf(evmRequest(intentOf(4), {}, { keys: [hot(1)] }))).toBe('key-mismatch')
  })
})
