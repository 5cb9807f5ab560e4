import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { TransactionStatus } from '../port.ts'
import type { Rpc, RpcCall } from '../rpc.ts'
import { integerOf, listOf, Malformed, objectOf, wholeOf } from '../shape.ts'
import { amountText, hashOf } from './block.ts'
import { isNotFound, refusedLookup } from './txindex.ts'

/** Attempts per query: between two requests a transaction may move from the pool into a block, or back. */
const READINGS = 2

/**
 * Status of a transaction. That the node knows it proves nothing, because its index keeps transactions of stale blocks.
 */
export const readStatus = async (rpc: Rpc, hash: string): Promise<TransactionStatus> => {
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const found = await find(rpc, { method: 'getrawtransaction', params: [hash, 2] })
    if (!found) return { kind: 'unknown' }
    rpc.believe('getrawtransaction', () => assertIs(found, hash))
    const mined = await readMined(rpc, found)
    if (mined) return mined
    if (await find(rpc, { method: 'getmempoolentry', params: [hash] })) return { kind: 'mempool' }
  }
  return { kind: 'unknown' }
}

const assertIs = ({ txid }: Record<string, unknown>, hash: string): void => {
  if (txid !== hash) throw new Malformed(`another transaction than ${hash} came`)
}

const find = async (rpc: Rpc, call: RpcCall): Promise<Record<string, unknown> | undefined> => {
  const answer = await rpc.ask(call)
  if (answer.ok) return rpc.believe(call.method, () => objectOf(answer.result, 'the answer'))
  if (isNotFound(answer)) return undefined
  throw refusedLookup(rpc, call.method, answer)
}

const readMined = async (rpc: Rpc, shown: Record<string, unknown>): Promise<TransactionStatus | undefined> => {
  if (shown['blockhash'] === undefined) return undefined
  const blockHash = rpc.believe('getrawtransaction', () => hashOf(shown['blockhash'], 'blockhash'))
  const header = await rpc.read('getblockheader', [blockHash], (result) => objectOf(result, 'the header'))
  // A stale block has -1 confirmations.
  if (rpc.believe('getblockheader', () => integerOf(header['confirmations'], 'confirmations')) < 1) return undefined
  return rpc.believe('getrawtransaction', () => ({
    kind: 'mined',
    height: wholeOf(header['height'], 'height'),
    blockHash,
    succeeded: true,
    fee: feeOf(shown),
  }))
}

const feeOf = (shown: Record<string, unknown>): bigint => {
  const [first] = listOf(shown['vin'], 'vin')
  if (objectOf(first, 'an input')['coinbase'] !== undefined) return 0n
  return satoshiOf(amountText(shown['fee'], 'fee'))
}
