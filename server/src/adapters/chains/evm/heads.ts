import type { Head } from '@bursar/chainkit'
import type { Rpc } from '../rpc.ts'
import { Malformed, objectOf } from '../shape.ts'
import { countOf, hashOf, quantity } from './quantity.ts'

type Place = number | 'latest' | 'finalized'

/** `finalized`: the network's own rule. A number: confirmations, the block's own counted, that make a block final. */
export type Finality = 'finalized' | number

/**
 * A block parameter for state queries (EIP-1898). `requireCanonical` makes the node reject a block of a dropped fork.
 */
export type BlockName = 'latest' | { blockHash: string; requireCanonical: true }

export const byHash = ({ hash }: Head): BlockName => ({ blockHash: hash, requireCanonical: true })

export const decodeHead = (block: Record<string, unknown>, place: Place): Head => {
  const height = countOf(block['number'], 'number')
  if (typeof place === 'number' && height !== place) throw new Malformed(`block ${height} instead of ${place}`)
  return { height, hash: hashOf(block['hash'], 'hash') }
}

const METHOD = 'eth_getBlockByNumber'
/**
 * Errors for a missing block, instead of null: geth and bsc for a tag, gateways for a height, Erigon and the
 * specification by code.
 */
const NO_BLOCK = /\b(header|block) not found\b|^unknown block$/i
const UNKNOWN_BLOCK = -39001

/** Reads the best chain's block at a height or tag, complete or only its head; null when there is none. */
export const readBlock = async <T>(
  rpc: Rpc,
  place: Place,
  whole: boolean,
  decode: (block: Record<string, unknown>) => T,
): Promise<T | null> => {
  const answer = await rpc.ask({ method: METHOD, params: [typeof place === 'number' ? quantity(place) : place, whole] })
  if (answer.ok)
    return rpc.believe(METHOD, () => (answer.result === null ? null : decode(objectOf(answer.result, 'the block'))))
  if (answer.code === UNKNOWN_BLOCK || NO_BLOCK.test(answer.message)) return null
  throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
}

export const readHeadAt = (rpc: Rpc, place: Place): Promise<Head | null> =>
  readBlock(rpc, place, false, (block) => decodeHead(block, place))

export const readHead = async (rpc: Rpc): Promise<Head> => {
  const head = await readHeadAt(rpc, 'latest')
  if (!head) throw rpc.unavailable(METHOD, 'the node has no newest block')
  return head
}

/**
 * The newest final block, at least `leastDepth` blocks deep, its own included: some nodes report their head as final
 * (reth-bsc of August 2025 in src/node/network/block_import/service.rs, Hardhat's). Throws `ChainUnavailable` while the
 * node knows none, as after its start.
 */
export const readFinal = async (rpc: Rpc, finality: Finality, leastDepth: number): Promise<Head> => {
  const [head, tagged] = await Promise.all([readHead(rpc), finality === 'finalized' ? readHeadAt(rpc, finality) : null])
  if (finality === 'finalized' && !tagged)
    throw rpc.unavailable(
      METHOD,
      'the node does not know yet which block is final: look whether its consensus client runs',
    )
  const deepest = Math.max(0, head.height - (finality === 'finalized' ? leastDepth : finality) + 1)
  if (tagged && tagged.height <= deepest) return tagged
  const final = await readHeadAt(rpc, deepest)
  if (!final) throw rpc.unavailable(METHOD, `the node has no block ${deepest}`)
  return final
}
