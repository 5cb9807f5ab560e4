import type { TransactionStatus } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { objectOf } from '../shape.ts'
import { readHeadAt } from './heads.ts'
import { countOf } from './quantity.ts'
import { blockHashOf, feeOf, succeededBy } from './receipts.ts'

/** Attempts per query: between two requests a transaction may move from the pool into a block, or back. */
const READINGS = 2

/** Status of a transaction. A receipt proves nothing unless its block is the best chain's at that height. */
export const readStatus = async (rpc: Rpc, hash: string): Promise<TransactionStatus> => {
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const mined = await readMined(rpc, hash)
    if (mined) return mined
    const shown = await rpc.read('eth_getTransactionByHash', [hash], (result) =>
      result === null ? null : objectOf(result, 'the transaction'),
    )
    if (shown === null) return { kind: 'unknown' }
    if (shown['blockHash'] === null || shown['blockHash'] === undefined) return { kind: 'mempool' }
  }
  return { kind: 'unknown' }
}

const readMined = async (rpc: Rpc, hash: string): Promise<TransactionStatus | undefined> => {
  const mined = await rpc.read('eth_getTransactionReceipt', [hash], (result) => {
    if (result === null) return undefined
    const receipt = objectOf(result, 'the receipt')
    const height = countOf(receipt['blockNumber'], 'blockNumber')
    return {
      kind: 'mined' as const,
      height,
      blockHash: blockHashOf(receipt),
      succeeded: succeededBy(receipt),
      fee: feeOf(receipt),
    }
  })
  if (!mined || (await readHeadAt(rpc, mined.height))?.hash !== mined.blockHash) return undefined
  return mined
}
