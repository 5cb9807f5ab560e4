import { decodeTransfer } from '@bursar/chainkit/evm'
import type { Hex, UnsignedTransaction } from '@bursar/chainkit/evm'
import { NATIVE_TICKER, SECOND_SEED, seedIndex } from '@bursar/chainkit'
import type { Keyring } from '../../keys/keyring.ts'
import type { EvmPolicy } from '../../policy/policy.ts'
import type { KeyReference } from '../../protocol/protocol.ts'
import { Refusal } from '../../protocol/refusal.ts'
import { isReplaced } from '../rotation.ts'

/**
 * Judges a transfer of coin or a pinned token from the address of the first key to that of the second, both hot
 * addresses of the policy. It pays no intent. With an active second seed, the receiver is of the second; the first seed
 * pays the first hot address of the second only.
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
  for (const key of [from, receiver]) requireHot(key, policy, keyring)
  if (isReplaced(keyring, receiver) || (isReplaced(keyring, from) && receiver.index !== SECOND_SEED))
    throw new Refusal('rotated', 'The second seed is active, and the receiver is not its first hot address')
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
 * Throws a Refusal if a key of the hot account exceeds the policy's number of hot addresses of each seed, or a key is
 * of a second seed that is not active.
 */
export function requirePool(
  { account, index }: KeyReference,
  { network, hotAddresses }: EvmPolicy,
  { isRotated }: Pick<Keyring, 'isRotated'>,
): void {
  const own = seedIndex(index)
  if (own.seed === 'second' && !isRotated)
    throw new Refusal('key-mismatch', `Key ${index} on ${network} is of a second seed, and none is active`)
  if (account === 'hot' && own.index >= hotAddresses) {
    throw new Refusal(
      'key-mismatch',
      `Hot address ${index} is none of the ${hotAddresses} that the policy has on ${network}`,
    )
  }
}

function requireHot(key: KeyReference, policy: EvmPolicy, keyring: Keyring): void {
  if (key.account !== 'hot' || key.branch !== 0) throw new Refusal('key-mismatch', 'Only hot addresses are rebalanced')
  requirePool(key, policy, keyring)
}
