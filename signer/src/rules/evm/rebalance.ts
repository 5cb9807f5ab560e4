import { decodeTransfer } from '@bursar/chainkit/evm'
import type { Hex, UnsignedTransaction } from '@bursar/chainkit/evm'
import { NATIVE_TICKER } from '@bursar/chainkit'
import type { Keyring } from '../../keys/keyring.ts'
import type { EvmPolicy } from '../../policy/policy.ts'
import type { KeyReference } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'

/**
 * Judges a transfer of coin or a pinned token from the address of the first key to that of the second, both hot
 * addresses of the policy. It pays no intent.
 */
export function judgeRebalance(
  transaction: UnsignedTransaction,
  keys: readonly KeyReference[],
  keyring: Keyring,
  policy: EvmPolicy,
): void {
  const [from, receiver, ...more] = keys
  if (!from || !receiver || more.length > 0) {
    throw new Refusal('key-mismatch', 'A rebalancing names the keys of sender and receiver')
  }
  for (const key of [from, receiver]) requireHot(key, policy)
  const own = keyring.evmAddress(receiver)
  const to = readReceiver(transaction, policy)
  if (to !== own) throw new Refusal('destination-mismatch', `The key named has ${own}; ${to} would be paid`)
}

function readReceiver({ to, value, data }: UnsignedTransaction, { network, assets }: EvmPolicy): Hex {
  const isCoin = data === '0x'
  const [ticker, asset] =
    [...assets].find(([name, { contract }]) => (isCoin ? name === NATIVE_TICKER[network] : contract === to)) ?? []
  if (!asset) throw new Refusal('unknown-asset', `The moved asset is not in the policy of ${network}`)
  if (!asset.enabled) throw new Refusal('disabled', `Signing of ${ticker} is switched off`)
  if (isCoin) return to
  if (value !== 0n) throw new Refusal('amount-mismatch', 'A move of a token sends no native coin')
  const transfer = decodeTransfer(data)
  if (!transfer) throw new Refusal('unknown-output', 'The call is not exactly transfer(address,uint256)')
  return transfer.to
}

/**
 * Throws a Refusal if a key of the hot account exceeds the policy's number of hot addresses. Deposit keys always pass.
 */
export function requirePool({ account, index }: KeyReference, { network, hotAddresses }: EvmPolicy): void {
  if (account === 'hot' && index >= hotAddresses) {
    throw new Refusal(
      'key-mismatch',
      `Hot address ${index} is none of the ${hotAddresses} that the policy has on ${network}`,
    )
  }
}

function requireHot(key: KeyReference, policy: EvmPolicy): void {
  if (key.account !== 'hot' || key.branch !== 0) throw new Refusal('key-mismatch', 'Only hot addresses are rebalanced')
  requirePool(key, policy)
}
