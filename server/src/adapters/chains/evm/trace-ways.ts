import type { Rpc } from '../rpc.ts'
import { listOf, objectOf } from '../shape.ts'
import { WrongTracer } from './balance-changes.ts'
import { readHead } from './heads.ts'
import { hashOf, quantity, quantityOf } from './quantity.ts'
import { succeededBy, type Receipt } from './receipts.ts'
import {
  askCalls,
  askChanges,
  isRefusal,
  isStateGone,
  lacksTracer,
  neverTraces,
  type Refusal,
} from './trace-questions.ts'
import type { Trace } from './transaction.ts'

/**
 * How a node traces contracts. `changes`: whole blocks, by balance changes. `calls`: single transactions, by inner
 * calls. `never`: not at all.
 */
export type Way = 'changes' | 'calls' | 'never'

/** Balance changes by the transactions of a block; `undefined` for one that was not queried or not shown. */
export interface Reading {
  traces: (Trace | undefined)[]
  /** why some of them were not shown */
  refusal?: Refusal
}

/** Gas of a transaction without any calls. Nothing that moves coin costs so little, even after refunds. */
const PLAIN_TRANSFER_GAS = 21_000n
/** Number of blocks, from the head down, to search for a transaction to test with. */
const LOOK_BACK = 10
const AT_ONCE = 4

/** False for a failed transaction and a plain payment, which can't have inner transfers. */
export const mayCallInside = (receipt: Receipt): boolean =>
  succeededBy(receipt) && quantityOf(receipt['gasUsed'], 'gasUsed') !== PLAIN_TRANSFER_GAS

/**
 * Determines how the node traces, by its newest block with a transaction; a refusal when that can't be determined now.
 */
export const findWay = async (rpc: Rpc): Promise<Way | Refusal> => {
  const { height, hash, hashes } = await newestUsed(rpc)
  try {
    const answer = await askChanges(rpc, hash, hashes)
    // A genesis block has nothing to trace, which geth reports as an error. A state that is gone proves nothing about
    // the method.
    if (!isRefusal(answer) || height === 0 || isStateGone(answer)) return 'changes'
    if (lacksTracer(answer)) return await tryCalls(rpc, hashes[0])
    return neverTraces(answer) ? 'never' : answer
  } catch (error) {
    if (error instanceof WrongTracer) return tryCalls(rpc, hashes[0])
    throw error
  }
}

/** Tests the call tracer, for a node that lacks the other tracer, or knows none and returns opcodes. */
export const tryCalls = async (rpc: Rpc, transaction: string | undefined): Promise<Way | Refusal> => {
  if (transaction === undefined) return 'never'
  try {
    const answer = await askCalls(rpc, transaction)
    if (!isRefusal(answer)) return 'calls'
    return neverTraces(answer) || lacksTracer(answer) ? 'never' : answer
  } catch (error) {
    if (error instanceof WrongTracer) return 'never'
    throw error
  }
}

/** The newest block with transactions among the last few, else the head. */
const newestUsed = async (rpc: Rpc): Promise<{ height: number; hash: string; hashes: string[] }> => {
  const head = await readHead(rpc)
  for (let height = head.height; height > Math.max(0, head.height - LOOK_BACK); height -= 1) {
    const block = await rpc.read('eth_getBlockByNumber', [quantity(height), false], (result) => {
      const { hash, transactions } = objectOf(result, 'the block')
      return {
        height,
        hash: hashOf(hash, 'hash'),
        hashes: listOf(transactions, 'transactions').map((one) => hashOf(one, 'a transaction')),
      }
    })
    if (block.hashes.length > 0) return block
  }
  return { ...head, hashes: [] }
}

/** Reads a block's traces. Throws `WrongTracer` only if no transaction was available when the way was determined. */
export const readTraces = async (
  rpc: Rpc,
  way: Way,
  hash: string,
  hashes: readonly string[],
  receipts: readonly Receipt[],
): Promise<Reading> => {
  const traces: (Trace | undefined)[] = hashes.map(() => undefined)
  const asked = hashes.flatMap((_, at) => (mayCallInside(receipts[at]!) ? [at] : []))
  if (way === 'never' || asked.length === 0) return { traces }
  if (way === 'changes') {
    const answer = await askChanges(rpc, hash, hashes)
    return isRefusal(answer) ? { traces, refusal: answer } : { traces: answer }
  }
  let refusal: Refusal | undefined
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    await Promise.all(
      asked.slice(from, from + AT_ONCE).map(async (at) => {
        const answer = await askCalls(rpc, hashes[at]!)
        if (isRefusal(answer)) refusal = answer
        else traces[at] = answer
      }),
    )
  }
  return { traces, ...(refusal && { refusal }) }
}
