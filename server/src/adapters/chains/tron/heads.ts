import type { Head } from '@bursar/chainkit'
import { Malformed, objectOf } from '../shape.ts'
import { countOf, hashOf, isNothing, type Fields } from './fields.ts'
import type { Method, TronNode } from './node.ts'

/** Height, hash and time of a block, in ms since the epoch (0 for a genesis block without time). */
export interface Header extends Head {
  parent: string
  time: number
}

const GET_BLOCK = 'wallet/getblock'
const GET_SOLID_BLOCK = 'walletsolidity/getblock'

export const decodeHeader = (block: Fields): Header => {
  const hash = hashOf(block['blockID'], 'blockID')
  const raw = objectOf(objectOf(block['block_header'], 'block_header')['raw_data'], 'the header')
  const height = countOf(raw['number'], 'number')
  // A block's id begins with its height.
  if (BigInt(`0x${hash.slice(0, 16)}`) !== BigInt(height)) throw new Malformed(`block ${hash} says it is ${height}`)
  return { height, hash, parent: hashOf(raw['parentHash'], 'parentHash'), time: countOf(raw['timestamp'], 'timestamp') }
}

const readNewest = (node: TronNode, method: Method): Promise<Header> =>
  node.read(method, { detail: false }, decodeHeader)

export const readHead = (node: TronNode): Promise<Header> => readNewest(node, GET_BLOCK)

/** The newest solidified block: 19 of the 27 representatives have built on it, so that no fork goes below it. */
export const readSolidHead = (node: TronNode): Promise<Header> => readNewest(node, GET_SOLID_BLOCK)

/** The best chain's block at a height; null when the chain is shorter. */
export const readHeaderAt = async (node: TronNode, height: number): Promise<Header | null> => {
  const header = await readOrNothing(node, GET_BLOCK, { id_or_num: String(height), detail: false }, decodeHeader)
  if (header && header.height !== height)
    throw node.unavailable(GET_BLOCK, `block ${header.height} instead of ${height}`)
  return header
}

/**
 * Queries an object; null when the node answers with an empty object (not found). This is accepted only if the node
 * also reports its head at the same time, because a proxy in between could return an empty object too.
 */
export const readOrNothing = async <T>(
  node: TronNode,
  method: Method,
  body: Fields,
  decode: (answer: Fields) => T,
): Promise<T | null> => {
  const answer = await readOrHead(node, method, body, decode)
  return 'found' in answer ? answer.found : null
}

/** Like `readOrNothing`, but returns the node's head in place of null. */
export const readOrHead = async <T>(
  node: TronNode,
  method: Method,
  body: Fields,
  decode: (answer: Fields) => T,
): Promise<{ found: T } | { head: Header }> => {
  const answer = await node.read(method, body, (fields) => (isNothing(fields) ? null : { found: decode(fields) }))
  if (answer) return answer
  return { head: await (method.startsWith('walletsolidity/') ? readSolidHead(node) : readHead(node)) }
}

/**
 * Hash of the genesis block, queried at both roots of the API. Throws `ChainUnavailable` when they are of different
 * chains.
 */
export const readGenesis = async (node: TronNode): Promise<string> => {
  const genesisOf = async (method: Method): Promise<string> => {
    const header = await readOrNothing(node, method, { id_or_num: '0', detail: false }, decodeHeader)
    if (header?.height !== 0) throw node.unavailable(method, 'the node has no genesis block')
    return header.hash
  }
  const [full, solid] = await Promise.all([genesisOf(GET_BLOCK), genesisOf(GET_SOLID_BLOCK)])
  if (full !== solid)
    throw node.unavailable(
      GET_SOLID_BLOCK,
      `its genesis block is ${solid}, that of /wallet is ${full}: url and solidityUrl are of different chains`,
    )
  return full
}
