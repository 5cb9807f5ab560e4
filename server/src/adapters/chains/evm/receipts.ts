import { MAX_UINT256 } from '@bursar/chainkit/evm'
import { listOf, Malformed, objectOf } from '../shape.ts'
import { countOf, hashOf, quantityOf } from './quantity.ts'

export type Receipt = Record<string, unknown>

/**
 * Decodes a block's receipts, one per transaction. Logs must be numbered consecutively within the block, so that a
 * missing one is detected. Some nodes restart the numbers in the middle (Erigon 3.0.15, erigontech/erigon#16491); their
 * receipts must be read one by one.
 */
export const decodeReceipts = (result: unknown, blockHash: string, hashes: readonly string[]): Receipt[] => {
  const receipts = receiptsFor(listOf(result, 'the receipts'), blockHash, hashes)
  let logs = 0
  for (const number of receipts.flatMap(logNumbers)) {
    if (number !== logs) throw new Malformed(`log ${logs} is missing`)
    logs += 1
  }
  return receipts
}

/** Decodes receipts that were read one by one: logs must be numbered consecutively within each transaction. */
export const decodeSingleReceipts = (
  results: readonly unknown[],
  blockHash: string,
  hashes: readonly string[],
): Receipt[] => {
  const receipts = receiptsFor(results, blockHash, hashes)
  for (const receipt of receipts) {
    const numbers = logNumbers(receipt)
    if (numbers.some((number, at) => number !== numbers[0]! + at))
      throw new Malformed('a log of a transaction is missing')
  }
  return receipts
}

const receiptsFor = (results: readonly unknown[], blockHash: string, hashes: readonly string[]): Receipt[] => {
  const receipts = results.map((one) => objectOf(one, 'a receipt'))
  if (receipts.length !== hashes.length)
    throw new Malformed(`${receipts.length} receipts of ${hashes.length} transactions`)
  for (const [at, receipt] of receipts.entries()) {
    if (blockHashOf(receipt) !== blockHash) throw new Malformed('a receipt of another block')
    if (hashOf(receipt['transactionHash'], 'transactionHash') !== hashes[at])
      throw new Malformed('receipts are not in order')
  }
  return receipts
}

const logNumbers = (receipt: Receipt): number[] =>
  listOf(receipt['logs'], 'logs').map((log) => countOf(objectOf(log, 'a log')['logIndex'], 'logIndex'))

export const blockHashOf = (receipt: Receipt): string => hashOf(receipt['blockHash'], 'blockHash')

/** False for a reverted transaction, which had no effect except its fee. */
export const succeededBy = (receipt: Receipt): boolean => {
  const status = quantityOf(receipt['status'], 'status')
  if (status > 1n) throw new Malformed(`status ${status}`)
  return status === 1n
}

/** Fee in wei, of at most 256 bits: gas at its effective price, and blob gas at its own (EIP-4844). */
export const feeOf = (receipt: Receipt): bigint => {
  const { blobGasUsed } = receipt
  const blobs =
    blobGasUsed === undefined || blobGasUsed === null
      ? 0n
      : quantityOf(blobGasUsed, 'blobGasUsed') * quantityOf(receipt['blobGasPrice'], 'blobGasPrice')
  const fee = gasOf(receipt) * priceOf(receipt) + blobs
  if (fee > MAX_UINT256) throw new Malformed('a fee of more than 256 bits')
  return fee
}

/**
 * The fee recipient's share of the fee in wei: the part of the gas price above the base fee, which is burnt (EIP-1559).
 */
export const tipOf = (receipt: Receipt, baseFee: bigint): bigint => {
  const above = priceOf(receipt) - baseFee
  return above > 0n ? gasOf(receipt) * above : 0n
}

const gasOf = (receipt: Receipt): bigint => quantityOf(receipt['gasUsed'], 'gasUsed')
const priceOf = (receipt: Receipt): bigint => quantityOf(receipt['effectiveGasPrice'], 'effectiveGasPrice')
