import { ChainUnavailable, type Block } from '../port.ts'
import { present, RpcError, type RpcClient } from '../json-rpc.ts'
import { mayCallInside, transactionOf } from './transfers.ts'
import { headOf, hexQuantity, safeNumber, type WireBlock, type WireFrame, type WireReceipt } from './wire.ts'

/** How inner calls are asked for: a whole block at once, one transaction at a time, or not at all. */
export type TraceMode = 'block' | 'transaction' | 'none'

const TRACER = { tracer: 'callTracer', tracerConfig: { withLog: false } }
const METHOD_NOT_FOUND = new Set([-32601, -32004, -32600])
const TRIES = 3

/** What the node can trace, tried out on its newest block. */
export const probeTraces = async (rpc: RpcClient): Promise<TraceMode> => {
  const head = present<WireBlock>(await rpc.call('eth_getBlockByNumber', 'latest', false), 'newest block')
  try {
    const frames = await rpc.call('debug_traceBlockByHash', head.hash, TRACER)
    if (Array.isArray(frames)) return 'block'
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
  }
  try {
    await rpc.call('debug_traceTransaction', `0x${'0'.repeat(64)}`, TRACER)
    return 'transaction'
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return METHOD_NOT_FOUND.has(error.code) ? 'none' : 'transaction'
  }
}

/**
 * The best chain's block at a height with everything its transactions moved, all of one fork: receipts and traces are asked
 * for by the block's hash, and the read starts over when the chain switches in between.
 */
export const readBlock = async (
  rpc: RpcClient,
  height: number,
  tokens: ReadonlySet<string>,
  traces: TraceMode,
): Promise<Block | null> => {
  for (let attempt = 1; ; attempt += 1) {
    const block = (await rpc.call('eth_getBlockByNumber', hexQuantity(height), true)) as WireBlock | null
    if (block === null) return null
    if (safeNumber(block.number) !== height) throw new ChainUnavailable(`the node answered block ${block.number} for ${height}`)
    try {
      return await complete(rpc, block, tokens, traces)
    } catch (error) {
      if (!(error instanceof ForkSwitched) || attempt === TRIES) throw error
    }
  }
}

class ForkSwitched extends ChainUnavailable {}

const complete = async (rpc: RpcClient, block: WireBlock, tokens: ReadonlySet<string>, traces: TraceMode): Promise<Block> => {
  const receipts = await readReceipts(rpc, block)
  const frames = await readFrames(rpc, block, receipts, traces)
  return {
    ...headOf(block),
    parent: block.parentHash,
    time: safeNumber(block.timestamp) * 1000,
    transactions: block.transactions.map((transaction, i) => transactionOf(transaction, receipts[i]!, tokens, frames[i])),
  }
}

const readReceipts = async (rpc: RpcClient, block: WireBlock): Promise<WireReceipt[]> => {
  if (block.transactions.length === 0) return []
  const receipts = (await rpc.call('eth_getBlockReceipts', block.hash)) as WireReceipt[] | null
  const whole =
    receipts?.length === block.transactions.length &&
    receipts.every((receipt, i) => receipt.transactionHash === block.transactions[i]!.hash && receipt.blockHash === block.hash)
  if (!whole) throw new ForkSwitched(`block ${block.hash} has no whole set of receipts`)
  return receipts
}

const readFrames = async (
  rpc: RpcClient,
  block: WireBlock,
  receipts: readonly WireReceipt[],
  traces: TraceMode,
): Promise<(WireFrame | undefined)[]> => {
  const wanted = receipts.map(mayCallInside)
  if (traces === 'none' || !wanted.includes(true)) return receipts.map(() => undefined)
  if (traces === 'block') {
    const frames = (await rpc.call('debug_traceBlockByHash', block.hash, TRACER)) as { result?: WireFrame }[] | null
    if (frames?.length !== receipts.length) throw new ForkSwitched(`block ${block.hash} has no whole set of traces`)
    return frames.map((frame) => frame.result)
  }
  const hashes = receipts.flatMap((receipt, i) => (wanted[i] ? [receipt.transactionHash] : []))
  const answers = await rpc.batch(hashes.map((hash) => ({ method: 'debug_traceTransaction', params: [hash, TRACER] })))
  const failed = answers.find((answer) => answer instanceof RpcError)
  if (failed) throw new ForkSwitched(`block ${block.hash} can't be traced: ${(failed as RpcError).message}`)
  const byHash = new Map(hashes.map((hash, i) => [hash, answers[i] as WireFrame]))
  return receipts.map((receipt) => byHash.get(receipt.transactionHash))
}
