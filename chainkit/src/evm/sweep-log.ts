import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { checksumAddress } from './address.ts'
import type { SweepContracts } from './contracts.ts'
import { addressFromWord, decodeUint } from './erc20.ts'
import { toHex } from './hex.ts'
import type { Hex } from './hex.ts'

/** Events of a sweep other than the tokens' own `Transfer`. */
export type SweepEvent =
  /** Coin went from a delegated address to the treasury, no matter who requested it. */
  | { kind: 'coin-swept'; account: Hex; units: bigint }
  /** A token, or the coin (`COIN`), was not swept. */
  | { kind: 'not-swept'; account: Hex; asset: Hex }
  /** The address runs no delegate, or its call failed as a whole. */
  | { kind: 'account-not-swept'; account: Hex }

const topicOf = (event: string): Hex => toHex(keccak_256(utf8ToBytes(event)))
const COIN_SWEPT = topicOf('CoinSwept(uint256)')
const NOT_SWEPT = topicOf('NotSwept(address)')
const RELAY_NOT_SWEPT = topicOf('NotSwept(address,address)')
const ACCOUNT_NOT_SWEPT = topicOf('AccountNotSwept(address)')

/**
 * Decodes a log that reports coin sent from a delegated address to its treasury; undefined for any other log. Any
 * contract can write such a log: trust it only for one of our addresses that delegates to the pinned contract. Never
 * throws.
 */
export const decodeCoinSwept = (log: {
  address: string
  topics: readonly string[]
  data: string
}): { account: Hex; units: bigint } | undefined => {
  if (log.topics[0]?.toLowerCase() !== COIN_SWEPT) return undefined
  const units = decodeUint(log.data)
  return units === undefined ? undefined : { account: checksumAddress(log.address), units }
}

/**
 * Decodes a log of SweepDelegate, SweepBatch or SweepRelay, or undefined for any other. A delegated address is itself
 * the source of the log: trust only logs of our addresses that delegate to the pinned contract. Never throws.
 * @param isOurs whether an address (EIP-55) is a deposit address of ours
 */
export const decodeSweepLog = (
  log: { address: string; topics: readonly string[]; data: string },
  { batch, relay }: SweepContracts,
  isOurs: (address: Hex) => boolean,
): SweepEvent | undefined => {
  const address = checksumAddress(log.address)
  const [topic, ...indexed] = log.topics.map((one) => one.toLowerCase())
  const [first, second] = indexed.map((word) => addressFromWord(word.slice(2)))
  if (address === batch.address) {
    return topic === ACCOUNT_NOT_SWEPT && first ? { kind: 'account-not-swept', account: first } : undefined
  }
  if (address === relay.address) {
    return topic === RELAY_NOT_SWEPT && first && second
      ? { kind: 'not-swept', account: second, asset: first }
      : undefined
  }
  if (!isOurs(address)) return undefined
  const swept = decodeCoinSwept(log)
  if (swept) return { kind: 'coin-swept', ...swept }
  return topic === NOT_SWEPT && first ? { kind: 'not-swept', account: address, asset: first } : undefined
}
