import { ChainUnavailable } from '../port.ts'
import type { Rpc, RpcCall, RpcPatience } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { listOf, Malformed, objectOf } from '../shape.ts'
import { changesOfCalls, changesOfDiff } from './balance-changes.ts'
import { hashOf } from './quantity.ts'
import type { Trace } from './transaction.ts'

/** Why a block or transaction could not be traced: the node's error, or why its answer is unusable. */
export interface Refusal {
  code: number
  message: string
  /** true when the node no longer has the block's state, even of a recent block */
  isFinal?: true
}

const MIB = 1024 * 1024
/** Does not raise geth's limit of 5 s per transaction: with a longer one a block could exhaust the node's memory. */
const CHANGES = { tracer: 'prestateTracer', tracerConfig: { diffMode: true, disableCode: true, disableStorage: true } }
const CALLS = { tracer: 'callTracer', tracerConfig: { onlyTopCall: false, withLog: false }, timeout: '2s' }
/** Half a megabyte is usual. Even a node that includes code exceeds this limit only for a block made to do so. */
const BLOCK: RpcPatience = { attempts: 2, maxBytes: 32 * MIB }
/** The call tracer repeats the input of every call, so that a cheap transaction can cause hundreds of megabytes. */
const TRANSACTION: RpcPatience = { attempts: 1, timeoutMs: 10_000, maxBytes: 4 * MIB }

const METHOD_NOT_FOUND = -32601
/** Messages of nodes and providers that do not trace at all. */
const UNSUPPORTED =
  /(method|tracer|module|namespace|api|debug_\w+).*(not (found|supported|available|allowed|enabled|exist)|disabled|unsupported)|upgrade/i
/** A gateway's message for a block that is too old. */
const TOO_OLD = /recent blocks/i
/** Messages for an exceeded limit. They may offer an upgrade too, but the provider traces again a second later. */
const TOO_MUCH = /limit|too many|exceeded|quota|capacity|per second/i
/** Message of a node that has the method but not the tracer. */
const OTHER_TRACER = /\btracer/i
const INVALID_PARAMS = -32602

/** Messages of geth, Erigon, reth and Nethermind for a block whose state they no longer keep. */
const STATE_GONE =
  /missing trie node|historical state|no state available|state .*\b(not available|unavailable)|pruned|pruning/i
/**
 * anvil's message for it, for a transaction. For a whole block, providers use it when they have not processed the block
 * yet.
 */
const STATE_OF_TRANSACTION_GONE = /resource not found/i
/** reth's message for a block that it has not executed yet. */
const NOT_YET = /not been executed yet/i

export const neverTraces = ({ code, message }: Refusal): boolean =>
  !TOO_OLD.test(message) && (code === METHOD_NOT_FOUND || (UNSUPPORTED.test(message) && !TOO_MUCH.test(message)))

export const lacksTracer = ({ code, message }: Refusal): boolean =>
  code === INVALID_PARAMS || OTHER_TRACER.test(message)

export const isTooMuch = ({ message }: Refusal): boolean => TOO_MUCH.test(message)

/** True when a refusal can mean that the node no longer has the state needed to trace a block. */
export const isStateGone = ({ message, isFinal }: Refusal): boolean =>
  isFinal === true || (STATE_GONE.test(message) && !NOT_YET.test(message))

/** Besu answers null for a block whose state it no longer has. */
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

/** Treats a missing or incomplete answer as a refusal, since the same block would otherwise be queried endlessly. */
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
 * Traces of a block's transactions, in their order. Erigon reports an error for each transaction, even together with a
 * partial result.
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
