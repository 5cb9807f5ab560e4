import type { Block } from '@bursar/chainkit'
import { listOf, objectOf } from '../shape.ts'
import { hashOf, type Fields } from './fields.ts'
import { decodeHeader, readHeaderAt, readOrNothing, type Header } from './heads.ts'
import { unknownNotes } from './internal.ts'
import type { TronNode } from './node.ts'
import { decodeInfos } from './outcome.ts'
import { decodeTransaction, issuerActsOf } from './transaction.ts'

const BY_NUMBER = 'wallet/getblockbynum'
const INFOS = 'wallet/gettransactioninfobyblocknum'
/** The chain may switch between the questions of one reading; this often in a row it does not. */
const READINGS = 5

export interface BlockReading {
  /** contracts whose logs count, in base58 */
  tokens: ReadonlySet<string>
  /** whether TRX that contracts sent is read */
  internalTransactions: boolean
}

export interface ShownBlock extends Header {
  shown: Fields[]
  hashes: string[]
}

/** The best chain's block at a height as the node shows it, without what came of its transactions. */
export const readShownBlock = (node: TronNode, height: number): Promise<ShownBlock | null> =>
  readOrNothing(node, BY_NUMBER, { num: height }, (block) => {
    const header = decodeHeader(block)
    if (header.height !== height) throw new RangeError(`block ${header.height} instead of ${height}`)
    const shown = listOf(block['transactions'] ?? [], 'transactions').map((one) => objectOf(one, 'a transaction'))
    return { ...header, shown, hashes: shown.map((one) => hashOf(one['txID'], 'txID')) }
  })

/**
 * The best chain's block at a height with everything that moved in it. What came of its transactions is asked for by
 * height, which is all that java-tron offers; when the block there is another one afterwards, all is read anew.
 */
export const readBlockAt = async (
  node: TronNode,
  height: number,
  { tokens, internalTransactions }: BlockReading,
): Promise<Block | null> => {
  for (let attempt = 1; attempt <= READINGS; attempt += 1) {
    const block = await readShownBlock(node, height)
    if (!block) return null
    const { shown, hashes, ...head } = block
    // What a genesis block hands out was never a transaction, and has no infos.
    if (shown.length === 0 || height === 0) return { ...head, transactions: [] }
    const answer = await node.ask(INFOS, { num: height })
    if ((await readHeaderAt(node, height))?.hash !== head.hash) continue
    const infos = node.believe(INFOS, () => decodeInfos(answer, height, hashes))
    const transactions = node.believe(BY_NUMBER, () =>
      shown.map((one, at) => decodeTransaction(one, infos.get(hashes[at]!)!, tokens, internalTransactions)),
    )
    const unknown = internalTransactions ? node.believe(INFOS, () => [...new Set([...infos.values()].flatMap(unknownNotes))]) : []
    const acts = node.believe(INFOS, () => shown.flatMap((one, at) => issuerActsOf(one, infos.get(hashes[at]!)!, tokens)))
    return { ...head, ...(unknown.length > 0 && { unknownNotes: unknown }), ...(acts.length > 0 && { issuerActs: acts }), transactions }
  }
  throw node.unavailable(BY_NUMBER, `the best chain kept changing at height ${height}`)
}
