import { isRefused, type ChainTransaction, type Transfer } from '@bursar/chainkit'
import { decodeTransferLog } from '@bursar/chainkit/evm'
import { listOf, objectOf, textOf } from '../shape.ts'
import { innerTransfers } from './inner-calls.ts'
import { addressOf, countOf, hashOf, quantityOf } from './quantity.ts'
import { feeOf, succeededBy, type Receipt } from './receipts.ts'

type Fields = Record<string, unknown>

/** What a node shows of one transaction in a block. */
export interface ShownTransaction {
  transaction: Fields
  receipt: Receipt
  /** the call tracer's outermost frame; undefined when it was not asked */
  trace: unknown
}

/** @param tokens contracts whose logs count, in lower case: names and symbols mean nothing */
export const decodeTransaction = (shown: ShownTransaction, tokens: ReadonlySet<string>): ChainTransaction => {
  const { transaction, receipt, trace } = shown
  const from = addressOf(transaction['from'], 'from')
  const succeeded = succeededBy(receipt)
  return {
    hash: hashOf(transaction['hash'], 'hash'),
    keys: [`${from}:${countOf(transaction['nonce'], 'nonce')}`],
    succeeded,
    fee: feeOf(receipt),
    transfers: succeeded
      ? [
          ...nativeTransfer(transaction, receipt, from),
          ...tokenTransfers(receipt, tokens),
          ...(trace === undefined ? [] : innerTransfers(trace)),
        ]
      : [],
  }
}

/** A transaction without a receiver creates a contract, which then holds its value. */
const nativeTransfer = (transaction: Fields, receipt: Receipt, from: string): Transfer[] => {
  const units = quantityOf(transaction['value'], 'value')
  if (units === 0n) return []
  const to = addressOf(transaction['to'] ?? receipt['contractAddress'], 'to')
  return [{ index: 'n', contract: null, from: [from], to, units }]
}

/**
 * Transfers of listed tokens. A log is named by its place in its transaction: its place in the block changes when a
 * reorganisation puts the transaction into another one, and then one payment would have two names.
 */
const tokenTransfers = (receipt: Receipt, tokens: ReadonlySet<string>): Transfer[] =>
  listOf(receipt['logs'], 'logs').flatMap((value, place): Transfer[] => {
    const log = objectOf(value, 'a log')
    const contract = textOf(log['address'], 'the address of a log').toLowerCase()
    if (!tokens.has(contract) || log['removed'] === true) return []
    const topics = listOf(log['topics'], 'topics').map((topic) => textOf(topic, 'a topic'))
    const decoded = decodeTransferLog({ topics, data: textOf(log['data'], 'data') })
    if (isRefused(decoded) || decoded.units === 0n) return []
    return [{ index: `l:${place}`, contract, from: [decoded.from], to: decoded.to, units: decoded.units }]
  })
