import type { Rpc } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { objectOf, wholeOf } from '../shape.ts'

/** RPC_INVALID_ADDRESS_OR_KEY: the node found no such transaction. */
const INVALID_ADDRESS_OR_KEY = -5
/**
 * The node uses the same code when it has no transaction index, or is still building it. Only the message distinguishes
 * these cases.
 */
const NOT_INDEXED = /-txindex|being indexed/
const ADVICE = 'Start the node with txindex=1 and without prune, and let it finish: `bitcoin-cli getindexinfo`'

/** Whether a refusal means that there is no such transaction. A node that can't search blocks does not prove that. */
export const isNotFound = (answer: RpcAnswer): boolean =>
  !answer.ok && answer.code === INVALID_ADDRESS_OR_KEY && !NOT_INDEXED.test(answer.message)

/** Error to throw when a query about a transaction is refused. */
export const refusedLookup = (rpc: Rpc, method: string, { message, code }: Extract<RpcAnswer, { ok: false }>): Error =>
  rpc.unavailable(method, `refused: ${message} (${code})${NOT_INDEXED.test(message) ? `. ${ADVICE}` : ''}`)

/** The node's transaction index; undefined when it is off (src/rpc/node.cpp getindexinfo). */
export type TxIndex = { isSynced: boolean; height: number } | undefined

export const readTxIndex = (rpc: Rpc): Promise<TxIndex> =>
  rpc.read('getindexinfo', ['txindex'], (result) => {
    const state = objectOf(result, 'the answer')['txindex']
    if (state === undefined) return undefined
    const { synced, best_block_height: height } = objectOf(state, 'txindex')
    return { isSynced: synced === true, height: wholeOf(height, 'best_block_height') }
  })

/**
 * Throws `ChainUnavailable` unless the node has a complete transaction index. Without one it can't name senders or
 * report a transaction's status.
 */
export const assertIndexed = async (rpc: Rpc): Promise<void> => {
  const txindex = await readTxIndex(rpc)
  if (txindex === undefined) throw rpc.unavailable('getindexinfo', `the node has no txindex. ${ADVICE}`)
  if (!txindex.isSynced)
    throw rpc.unavailable('getindexinfo', `the txindex is built up to block ${txindex.height} only. ${ADVICE}`)
}
