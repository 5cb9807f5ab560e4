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
  /(method|tracer|module|api).*(not (found|supported|available|allowed|enabled|exist)|disabled|unsupported)|upgrade/i
/** A gas of this much pays for nothing but the transaction itself. */
const PLAIN_TRANSFER_GAS = 21_000n

export const traceCall = (blockHash: string): RpcCall => ({ method: METHOD, params: [blockHash, TRACER] })

/** Whether the node traces blocks, tried on its newest. */
export const probeTraces = async (rpc: Rpc): Promise<boolean> => {
  const head = await readHead(rpc)
  const answer = await rpc.ask(traceCall(head.hash))
  if (answer.ok) return true
  if (answer.code === METHOD_NOT_FOUND || UNSUPPORTED.test(answer.message)) return false
  // A genesis block has nothing to trace, and geth says so as an error.
  if (head.height === 0) return true
  throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
}

/** An inner call that moves coin costs gas of its own: without any there is nothing to look for. */
export const mayCallInside = (receipt: Receipt): boolean =>
  succeededBy(receipt) && quantityOf(receipt['gasUsed'], 'gasUsed') > PLAIN_TRANSFER_GAS

/** How nodes say that a block is older than the state they keep: it will never be traced here (geth, erigon, anvil). */
const STATE_GONE = /missing trie node|historical state|state (is )?(not available|unavailable|pruned)|resource not found|old data not available/i

/** True when a refusal means that the node no longer has the state to trace a block with. */
export const isStateGone = (message: string): boolean => STATE_GONE.test(message)

/** The outermost frame of each of a block's transactions, in their order; null when the node no longer has the state. */
export const decodeTraces = (result: unknown, hashes: readonly string[]): unknown[] | null => {
  const traces = listOf(result, 'the traces').map((one) => objectOf(one, 'a trace'))
  if (traces.some(({ error }) => error !== undefined && isStateGone(JSON.stringify(error)))) return null
  if (traces.length !== hashes.length) throw new Malformed(`${traces.length} traces of ${hashes.length} transactions`)
  return traces.map(({ txHash, result: frame, error }, at) => {
    const failed = error !== undefined || frame === undefined
    if (failed) throw new Malformed(`${hashes[at]} could not be traced: ${JSON.stringify(error)}`)
    if (txHash !== undefined && hashOf(txHash, 'txHash') !== hashes[at]) throw new Malformed('traces are not in order')
    return frame
  })
}
