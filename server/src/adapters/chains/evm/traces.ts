import type { Rpc, RpcCall } from '../rpc.ts'
import { listOf, Malformed, objectOf } from '../shape.ts'
import { readHead } from './heads.ts'
import { hashOf, quantityOf } from './quantity.ts'
import { succeededBy, type Receipt } from './receipts.ts'

const METHOD = 'debug_traceBlockByHash'
/** geth gives up on a transaction after 5 s when it is not told otherwise. */
const TRACER = { tracer: 'callTracer', tracerConfig: { onlyTopCall: false, withLog: false }, timeout: '60s' }
const METHOD_NOT_FOUND = -32601
/** How nodes and providers say that they never trace, whatever the block. */
const UNSUPPORTED =
  /(method|tracer|module|api|debug_\w+).*(not (found|supported|available|allowed|enabled|exist)|disabled|unsupported)|upgrade/i
/** How providers say that it was too much for now. They sell an upgrade for that too, and trace again a second later. */
const TOO_MUCH = /limit|too many|exceeded|quota|capacity|per second/i
/** Gas of just this much pays for nothing but the transaction itself: no call that moves coin is so cheap, refunds and all. */
const PLAIN_TRANSFER_GAS = 21_000n

export const traceCall = (blockHash: string): RpcCall => ({ method: METHOD, params: [blockHash, TRACER] })

/** Whether the node traces blocks, tried on its newest. */
export const probeTraces = async (rpc: Rpc): Promise<boolean> => {
  const head = await readHead(rpc)
  const answer = await rpc.ask(traceCall(head.hash))
  if (answer.ok) return true
  if (answer.code === METHOD_NOT_FOUND || neverTraces(answer.message)) return false
  // A genesis block has nothing to trace, and geth says so as an error.
  if (head.height === 0) return true
  throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
}

const neverTraces = (refusal: string): boolean => UNSUPPORTED.test(refusal) && !TOO_MUCH.test(refusal)

/** False for a failed transaction and for a plain payment, in which there is nothing to look for. */
export const mayCallInside = (receipt: Receipt): boolean =>
  succeededBy(receipt) && quantityOf(receipt['gasUsed'], 'gasUsed') !== PLAIN_TRANSFER_GAS

/** How geth, erigon, reth and nethermind say that a block is older than the state they keep: never traced here. */
const STATE_GONE = /missing trie node|historical state|no state available|state .*\b(not available|unavailable)|pruned|pruning/i
/** How anvil says it, of each transaction. Of a whole block, providers say it when they have not got that far yet. */
const STATE_OF_TRANSACTION_GONE = /resource not found/i

/** True when a refusal means that the node no longer has the state to trace a block with. */
export const isStateGone = (refusal: string): boolean => STATE_GONE.test(refusal)

const isTransactionGone = (error: unknown): boolean => {
  const refusal = JSON.stringify(error)
  return isStateGone(refusal) || STATE_OF_TRANSACTION_GONE.test(refusal)
}

/** The outermost frame of each of a block's transactions, in their order; null when the node no longer has the state. */
export const decodeTraces = (result: unknown, hashes: readonly string[]): unknown[] | null => {
  const traces = listOf(result, 'the traces').map((one) => objectOf(one, 'a trace'))
  if (traces.some(({ error }) => error !== undefined && isTransactionGone(error))) return null
  if (traces.length !== hashes.length) throw new Malformed(`${traces.length} traces of ${hashes.length} transactions`)
  return traces.map(({ txHash, result: frame, error }, at) => {
    const failed = error !== undefined || frame === undefined
    if (failed) throw new Malformed(`${hashes[at]} could not be traced: ${JSON.stringify(error)}`)
    if (txHash !== undefined && hashOf(txHash, 'txHash') !== hashes[at]) throw new Malformed('traces are not in order')
    return frame
  })
}
