import type { Block, Head } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { TooMuch } from '../exchange.ts'
import { ChainUnavailable } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { objectOf, wholeOf } from '../shape.ts'
import { decodeBlock, hashOf, spentIn, type ShownBlock } from './block.ts'
import { readOwners } from './owners.ts'

/** RPC_INVALID_PARAMETER: there is no block at this height. */
const OUT_OF_RANGE = -8
/**
 * Attempts per reading. The best chain may change between the two queries of a reading, but not this often in a row.
 */
const READINGS = 5

export const readHead = (rpc: Rpc): Promise<Head> =>
  rpc.read('getblockchaininfo', [], (result) => {
    const { blocks, bestblockhash } = objectOf(result, 'the answer')
    return { height: wholeOf(blocks, 'blocks'), hash: hashOf(bestblockhash, 'bestblockhash') }
  })

export const readHashAt = async (rpc: Rpc, height: number): Promise<string | null> => {
  const answer = await rpc.ask({ method: 'getblockhash', params: [height] })
  if (answer.ok) return rpc.believe('getblockhash', () => hashOf(answer.result, 'the hash'))
  if (answer.code === OUT_OF_RANGE) return null
  throw rpc.unavailable('getblockhash', `refused: ${answer.message} (${answer.code})`)
}

/** The newest block with `depth` confirmations, its own included; the genesis block while the chain is shorter. */
export const readBuried = async (rpc: Rpc, depth: number): Promise<Head> => {
  const head = await readHead(rpc)
  const height = Math.max(0, head.height - depth + 1)
  const hash = height === head.height ? head.hash : await readHashAt(rpc, height)
  if (hash === null) throw rpc.unavailable('getblockhash', `the chain became shorter than ${height} meanwhile`)
  return { height, hash }
}

/**
 * Reads a block with the outputs that it spends. The node shows each output's script in three forms: a script of 10,000
 * bytes, which anyone can create and spend with 41 bytes, becomes 160,000 bytes. A block that becomes too long is read
 * without these outputs, and their transactions are read one by one.
 */
const readShown = async (rpc: Rpc, chain: BitcoinChain, hash: string): Promise<ShownBlock> => {
  try {
    return await rpc.read('getblock', [hash, 3], (result) => decodeBlock(result, chain))
  } catch (error) {
    if (!(error instanceof ChainUnavailable && error.cause instanceof TooMuch)) throw error
  }
  const shown = await rpc.read('getblock', [hash, 2], (result) => result)
  const spent = rpc.believe('getblock', () => spentIn(shown))
  const owners = await readOwners(rpc, chain, spent, new Map())
  return rpc.believe('getblock', () => decodeBlock(shown, chain, owners))
}

export const readBlockAt = async (rpc: Rpc, chain: BitcoinChain, height: number): Promise<Block | null> => {
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const hash = await readHashAt(rpc, height)
    if (hash === null) return null
    const { block, confirmations } = await readShown(rpc, chain, hash)
    if (block.hash !== hash || block.height !== height)
      throw rpc.unavailable('getblock', `another block than ${hash} came`)
    if (confirmations >= 1) return block
  }
  throw rpc.unavailable('getblock', `the best chain kept changing at height ${height}`)
}
