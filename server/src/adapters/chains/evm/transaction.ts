import { isRefused, type ChainTransaction, type CoinSwept, type Transfer } from '@bursar/chainkit'
import { decodeCoinSwept, decodeTransferLog } from '@bursar/chainkit/evm'
import { listOf, objectOf, textOf } from '../shape.ts'
import type { BalanceChanges } from './balance-changes.ts'
import type { Fees } from './block-income.ts'
import { innerIncome, withoutOutside } from './inner-income.ts'
import { addressOf, countOf, hashOf, quantityOf } from './quantity.ts'
import { feeOf, succeededBy, tipOf, type Receipt } from './receipts.ts'

type Fields = Record<string, unknown>

/** Balance changes by a transaction. */
export interface Trace {
  /** `whole`: includes the transaction's own value and fee. `inner`: only its inner calls */
  of: 'whole' | 'inner'
  changes: BalanceChanges
}

/** One transaction in a block as a node shows it. */
export interface ShownTransaction {
  transaction: Fields
  receipt: Receipt
  /** undefined when it was not queried, or is not available */
  trace: Trace | undefined
  /** recipient of the block's tips; null on a chain whose fees go elsewhere first */
  fees: Fees | null
}

/** @param tokens token contracts whose logs count, in lower case; names and symbols are not considered */
export const decodeTransaction = (shown: ShownTransaction, tokens: ReadonlySet<string>): ChainTransaction => {
  const { transaction, receipt } = shown
  const from = addressOf(transaction['from'], 'from')
  const succeeded = succeededBy(receipt)
  const coinSwept = succeeded ? coinSweptIn(receipt) : []
  return {
    hash: hashOf(transaction['hash'], 'hash'),
    keys: [`${from}:${countOf(transaction['nonce'], 'nonce')}`],
    succeeded,
    fee: feeOf(receipt),
    transfers: succeeded
      ? [
          ...nativeTransfer(transaction, receipt, from),
          ...tokenTransfers(receipt, tokens),
          ...innerTransfers(shown, from, coinSwept),
        ]
      : [],
    ...(coinSwept.length > 0 && { coinSwept }),
  }
}

/** The transfer of a transaction's value. Without a receiver it creates a contract, which receives the value. */
const nativeTransfer = (transaction: Fields, receipt: Receipt, from: string): Transfer[] => {
  const units = quantityOf(transaction['value'], 'value')
  if (units === 0n) return []
  const to = receiverOf(transaction, receipt)
  return [{ index: 'n', contract: null, from: [from], to, units }]
}

const receiverOf = (transaction: Fields, receipt: Receipt): string =>
  addressOf(transaction['to'] ?? receipt['contractAddress'], 'to')

const innerTransfers = (
  { transaction, receipt, trace, fees }: ShownTransaction,
  from: string,
  coinSwept: readonly CoinSwept[],
): Transfer[] => {
  if (trace === undefined) return []
  const left = new Map<string, bigint>()
  for (const { account, units } of coinSwept)
    left.set(account.toLowerCase(), (left.get(account.toLowerCase()) ?? 0n) + units)
  if (trace.of === 'inner') return innerIncome(trace.changes, left)
  const outside = {
    from: from.toLowerCase(),
    to: receiverOf(transaction, receipt).toLowerCase(),
    value: quantityOf(transaction['value'], 'value'),
    fee: feeOf(receipt),
    tip: fees && { to: fees.recipient.toLowerCase(), units: tipOf(receipt, fees.baseFee) },
  }
  return innerIncome(withoutOutside(trace.changes, outside), left)
}

/**
 * Transfers of listed tokens. A log is identified by its place in its transaction. Its place in the block changes when
 * a reorganisation moves the transaction to another block, and one payment would then have two identities.
 */
const tokenTransfers = (receipt: Receipt, tokens: ReadonlySet<string>): Transfer[] =>
  logsOf(receipt).flatMap(({ place, address, topics, data }): Transfer[] => {
    const contract = address.toLowerCase()
    if (!tokens.has(contract)) return []
    const decoded = decodeTransferLog({ topics: topics(), data: data() })
    if (isRefused(decoded) || decoded.units === 0n) return []
    return [{ index: `l:${place}`, contract, from: [decoded.from], to: decoded.to, units: decoded.units }]
  })

/**
 * Named as inner transfers are, which are compared by their sums: nodes showed the same coin as an inner call before.
 */
const coinSweptIn = (receipt: Receipt): CoinSwept[] =>
  logsOf(receipt).flatMap(({ place, address, topics, data }): CoinSwept[] => {
    const swept = decodeCoinSwept({ address, topics: topics(), data: data() })
    return swept && swept.units > 0n ? [{ index: `t:l:${place}`, ...swept }] : []
  })

interface Log {
  /** index within its transaction */
  place: number
  address: string
  topics(): string[]
  data(): string
}

/** Logs of a receipt, without removed ones. */
const logsOf = (receipt: Receipt): Log[] =>
  listOf(receipt['logs'], 'logs').flatMap((value, place): Log[] => {
    const log = objectOf(value, 'a log')
    if (log['removed'] === true) return []
    return [
      {
        place,
        address: textOf(log['address'], 'the address of a log'),
        topics: () => listOf(log['topics'], 'topics').map((topic) => textOf(topic, 'a topic')),
        data: () => textOf(log['data'], 'data'),
      },
    ]
  })
