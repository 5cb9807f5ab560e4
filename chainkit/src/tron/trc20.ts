import { decodeTransfer, decodeTransferLog, encodeBalanceOf, encodeTransfer } from '../evm/erc20.ts'
import type { Hex } from '../evm/hex.ts'
import { isRefused } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { addressOfEvmForm, evmFormOf } from './address.ts'

/** TRC-20 is ERC-20 with TRON's addresses, which contracts hold without their first byte. */

/** Call data of `transfer(to, units)`. Units are the token's base units. */
export function encodeTokenTransfer(to: string, units: bigint): Hex {
  return encodeTransfer(evmFormOf(to), units)
}

/**
 * What a call of `transfer` does, or undefined when the data is anything but exactly what `encodeTokenTransfer` writes.
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

/** Reads a `Transfer` log as `gettransactioninfo` shows it: topics and data in hex without 0x. Never throws. */
export function decodeTokenTransferLog(log: {
  topics: readonly string[]
  data: string
}): TokenTransfer | Refused<'not-transfer' | 'malformed'> {
  const decoded = decodeTransferLog({ topics: log.topics.map((topic) => `0x${topic}`), data: `0x${log.data}` })
  if (isRefused(decoded)) return decoded
  return { from: addressOfEvmForm(decoded.from), to: addressOfEvmForm(decoded.to), units: decoded.units }
}
