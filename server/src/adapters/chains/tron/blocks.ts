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
/** Infos of a full block of the main network have two megabytes. Several blocks are read at once. */
const MOST_INFO_BYTES = 16 * 1024 * 1024
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
  /** that its header names; undefined where it names none */
  root: string | undefined
}

/** The best chain's block at a height as the node shows it, without what came of its transactions. */
export const readShownBlock = (node: TronNode, height: number): Promise<ShownBlock | null> =>
  readOrNothing(node, BY_NUMBER, { num: height }, (block) => {
    const shown = decodeShown(block)
    if (shown.height !== height) throw new RangeError(`block ${shown.height} instead of ${height}`)
    if (shown.shown.length === 0 && hasTransactions(block))
      throw new Malformed(`block ${height} without the transactions that its header speaks of`)
    return shown
  })

/**
 * Whether a header says that its block has transactions: the root of none is zero (`BlockCapsule.calcMerkleRoot` of
 * java-tron, which `Manager.pushBlock` holds every block against). A gateway that leaves them out would hide deposits.
 */
const hasTransactions = (block: Fields): boolean => /[^0]/.test(namedRoot(block) ?? '')

const namedRoot = (block: Fields): string | undefined => {
  const root = objectOf(objectOf(block['block_header'], 'block_header')['raw_data'], 'the header')['txTrieRoot']
  return typeof root === 'string' ? root.toLowerCase() : undefined
}

/**
 * The newest block as the node shows it: to read it whole costs a gateway's user no more requests than to ask for its
 * place, and saves the question for the block itself.
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

/** False when its header names another root than these transactions have. It takes about 6 µs a transaction. */
const isWhole = ({ root, shown }: Pick<ShownBlock, 'root' | 'shown'>): boolean =>
  root === undefined || [root, undefined].includes(rootOf(shown))

/**
 * The best chain's block at a height with everything that moved in it. What came of its transactions is asked for by
 * height, which is all that java-tron offers; when that is of another block there, all is read anew.
 * @param known that block, as the node has just shown it
 */
export const readBlockAt = async (
  node: TronNode,
  height: number,
  { tokens, internalTransactions }: BlockReading,
  known?: ShownBlock,
): Promise<Block | null> => {
  for (let attempt = 1; attempt <= READINGS; attempt += 1) {
    // One without transactions may be a header only.
    const block =
      attempt === 1 && known?.height === height && known.shown.length > 0 ? known : await readShownBlock(node, height)
    if (!block) return null
    const { shown, hashes, root, ...head } = block
    const count = isWhole({ root, shown }) ? shown.length : await readCount(node, height)
    // Another machine of a gateway may show it whole.
    if (count !== undefined && count > shown.length) continue
    // What a genesis block hands out was never a transaction, and has no infos.
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
 * How many transactions the block of a height has. Asked where the root does not fit, which alone says little:
 * transactions that come by peers may have a result with fields of other software's, which count in the root and are
 * not shown (transaction 187 of the main network's block 79072107). Undefined where the node does not say.
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

/** A transaction of a block, and what its info says besides. */
interface Came {
  transaction: ChainTransaction
  /** of internal transactions that this version does not know */
  notes: string[]
  acts: IssuerActShown[]
}

const cameOf = (shown: Fields, info: Info, { tokens, internalTransactions }: BlockReading): Came => ({
  transaction: decodeTransaction(shown, info, tokens, internalTransactions),
  notes: internalTransactions ? unknownNotes(info) : [],
  acts: issuerActsOf(shown, info, tokens),
})

/**
 * What came of a block's transactions, in its order; undefined when another block is at its height by now.
 * A call of a contract that moves nothing is an internal transaction too: of 40 energy (`EnergyCost.java`), and of 300
 * bytes in an info. Some transactions make infos of hundreds of megabytes so, in one block; each by itself has few
 * enough, as it may run for 80 ms. What no node answers for the block is asked for each transaction.
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

/** Also where a gateway in between gives up, with a status or a page of its own. */
const nullIfTooMuch = (error: unknown): null => {
  if (error instanceof ChainUnavailable && (error.cause instanceof TooMuch || error.cause instanceof Malformed))
    return null
  throw error
}

/**
 * Whether infos are of this very block, by its time and all of its transactions: two blocks of one height have
 * different times, as each slot of three seconds is one producer's. This needs no further question, and is right behind
 * a balancer whose machines are on different forks. False says nothing.
 */
const areOf = (answer: unknown, { time }: Pick<Block, 'time'>, hashes: readonly string[]): boolean => {
  if (!Array.isArray(answer) || answer.length !== hashes.length) return false
  const wanted = new Set(hashes)
  return answer.every(
    (info: { id?: unknown; blockTimeStamp?: unknown } | null) =>
      wanted.has(String(info?.id)) && Number(info?.blockTimeStamp) === time,
  )
}
