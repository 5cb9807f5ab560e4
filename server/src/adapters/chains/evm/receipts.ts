import { listOf, Malformed, objectOf } from '../shape.ts'
import { countOf, hashOf, quantityOf } from './quantity.ts'

export type Receipt = Record<string, unknown>

/** A block's receipts, one for each transaction. Logs are numbered throughout a block, so that a missing one shows. */
export const decodeReceipts = (result: unknown, blockHash: string, hashes: readonly string[]): Receipt[] => {
  const receipts = listOf(result, 'the receipts').map((one) => objectOf(one, 'a receipt'))
  if (receipts.length !== hashes.length)
    throw new Malformed(`${receipts.length} receipts of ${hashes.length} transactions`)
  let logs = 0
  for (const [at, receipt] of receipts.entries()) {
    if (blockHashOf(receipt) !== blockHash) throw new Malformed('a receipt of another block')
    if (hashOf(receipt['transactionHash'], 'transactionHash') !== hashes[at])
      throw new Malformed('receipts are not in order')
    for (const log of listOf(receipt['logs'], 'logs')) {
      if (countOf(objectOf(log, 'a log')['logIndex'], 'logIndex') !== logs)
        throw new Malformed(`log ${logs} is missing`)
      logs += 1
    }
  }
  return receipts
}

export const blockHashOf = (receipt: Receipt): string => hashOf(receipt['blockHash'], 'blockHash')

/** False for a transaction that was undone: it had no effect but its fee. */
export const succeededBy = (receipt: Receipt): boolean => {
  const status = quantityOf(receipt['status'], 'status')
  if (status > 1n) throw new Malformed(`status ${status}`)
  return status === 1n
}

/** wei: gas at the price it was charged, and blobs at theirs (EIP-4844). */
export const feeOf = (receipt: Receipt): bigint => {
  const gas = quantityOf(receipt['gasUsed'], 'gasUsed') * quantityOf(receipt['effectiveGasPrice'], 'effectiveGasPrice')
  if (receipt['blobGasUsed'] === undefined || receipt['blobGasUsed'] === null) return gas
  return gas + quantityOf(receipt['blobGasUsed'], 'blobGasUsed') * quantityOf(receipt['blobGasPrice'], 'blobGasPrice')
}
