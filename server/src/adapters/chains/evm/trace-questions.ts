import { ChainUnavailable } from '../port.ts'
import type { Rpc, RpcCall, RpcPatience } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { listOf, Malformed, objectOf } from '../shape.ts'
import { changesOfCalls, changesOfDiff } from './balance-changes.ts'
import { hashOf } from './quantity.ts'
import type { Trace } from './transaction.ts'

/** Why a block or transaction is not shown: what the node said, or why its answer can't be used. */
export interface Refusal {
  code: number
  message: string
  /** true when the node has lost the block's state for good, however young the block is */
  isFinal?: true
}

const MIB = 1024 * 1024
/**
 * geth's own limit of 5 s for each transaction stays as it is: a longer one lets a block take all of a node's memory.
 */
const CHANGES = { tracer: 'prestateTracer', tracerConfig: { diffMode: true, disableCode: true, disableStorage: true } }
const CALLS = { tracer: 'callTracer', tracerConfig: { onlyTopCall: false, withLog: false }, timeout: '2s' }
/** Half a megabyte is usual; a node that leaves code in fills this only with a block made to do so. */
const BLOCK: RpcPatience = { attempts: 2, maxBytes: 32 * MIB }
/** The call tracer repeats the input of every call: a transaction of small cost can make hundreds of megabytes. */
const TRANSACTION: RpcPatience = { attempts: 1, timeoutMs: 10_000, maxBytes: 4 * MIB }

const METHOD_NOT_FOUND = -32601
/** How nodes and providers say that they never trace, whatever the block. */
const UNSUPPORTED =
  /(method|tracer|module|namespace|api|debug_\w+).*(not (found|supported|available|allowed|enabled|exist)|disabled|unsupported)|upgrade/i
/** How a gateway says that a block is too old for it. */
const TOO_OLD = /recent blocks/i
/**
 * How providers say that it was too much for now. They sell an upgrade for that too, and trace again a second later.
 */
const TOO_MUCH = /limit|too many|exceeded|quota|capacity|per second/i
/** How a node says that it has the method and not the tracer. */
const OTHER_TRACER = /\btracer/i
const INVALID_PARAMS = -32602

/** How geth, Erigon, reth and Nethermind say that a block is older than the state they keep. */
const STATE_GONE =
  /missing trie node|historical state|no state available|state .*\b(not available|unavailable)|pruned|pruning/i
/** How anvil says it, of each transaction. Of a whole block, providers say it when they have not got that far yet. */
const STATE_OF_TRANSACTION_GONE = /resource not found/i
/** reth says so of a block that it has not come to. */
const NOT_YET = /not been executed yet/i

export const neverTraces = ({ code, message }: Refusal): boolean =>
  !TOO_OLD.test(message) && (code === METHOD_NOT_FOUND || (UNSUPPORTED.test(message) && !TOO_MUCH.test(message)))

export const lacksTracer = ({ code, message }: Refusal): boolean =>
  code === INVALID_PARAMS || OTHER_TRACER.test(message)

export const isTooMuch = ({ message }: Refusal): boolean => TOO_MUCH.test(message)

/** True when a refusal can mean that the node no longer has the state to trace a block with. */
export const isStateGone = ({ message, isFinal }: Refusal): boolean =>
  isFinal === true || (STATE_GONE.test(message) && !NOT_YET.test(message))

/** Besu's word for a block whose state it no longer has is a result of null. */
const NOTHING: Refusal = { code: 0, message: 'the answer is null: no state available' }

/** The traces of a block, or a refusal. Throws `WrongTracer`. */
export const askChanges = async (rpc: Rpc, hash: string, hashes: readonly string[]): Promise<Trace[] | Refusal> => {
  const answer = await askPatiently(rpc, { method: 'debug_traceBlockByHash', params: [hash, CHANGES] }, BLOCK)
  return readAnswer(answer, (result) => tracesOfBlock(result, hashes))
}

/** The trace of a transaction, or a refusal. Throws `WrongTracer`. */
export const askCalls = async (rpc: Rpc, transaction: string): Promise<Trace | Refusal> => {
  const answer = await askPatiently(
    rpc,
    { method: 'debug_traceTransaction', params: [transaction, CALLS] },
    TRANSACTION,
  )
  return readAnswer(answer, (result): Trace => ({ of: 'inner', changes: changesOfCalls(result) }))
}

export const isRefusal = (answer: Trace[] | Trace | Refusal): answer is Refusal => 'message' in answer

/** An answer that does not come, or not whole, is a refusal: the same block would be asked for again without end. */
const askPatiently = async (rpc: Rpc, call: RpcCall, patience: RpcPatience): Promise<RpcAnswer> => {
  try {
    return await rpc.ask(call, patience)
  } catch (error) {
    if (error instanceof ChainUnavailable) return { ok: false, code: 0, message: error.message }
    throw error
  }
}

const readAnswer = <T>(answer: RpcAnswer, read: (result: unknown) => T | Refusal): T | Refusal => {
  if (!answer.ok) return { code: answer.code, message: answer.message }
  if (answer.result === null) return NOTHING
  try {
    return read(answer.result)
  } catch (error) {
    if (error instanceof Malformed && error.name === 'Malformed') return { code: 0, message: error.message }
    if (error instanceof RangeError) return { code: 0, message: error.message }
    throw error
  }
}

/**
 * One for each of a block's transactions, in their order. Erigon names an error beside each, also beside a part of a
 * result.
 */
const tracesOfBlock = (result: unknown, hashes: readonly string[]): Trace[] | Refusal => {
  const traces = listOf(result, 'the traces').map((one) => objectOf(one, 'a trace'))
  const failed = traces.find(({ error }) => error !== undefined && error !== null)
  if (failed) {
    const message = JSON.stringify(failed['error'])
    return { code: 0, message, ...(STATE_OF_TRANSACTION_GONE.test(message) && { isFinal: true as const }) }
  }
  if (traces.length !== hashes.length) throw new Malformed(`${traces.length} traces of ${hashes.length} transactions`)
  return traces.map(({ txHash, result: one }, at): Trace => {
    if (txHash !== undefined && hashOf(txHash, 'txHash') !== hashes[at]) throw new Malformed('traces are not in order')
    return { of: 'whole', changes: changesOfDiff(one) }
  })
}
