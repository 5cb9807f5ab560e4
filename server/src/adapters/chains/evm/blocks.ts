import type { Block } from '@bursar/chainkit'
import type { Rpc, RpcCall } from '../rpc.ts'
import { listOf, objectOf } from '../shape.ts'
import { decodeHead, readBlock, readHeadAt } from './heads.ts'
import { countOf, hashOf } from './quantity.ts'
import { decodeReceipts } from './receipts.ts'
import { decodeTraces, isStateGone, mayCallInside, traceCall } from './traces.ts'
import { decodeTransaction } from './transaction.ts'

export interface BlockReading {
  /** token contracts whose logs count, in lower case */
  tokens: ReadonlySet<string>
  /** whether the node is asked for inner calls */
  traces: boolean
}

type Fields = Record<string, unknown>
type Header = Omit<Block, 'transactions'> & { shown: Fields[]; hashes: string[] }

/** The chain may switch between the questions of one reading; this often in a row it does not. */
const READINGS = 5

/**
 * The best chain's block at a height with everything that moved in it. Receipts and traces are asked for by its hash,
 * so that all of it is of one fork; when the node has given that fork up meanwhile, all is read anew.
 */
export const readBlockAt = async (rpc: Rpc, height: number, reading: BlockReading): Promise<Block | null> => {
  for (let attempt = 1; attempt <= READINGS; attempt += 1) {
    const header = await readBlock(rpc, height, true, (block) => decodeHeader(block, height))
    if (header === null) return null
    const block = await complete(rpc, header, reading)
    if (block) return block
  }
  throw rpc.unavailable('eth_getBlockByNumber', `the best chain kept changing at height ${height}`)
}

const decodeHeader = (block: Fields, height: number): Header => {
  const shown = listOf(block['transactions'], 'transactions').map((one) => objectOf(one, 'a transaction'))
  return {
    ...decodeHead(block, height),
    parent: hashOf(block['parentHash'], 'parentHash'),
    time: countOf(block['timestamp'], 'timestamp') * 1_000,
    shown,
    hashes: shown.map((one) => hashOf(one['hash'], 'hash')),
  }
}

const complete = async (rpc: Rpc, header: Header, { tokens, traces }: BlockReading): Promise<Block | undefined> => {
  const { shown, hashes, ...head } = header
  if (shown.length === 0) return { ...head, transactions: [] }
  const ofReceipts = { method: 'eth_getBlockReceipts', params: [head.hash] }
  const receipts = await readOfFork(rpc, ofReceipts, head, (result) => decodeReceipts(result, head.hash, hashes))
  if (!receipts) return undefined
  const frames = traces && receipts.some(mayCallInside) ? await readTraces(rpc, head, hashes) : []
  if (frames === undefined) return undefined
  const transactions = rpc.believe(ofReceipts.method, () =>
    shown.map((transaction, at) =>
      decodeTransaction({ transaction, receipt: receipts[at]!, trace: frames?.[at] }, tokens),
    ),
  )
  return { ...head, ...(frames === null ? { untraced: true } : {}), transactions }
}

/** Null when the node no longer has the state: waiting would not bring it back, and would stop the chain for good. */
const readTraces = (rpc: Rpc, head: Pick<Block, 'height' | 'hash'>, hashes: readonly string[]): Promise<unknown[] | null | undefined> =>
  readOfFork(rpc, traceCall(head.hash), head, (result) => decodeTraces(result, hashes), isStateGone)

/**
 * What the node says of a block by its hash; undefined when that block is not on its best chain any more, null when it
 * refuses in a way that `isGone` knows to be for good.
 */
const readOfFork = async <T>(
  rpc: Rpc,
  call: RpcCall,
  { height, hash }: Pick<Block, 'height' | 'hash'>,
  decode: (result: unknown) => T,
  isGone: (refusal: string) => boolean = () => false,
): Promise<T | null | undefined> => {
  const answer = await rpc.ask(call)
  if (answer.ok && answer.result !== null) return rpc.believe(call.method, () => decode(answer.result))
  if ((await readHeadAt(rpc, height))?.hash !== hash) return undefined
  if (!answer.ok && isGone(answer.message)) return null
  const why = answer.ok ? 'nothing' : `${answer.message} (${answer.code})`
  throw rpc.unavailable(call.method, `${why} for block ${height} of its best chain`)
}
