import type { Block, Head } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import { objectOf, wholeOf } from '../shape.ts'
import { decodeBlock, hashOf } from './block.ts'

/** RPC_INVALID_PARAMETER: there is no block at this height. */
const OUT_OF_RANGE = -8
/** The chain may switch between the two questions of one reading; this often in a row it does not. */
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

/** The newest block with `depth` confirmations, itself counted: the genesis block while the chain is shorter. */
export const readBuried = async (rpc: Rpc, depth: number): Promise<Head> => {
  const head = await readHead(rpc)
  const height = Math.max(0, head.height - depth + 1)
  const hash = height === head.height ? head.hash : await readHashAt(rpc, height)
  if (hash === null) throw rpc.unavailable('getblockhash', `the chain became shorter than ${height} meanwhile`)
  return { height, hash }
}

export const readBlockAt = async (rpc: Rpc, chain: BitcoinChain, height: number): Promise<Block | null> => {
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const hash = await readHashAt(rpc, height)
    if (hash === null) return null
    const { block, confirmations } = await rpc.read('getblock', [hash, 3], (result) => decodeBlock(result, chain))
    if (block.hash !== hash || block.height !== height)
      throw rpc.unavailable('getblock', `another block than ${hash} came`)
    if (confirmations >= 1) return block
  }
  throw rpc.unavailable('getblock', `the best chain kept changing at height ${height}`)
}
