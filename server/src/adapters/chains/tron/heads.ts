import type { Head } from '@bursar/chainkit'
import { Malformed, objectOf } from '../shape.ts'
import { countOf, hashOf, isNothing, type Fields } from './fields.ts'
import type { Method, TronNode } from './node.ts'

/** A block's place, and its time in ms since the epoch (0 for a genesis block that has none). */
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

/** The newest block that 19 of the 27 representatives have built upon: no fork goes below it. */
export const readSolidHead = (node: TronNode): Promise<Header> => readNewest(node, GET_SOLID_BLOCK)

/** The best chain's block at a height; null when the chain is shorter. */
export const readHeaderAt = async (node: TronNode, height: number): Promise<Header | null> => {
  const header = await readOrNothing(node, GET_BLOCK, { id_or_num: String(height), detail: false }, decodeHeader)
  if (header && header.height !== height)
    throw node.unavailable(GET_BLOCK, `block ${header.height} instead of ${height}`)
  return header
}

/**
 * What the node knows, or null when it says that there is no such thing: an empty object. That is believed of a node
 * only that knows its head in the same breath, since whatever stands between could say it too.
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

/** The same, with the head that the node knew when it said that there is no such thing. */
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
 * The hash of the genesis block by both roots of the API. Throws `ChainUnavailable` when they are of different chains.
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
