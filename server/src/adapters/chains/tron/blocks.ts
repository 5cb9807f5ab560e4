import type { Block, ChainTransaction, IssuerActShown } from '@bursar/chainkit'
import { TooMuch } from '../exchange.ts'
import { ChainUnavailable } from '../port.ts'
import { listOf, Malformed, objectOf } from '../shape.ts'
import { countOf, hashOf, type Fields } from './fields.ts'
import { decodeHeader, readHeaderAt, readOrNothing, type Header } from './heads.ts'
import { unknownNotes } from './internal.ts'
import type { TronNode } from './node.ts'
import { decodeInfos, type Info } from './outcome.ts'
import { rootOf } from './root.ts'
import { decodeTransaction, issuerActsOf } from './transaction.ts'

const BY_NUMBER = 'wallet/getblockbynum'
const NEWEST = 'wallet/getblock'
const INFOS = 'wallet/gettransactioninfobyblocknum'
const INFO = 'wallet/gettransactioninfobyid'
const COUNT = 'wallet/gettransactioncountbyblocknum'
/**
 * Maximum bytes of a block's infos. A full block of the main network has two megabytes; several blocks are read in
 * parallel.
 */
const MOST_INFO_BYTES = 16 * 1024 * 1024
/** Attempts per reading. The best chain may change between the queries of a reading, but not this often in a row. */
const READINGS = 5

export interface BlockReading {
  /** contracts whose logs count, in base58 */
  tokens: ReadonlySet<string>
  /** whether TRX sent by contracts is read */
  internalTransactions: boolean
}

export interface ShownBlock extends Header {
  shown: Fields[]
  hashes: string[]
  /** transaction root in the header; undefined when it has none */
  root: string | undefined
}

/** The best chain's block at a height as the node shows it, without the results of its transactions. */
export const readShownBlock = (node: TronNode, height: number): Promise<ShownBlock | null> =>
  readOrNothing(node, BY_NUMBER, { num: height }, (block) => {
    const shown = decodeShown(block)
    if (shown.height !== height) throw new RangeError(`block ${shown.height} instead of ${height}`)
    if (shown.shown.length === 0 && hasTransactions(block))
      throw new Malformed(`block ${height} without the transactions that its header speaks of`)
    return shown
  })

/**
 * Whether a header commits to transactions: the root of none is zero (`BlockCapsule.calcMerkleRoot` of java-tron, with
 * which `Manager.pushBlock` verifies every block). A gateway that omits transactions would hide deposits.
 */
const hasTransactions = (block: Fields): boolean => /[^0]/.test(namedRoot(block) ?? '')

const namedRoot = (block: Fields): string | undefined => {
  const root = objectOf(objectOf(block['block_header'], 'block_header')['raw_data'], 'the header')['txTrieRoot']
  return typeof root === 'string' ? root.toLowerCase() : undefined
}

/**
 * The newest block as the node shows it. Reading all of it costs a gateway's user one request, like a query for its
 * height, and saves the later query for the block.
 */
export const readShownHead = (node: TronNode): Promise<ShownBlock> => node.read(NEWEST, { detail: true }, decodeShown)

const decodeShown = (block: Fields): ShownBlock => {
  const shown = listOf(block['transactions'] ?? [], 'transactions').map((one) => objectOf(one, 'a transaction'))
  return {
    ...decodeHeader(block),
    shown,
    hashes: shown.map((one) => hashOf(one['txID'], 'txID')),
    root: namedRoot(block),
  }
}

/** False when the root in the header differs from that of these transactions. Takes about 6 µs per transaction. */
const isWhole = ({ root, shown }: Pick<ShownBlock, 'root' | 'shown'>): boolean =>
  root === undefined || [root, undefined].includes(rootOf(shown))

/**
 * Reads the best chain's block at a height with all its transfers. The results of its transactions are queried by
 * height, the only way that java-tron offers. When they belong to another block of that height, everything is read
 * again.
 * @param known that block, as the node has just shown it
 */
