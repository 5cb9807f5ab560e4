import { decodeTransfer, decodeTransferLog, encodeBalanceOf, encodeTransfer } from '../evm/erc20.ts'
import type { Hex } from '../evm/hex.ts'
import { isRefused } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { addressOfEvmForm, evmFormOf } from './address.ts'

/** TRC-20: like ERC-20, with TRON's addresses, which contracts store without their first byte. */

/** Call data of `transfer(to, units)`. Units are the token's base units. */
export function encodeTokenTransfer(to: string, units: bigint): Hex {
  return encodeTransfer(evmFormOf(to), units)
}

/**
 * Decodes call data of `transfer`. Returns undefined for anything that `encodeTokenTransfer` would not have written.
 */
export function decodeTokenTransfer(data: string): { to: string; units: bigint } | undefined {
  const transfer = decodeTransfer(data)
  return transfer && { to: addressOfEvmForm(transfer.to), units: transfer.units }
}

/** Call data of `balanceOf(owner)`. */
export function encodeTokenBalanceOf(owner: string): Hex {
  return encodeBalanceOf(evmFormOf(owner))
}

export interface TokenTransfer {
  from: string
  to: string
  /** token base units */
  units: bigint
}

/** Decodes a `Transfer` log of `gettransactioninfo`, with topics and data in hex without 0x. Never throws. */
export function decodeTokenTransferLog(log: {
  topics: readonly string[]
  data: string
}): TokenTransfer | Refused<'not-transfer' | 'malformed'> {
  const decoded = decodeTransferLog({ topics: log.topics.map((topic) => `0x${topic}`), data: `0x${log.data}` })
  if (isRefused(decoded)) return decoded
  return { from: addressOfEvmForm(decoded.from), to: addressOfEvmForm(decoded.to), units: decoded.units }
}
