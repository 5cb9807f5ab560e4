import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { PoolCost } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed, objectOf, wholeOf } from '../shape.ts'
import { amountText } from './block.ts'
import { isNotFound } from './txindex.ts'

const WEIGHT_PER_VBYTE = 4

/** Virtual bytes and their fee in satoshi. */
type Sum = PoolCost['package']

/**
 * Size and fee of a transaction in the pool: alone, with its ancestors, and with its descendants. Null when it is not
 * in the pool.
 */
export const readPoolCost = async (rpc: Rpc, hash: string): Promise<PoolCost | null> => {
  const entry = await find(rpc, 'getmempoolentry', [hash])
  if (!entry) return null
  const cost = rpc.believe('getmempoolentry', () => decode(entry))
  const chunk = rpc.believe('getmempoolentry', () => chunkOf(entry))
  if (chunk) return { ...cost, package: chunk }
  if (cost.descendants.count === 0) return cost
  const above = await find(rpc, 'getmempooldescendants', [hash, true])
  if (!above) return null
  const ways = rpc.believe('getmempooldescendants', () =>
    Object.values(above).map((one) => withAncestors(objectOf(one, 'an entry'))),
  )
  return { ...cost, package: ways.reduce(better, cost.package) }
}

const find = async (
  rpc: Rpc,
  method: string,
  params: readonly unknown[],
): Promise<Record<string, unknown> | undefined> => {
  const answer = await rpc.ask({ method, params })
  if (answer.ok) return rpc.believe(method, () => objectOf(answer.result, 'the answer'))
  if (isNotFound(answer)) return undefined
  throw rpc.unavailable(method, `refused: ${answer.message} (${answer.code})`)
}

/** Decodes a pool entry, in which the transaction itself counts as one of its ancestors and of its descendants. */
const decode = (entry: Record<string, unknown>): PoolCost => {
  // Newer releases deprecate `vsize` in favour of this (Bitcoin Core doc/release-notes-32800.md).
  const vsize = wholeOf(entry['vsize_adjusted'] ?? entry['vsize'], 'vsize')
  const fee = feeOf(entry, 'base')
  const below = withAncestors(entry)
  return {
    vsize,
    fee,
    ancestors: without({ vsize, fee }, below),
    descendants: {
      count: wholeOf(wholeOf(entry['descendantcount'], 'descendantcount') - 1, 'the count of descendants'),
      ...without(
        { vsize, fee },
        { vsize: wholeOf(entry['descendantsize'], 'descendantsize'), fee: feeOf(entry, 'descendant') },
      ),
    },
    package: below,
  }
}

/**
 * The fee may be negative: Bitcoin Core counts `prioritisetransaction` in sums and not in `base` (src/rpc/mempool.cpp,
 * `entryToJSON`). Part and rest still add up to the sum by which the node judges.
 */
const without = (part: Sum, all: Sum): Sum => {
  if (all.vsize < part.vsize) throw new Malformed('a part that is larger than the whole')
  return { vsize: all.vsize - part.vsize, fee: all.fee - part.fee }
}

/** The chunk with which Bitcoin Core (31 or newer) would mine a transaction. */
const chunkOf = (entry: Record<string, unknown>): Sum | undefined => {
  if (entry['chunkweight'] === undefined || objectOf(entry['fees'], 'fees')['chunk'] === undefined) return undefined
  return {
    vsize: Math.ceil(wholeOf(entry['chunkweight'], 'chunkweight') / WEIGHT_PER_VBYTE),
    fee: feeOf(entry, 'chunk'),
  }
}

/** Before version 31, a miner selects a transaction with all its ancestors, by their combined rate. */
const withAncestors = (entry: Record<string, unknown>): Sum => ({
  vsize: wholeOf(entry['ancestorsize'], 'ancestorsize'),
  fee: feeOf(entry, 'ancestor'),
})

const better = (a: Sum, b: Sum): Sum => (b.fee * BigInt(a.vsize) > a.fee * BigInt(b.vsize) ? b : a)

const feeOf = (entry: Record<string, unknown>, which: string): bigint =>
  satoshiOf(amountText(objectOf(entry['fees'], 'fees')[which], `fees.${which}`))
