import type { TransactionStatus } from '../port.ts'
import { Malformed } from '../shape.ts'
import { readShownBlock } from './blocks.ts'
import { countOf, hashOf, type Fields } from './fields.ts'
import { readHeaderAt, readOrHead, readOrNothing, readSolidHead } from './heads.ts'
import type { Method, TronNode } from './node.ts'
import { contractRetOf, feeOf, succeededBy } from './outcome.ts'

const INFO = 'wallet/gettransactioninfobyid'
const PENDING = 'wallet/gettransactionfrompending'
/** Attempts per query: between two requests a transaction may move from the pool into a block, or back. */
const READINGS = 2
const BLOCKS_CACHED = 16

/** Results of the transactions of blocks, by block hash; they never change. */
type Outcomes = Map<string, Map<string, unknown>>

export type ReadStatus = (hash: string) => Promise<TransactionStatus>

/**
 * Returns a function for the status of a transaction. Its info proves nothing unless the best chain's block at that
 * height contains it.
 */
export const createStatusReader = (node: TronNode): ReadStatus => {
  const cached: Outcomes = new Map()
  return async (hash) => {
    for (let reading = 1; reading <= READINGS; reading += 1) {
      const mined = await readMined(node, cached, hash)
      if (mined) return mined
      const pending = await readOrNothing(node, PENDING, { value: hash }, (shown) => sameHash(shown['txID'], hash))
      if (pending) return { kind: 'mempool' }
    }
    return { kind: 'unknown' }
  }
}

const readMined = async (node: TronNode, cached: Outcomes, hash: string): Promise<TransactionStatus | undefined> => {
  const info = await readInfo(node, INFO, hash)
  if (!info) return undefined
  const height = node.believe(INFO, () => countOf(info['blockNumber'], 'blockNumber'))
  const block = await readOutcomes(node, cached, height)
  if (!block?.outcomes.has(hash)) return undefined
  const succeeded = node.believe(INFO, () => succeededBy(block.outcomes.get(hash), info))
  return { kind: 'mined', height, blockHash: block.hash, succeeded, fee: node.believe(INFO, () => feeOf(info)) }
}

const readInfo = (node: TronNode, method: Method, hash: string): Promise<Fields | null> =>
  readOrNothing(node, method, { value: hash }, (info) => sameHash(info['id'], hash) && info)

const sameHash = (value: unknown, hash: string): true => {
  if (hashOf(value, 'the id') !== hash) throw new Malformed('an answer about another transaction')
  return true
}

const readOutcomes = async (
  node: TronNode,
  cached: Outcomes,
  height: number,
): Promise<{ hash: string; outcomes: ReadonlyMap<string, unknown> } | undefined> => {
  const header = await readHeaderAt(node, height)
  if (!header) return undefined
  const known = cached.get(header.hash)
  if (known) return { hash: header.hash, outcomes: known }
  const block = await readShownBlock(node, height)
  if (!block) return undefined
  const outcomes = node.believe(
    INFO,
    () => new Map(block.shown.map((one, at) => [block.hashes[at]!, contractRetOf(one)])),
  )
  if (cached.size >= BLOCKS_CACHED) cached.delete(cached.keys().next().value!)
  cached.set(block.hash, outcomes)
  return { hash: block.hash, outcomes }
}

/**
 * True when the solidified chain is past the expiration and does not contain the transaction, so that no later block
 * can. Machines behind one URL may be at different blocks, so each one that does not know the transaction must itself
 * be past the expiration. A solidified block must also be the one that `/wallet` shows at its height, which proves that
 * both URLs are of the same chain.
 */
export const readProvenDead = async (node: TronNode, hash: string, expiration: number): Promise<boolean> => {
  const head = await readSolidHead(node)
  if (head.time <= expiration) return false
  for (const method of ['gettransactionbyid', 'gettransactioninfobyid'] as const) {
    const id = method === 'gettransactionbyid' ? 'txID' : 'id'
    const answer = await readOrHead(node, `walletsolidity/${method}`, { value: hash }, (shown) =>
      sameHash(shown[id], hash),
    )
    if ('found' in answer || answer.head.time <= expiration) return false
  }
  return (await readHeaderAt(node, head.height))?.hash === head.hash
}
