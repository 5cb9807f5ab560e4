import { isRefused } from '@bursar/chainkit'
import { checksumAddress, decodeTransferLog } from '@bursar/chainkit/evm'
import type { ChainTransaction, Transfer } from '../port.ts'
import { quantity, safeNumber, type WireFrame, type WireLog, type WireReceipt, type WireTransaction } from './wire.ts'

/** Everything a transaction moved: native value, allow-listed tokens, and native value inside its calls. */
export const transactionOf = (
  transaction: WireTransaction,
  receipt: WireReceipt,
  tokens: ReadonlySet<string>,
  frame: WireFrame | undefined,
): ChainTransaction => {
  const sender = checksumAddress(transaction.from)
  const succeeded = receipt.status === '0x1'
  return {
    hash: transaction.hash,
    keys: [`${sender}:${safeNumber(transaction.nonce)}`],
    succeeded,
    fee: quantity(receipt.gasUsed) * quantity(receipt.effectiveGasPrice),
    transfers: succeeded
      ? [
          ...nativeTransfer(transaction, sender),
          ...receipt.logs.flatMap((log) => tokenTransfer(log, tokens)),
          ...(frame?.calls ?? []).flatMap((call, i) => innerTransfers(call, String(i))),
        ]
      : [],
  }
}

const nativeTransfer = ({ to, value }: WireTransaction, sender: string): Transfer[] => {
  const units = quantity(value)
  return to === null || units === 0n ? [] : [{ index: 'n', contract: null, from: [sender], to: checksumAddress(to), units }]
}

/** A log counts only from a contract on the list: names and symbols mean nothing. */
const tokenTransfer = (log: WireLog, tokens: ReadonlySet<string>): Transfer[] => {
  const contract = log.address.toLowerCase()
  if (!tokens.has(contract)) return []
  const decoded = decodeTransferLog(log)
  if (isRefused(decoded) || decoded.units === 0n) return []
  return [{ index: `l:${safeNumber(log.logIndex)}`, contract, from: [decoded.from], to: decoded.to, units: decoded.units }]
}

/** Calls that carry value of their own; a delegate call only repeats its caller's. */
const VALUE_CALLS = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** A frame that failed has undone everything below it. */
const innerTransfers = (frame: WireFrame, path: string): Transfer[] => {
  if (frame.error !== undefined) return []
  const units = frame.value === undefined ? 0n : quantity(frame.value)
  const own: Transfer[] =
    VALUE_CALLS.has(frame.type) && units > 0n && frame.to !== undefined
      ? [{ index: `t:${path}`, contract: null, from: [checksumAddress(frame.from)], to: checksumAddress(frame.to), units }]
      : []
  return [...own, ...(frame.calls ?? []).flatMap((call, i) => innerTransfers(call, `${path}.${i}`))]
}

const PLAIN_TRANSFER_GAS = 21_000n

/** A transaction that ran no code moved nothing inside: it needs no trace. */
export const mayCallInside = (receipt: WireReceipt): boolean => receipt.status === '0x1' && quantity(receipt.gasUsed) > PLAIN_TRANSFER_GAS