export const readBlockAt = async (
  node: TronNode,
  height: number,
  { tokens, internalTransactions }: BlockReading,
  known?: ShownBlock,
): Promise<Block | null> => {
  for (let attempt = 1; attempt <= READINGS; attempt += 1) {
    // A block without transactions may be incomplete, with a header only.
    const block =
      attempt === 1 && known?.height === height && known.shown.length > 0 ? known : await readShownBlock(node, height)
    if (!block) return null
    const { shown, hashes, root, ...head } = block
    const count = isWhole({ root, shown }) ? shown.length : await readCount(node, height)
    // Another machine of the gateway may show the complete block.
    if (count !== undefined && count > shown.length) continue
    // The allocations of a genesis block are not transactions and have no infos.
    if (shown.length === 0 || height === 0) return { ...head, transactions: [] }
    const came = await readCame(node, head, { shown, hashes }, { tokens, internalTransactions })
    if (!came) continue
    const unknown = [...new Set(came.flatMap(({ notes }) => notes))]
    const acts = came.flatMap((one) => one.acts)
    return {
      ...head,
      ...(count === undefined && { isUnproven: true as const }),
      ...(unknown.length > 0 && { unknownNotes: unknown }),
      ...(acts.length > 0 && { issuerActs: acts }),
      transactions: came.map(({ transaction }) => transaction),
    }
  }
  throw node.unavailable(
    BY_NUMBER,
    `at height ${height} the best chain kept changing, or transactions of the block are not shown`,
  )
}

/**
 * Number of transactions of the block at a height; undefined when the node does not report it. It is queried when the
 * root does not match, which alone proves little: the result of a transaction that arrives from peers may contain
 * fields of other software, which count in the root and are not shown (transaction 187 of the main network's block
 * 79072107).
 */
const readCount = async (node: TronNode, height: number): Promise<number | undefined> => {
  try {
    return await node.read(COUNT, { num: height }, ({ count }) =>
      count === undefined ? undefined : countOf(count, 'count'),
    )
  } catch (error) {
    if (error instanceof ChainUnavailable) return undefined
    throw error
  }
}

/** A transaction of a block, with further data of its info. */
interface Came {
  transaction: ChainTransaction
  /** unknown notes of internal transactions */
  notes: string[]
  acts: IssuerActShown[]
}

const cameOf = (shown: Fields, info: Info, { tokens, internalTransactions }: BlockReading): Came => ({
  transaction: decodeTransaction(shown, info, tokens, internalTransactions),
  notes: internalTransactions ? unknownNotes(info) : [],
  acts: issuerActsOf(shown, info, tokens),
})

/**
 * Reads the results of a block's transactions, in its order; undefined when another block is at its height by now.
 * Every call of a contract is an internal transaction, even if it moves nothing. It costs 40 energy (`EnergyCost.java`)
 * and takes 300 bytes of an info. So some blocks have infos of hundreds of megabytes; those of one transaction stay
 * short enough, since it may run for only 80 ms. When no node answers for the block, the infos are queried for each
 * transaction.
 */
const readCame = async (
  node: TronNode,
  { height, hash, time }: Pick<Block, 'height' | 'hash' | 'time'>,
  { shown, hashes }: Pick<ShownBlock, 'shown' | 'hashes'>,
  reading: BlockReading,
): Promise<Came[] | undefined> => {
  const isStill = async (): Promise<boolean> => (await readHeaderAt(node, height))?.hash === hash
  const answer = await node.ask(INFOS, { num: height }, { maxBytes: MOST_INFO_BYTES }).catch(nullIfTooMuch)
  if (answer === null) {
    const came: Came[] = []
    for (const [at, one] of shown.entries())
      came.push(
        await node.read(INFO, { value: hashes[at]! }, (info) =>
          cameOf(one, decodeInfos([info], height, [hashes[at]!]).get(hashes[at]!)!, reading),
        ),
      )
    return (await isStill()) ? came : undefined
  }
  if (!areOf(answer, { time }, hashes) && !(await isStill())) return undefined
  const infos = node.believe(INFOS, () => decodeInfos(answer, height, hashes))
  if (infos.size > hashes.length)
    throw node.unavailable(
      BY_NUMBER,
      `block ${height} with ${hashes.length} transactions, of which there are ${infos.size} infos`,
    )
  return node.believe(INFOS, () => shown.map((one, at) => cameOf(one, infos.get(hashes[at]!)!, reading)))
}

/** Null for an answer that is too large, also when a gateway aborts with its own status or page. */
const nullIfTooMuch = (error: unknown): null => {
  if (error instanceof ChainUnavailable && (error.cause instanceof TooMuch || error.cause instanceof Malformed))
    return null
  throw error
}

/**
 * Whether infos belong to this block, by its time and all of its transactions: two blocks of one height have different
 * times, because each slot of three seconds belongs to one producer. This needs no further query and works behind a
 * load balancer with machines on different forks. False proves nothing.
 */
const areOf = (answer: unknown, { time }: Pick<Block, 'time'>, hashes: readonly string[]): boolean => {
  if (!Array.isArray(answer) || answer.length !== hashes.length) return false
  const wanted = new Set(hashes)
  return answer.every(
    (info: { id?: unknown; blockTimeStamp?: unknown } | null) =>
      typeof info?.id === 'string' && wanted.has(info.id) && info.blockTimeStamp === time,
  )
}
