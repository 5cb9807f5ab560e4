import type { Head } from '@bursar/chainkit'
import type { Rpc } from '../rpc.ts'
import { Malformed, objectOf } from '../shape.ts'
import { countOf, hashOf, quantity } from './quantity.ts'

type Place = number | 'latest' | 'finalized'

/** `finalized`: the network's own rule. A number: confirmations, the block's own counted, that make a block final. */
export type Finality = 'finalized' | number

/** A block as questions about state name it (EIP-1898); canonical, so that one of a fork that was given up is refused. */
export type BlockName = 'latest' | { blockHash: string; requireCanonical: true }

export const byHash = ({ hash }: Head): BlockName => ({ blockHash: hash, requireCanonical: true })

export const decodeHead = (block: Record<string, unknown>, place: Place): Head => {
  const height = countOf(block['number'], 'number')
  if (typeof place === 'number' && height !== place) throw new Malformed(`block ${height} instead of ${place}`)
  return { height, hash: hashOf(block['hash'], 'hash') }
}

/** The best chain's block at a height or under a tag; null when it has none. */
export const readHeadAt = (rpc: Rpc, place: Place): Promise<Head | null> =>
  rpc.read('eth_getBlockByNumber', [typeof place === 'number' ? quantity(place) : place, false], (result) =>
    result === null ? null : decodeHead(objectOf(result, 'the block'), place),
  )

export const readHead = async (rpc: Rpc): Promise<Head> => {
  const head = await readHeadAt(rpc, 'latest')
  if (!head) throw rpc.unavailable('eth_getBlockByNumber', 'the node has no newest block')
  return head
}

export const readFinal = async (rpc: Rpc, finality: Finality): Promise<Head> => {
  const place = finality === 'finalized' ? finality : Math.max(0, (await readHead(rpc)).height - finality + 1)
  const final = await readHeadAt(rpc, place)
  if (!final) throw rpc.unavailable('eth_getBlockByNumber', `the node has no block ${place}`)
  return final
}
