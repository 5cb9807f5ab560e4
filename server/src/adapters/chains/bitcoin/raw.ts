import { isRefused } from '@bursar/chainkit'
import { parseTransaction } from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { bytesOf, Malformed } from '../shape.ts'
import { isNotFound, refusedLookup } from './txindex.ts'

const METHOD = 'getrawtransaction'
/**
 * Transactions per request. One has up to 4,000,000 bytes (BIP 141), which are 8,000,000 digits, so that this many fit
 * in the 128 MiB limit of an answer.
 */
const MOST_AT_ONCE = 16

/**
 * Reads raw transactions by hash, mined or in the pool, in the order of `hashes`: hex, or null for one that the node
 * does not know. Throws `ChainUnavailable` when the node can't search all blocks.
 */
export const readRawHex = async (rpc: Rpc, hashes: readonly string[]): Promise<unknown[]> => {
  const answers: RpcAnswer[] = []
  for (let from = 0; from < hashes.length; from += MOST_AT_ONCE) {
    const some = hashes.slice(from, from + MOST_AT_ONCE)
    answers.push(...(await rpc.askAll(some.map((hash) => ({ method: METHOD, params: [hash, 0] })))))
  }
  return answers.map((answer) => {
    if (answer.ok) return answer.result
    if (isNotFound(answer)) return null
    throw refusedLookup(rpc, METHOD, answer)
  })
}

/** Serialised transactions by hash; unknown ones are left out. Each is verified to hash to the requested value. */
export const readRaw = async (rpc: Rpc, hashes: readonly string[]): Promise<Map<string, Uint8Array>> => {
  const found = new Map<string, Uint8Array>()
  for (const [at, hex] of (await readRawHex(rpc, hashes)).entries()) {
    const hash = hashes[at]!
    if (hex !== null)
      found.set(
        hash,
        rpc.believe(METHOD, () => assertIs(bytesOf(hex, 'the transaction'), hash)),
      )
  }
  return found
}

const assertIs = (raw: Uint8Array, hash: string): Uint8Array => {
  const parsed = parseTransaction(raw)
  if (isRefused(parsed) || parsed.txid !== hash) throw new Malformed(`another transaction than ${hash} came`)
  return raw
}
