import { isRefused } from '@bursar/chainkit'
import { parseTransaction } from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import { bytesOf, Malformed } from '../shape.ts'
import { NOT_FOUND } from './pool.ts'

const METHOD = 'getrawtransaction'

/** Transactions as they travel, by hash; those that the node does not know are left out. Each is the one that was asked for. */
export const readRaw = async (rpc: Rpc, hashes: readonly string[]): Promise<Map<string, Uint8Array>> => {
  const answers = await rpc.askAll(hashes.map((hash) => ({ method: METHOD, params: [hash, 0] })))
  const found = new Map<string, Uint8Array>()
  for (const [at, answer] of answers.entries()) {
    const hash = hashes[at]!
    if (answer.ok) found.set(hash, rpc.believe(METHOD, () => assertIs(bytesOf(answer.result, 'the transaction'), hash)))
    else if (answer.code !== NOT_FOUND) throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
  }
  return found
}

const assertIs = (raw: Uint8Array, hash: string): Uint8Array => {
  const parsed = parseTransaction(raw)
  if (isRefused(parsed) || parsed.txid !== hash) throw new Malformed(`another transaction than ${hash} came`)
  return raw
}
