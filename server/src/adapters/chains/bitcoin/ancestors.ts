import { isRefused } from '@bursar/chainkit'
import { outpointOf, parseTransaction } from '@bursar/chainkit/bitcoin'
import type { PoolAncestor } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, Malformed } from '../shape.ts'
import { hashOf } from './block.ts'
import { readRaw } from './raw.ts'
import { isNotFound } from './txindex.ts'

const METHOD = 'getmempoolancestors'

/**
 * Reads the unconfirmed ancestors of a transaction in the pool, followed by the transaction itself. Null when it is not
 * in the pool, or an ancestor has just left the pool.
 */
export const readAncestors = async (rpc: Rpc, hash: string): Promise<PoolAncestor[] | null> => {
  const answer = await rpc.ask({ method: METHOD, params: [hash, false] })
  if (!answer.ok) {
    if (isNotFound(answer)) return null
    throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
  }
  const hashes = rpc.believe(METHOD, () => [
    ...listOf(answer.result, 'the ancestors').map((one) => hashOf(one, 'a hash')),
    hash,
  ])
  const raw = await readRaw(rpc, hashes)
  if (raw.size < hashes.length) return null
  return [...raw].map(([transaction, bytes]) => {
    const parsed = parseTransaction(bytes)
    if (isRefused(parsed)) throw new Malformed(`${transaction} does not parse`)
    return { transaction, keys: parsed.inputs.map(outpointOf) }
  })
}
