import type { Block, ChainTransaction, EvmNetwork } from '@bursar/chainkit'
import { MAX_UINT256 } from '@bursar/chainkit/evm'
import type { Rpc } from '../rpc.ts'
import { listOf, Malformed, objectOf } from '../shape.ts'
import { blockIncome, feesOf } from './block-income.ts'
import { LONG, readReceipts } from './block-receipts.ts'
import { decodeHead, readBlock } from './heads.ts'
import { countOf, hashOf } from './quantity.ts'
import { requireSums } from './receipt-sums.ts'
import type { Tracing } from './traces.ts'
import { decodeTransaction } from './transaction.ts'

export interface BlockReading {
  network: EvmNetwork
  /** token contracts whose logs count, in lower case */
  tokens: ReadonlySet<string>
  /** undefined when inner calls are not read */
  tracing: Tracing | undefined
  /** reads long blocks one after the other */
  longInTurn<T>(read: () => Promise<T>): Promise<T>
}

type Fields = Record<string, unknown>
type Header = Omit<Block, 'transactions'> & { block: Fields; shown: Fields[]; hashes: string[] }

/** Root of an empty list. */
const NO_ENTRIES = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/**
 * Bytes of receipts above which blocks are read one at a time. Anyone can fill consecutive blocks with logs, parsed
 * receipts take seven times the memory of their text, and blocks are read in parallel. A full block usually has about a
 * megabyte.
 */
const LONG_FROM = 8 * 1024 * 1024
/** Attempts per reading. The best chain may change between the queries of a reading, but not this often in a row. */
const READINGS = 5

/** Returns a function that runs tasks one after the other, even if the previous one failed. */
export const createTurns = (): BlockReading['longInTurn'] => {
  let last: Promise<unknown> = Promise.resolve()
  return async (read) => {
    const turn = last.then(read, read)
    last = turn.catch(() => undefined)
    return turn
  }
}

/**
 * Reads the best chain's block at a height with all its transfers. Receipts and traces are queried by its hash, so that
 * all data is of one fork. When the node has dropped that fork meanwhile, everything is read again.
 */
export const readBlockAt = async (rpc: Rpc, height: number, reading: BlockReading): Promise<Block | null> => {
  for (let attempt = 1; attempt <= READINGS; attempt += 1) {
    const header = await readBlock(rpc, height, true, (block) => decodeHeader(block, height))
    if (header === null) return null
    const usual = await complete(rpc, header, reading, LONG_FROM)
    const block = usual === LONG ? await reading.longInTurn(() => complete(rpc, header, reading)) : usual
    if (block && block !== LONG) return block
  }
  throw rpc.unavailable('eth_getBlockByNumber', `the best chain kept changing at height ${height}`)
}

const decodeHeader = (block: Fields, height: number): Header => {
  const shown = listOf(block['transactions'], 'transactions').map((one) => objectOf(one, 'a transaction'))
  // A genesis block has no transactions, and that of Hardhat's node has an unusual root.
  if (height > 0 && shown.length === 0 && namesTransactions(block))
    throw new Malformed(`the transactions of block ${height} are gone`)
  return {
    ...decodeHead(block, height),
    parent: hashOf(block['parentHash'], 'parentHash'),
    time: countOf(block['timestamp'], 'timestamp') * 1_000,
    block,
    shown,
    hashes: shown.map((one) => hashOf(one['hash'], 'hash')),
  }
}

/**
 * Whether the header commits to transactions. reth shows a block whose transactions it has pruned with an empty list.
 */
const namesTransactions = ({ transactionsRoot: root }: Fields): boolean =>
  root !== undefined && root !== null && hashOf(root, 'transactionsRoot') !== NO_ENTRIES

/** Refuses sums that no account can have: the ledger could not hold them, and the chain would stop at this block. */
const inRange = (transactions: ChainTransaction[]): ChainTransaction[] => {
  if (transactions.some(({ transfers }) => transfers.some(({ units }) => units > MAX_UINT256)))
    throw new Malformed('a transfer of more than 256 bits')
  return transactions
}

const complete = async (
  rpc: Rpc,
  header: Header,
  { network, tokens, tracing }: BlockReading,
  mostReceipts?: number,
): Promise<Block | typeof LONG | undefined> => {
  const { block, shown, hashes, ...head } = header
  const receipts = await readReceipts(rpc, head, hashes, mostReceipts)
  if (!receipts || receipts === LONG) return receipts
  rpc.believe('eth_getBlockReceipts', () => requireSums(block, receipts))
  const traced = tracing ? await tracing.read(head, hashes, receipts) : { traces: [], untraced: false }
  if (!traced) return undefined
  const transactions = rpc.believe('eth_getBlockByNumber', () => {
    const fees = feesOf(network, block)
    const decoded = shown.map((transaction, at) =>
      decodeTransaction({ transaction, receipt: receipts[at]!, trace: traced.traces[at], fees }, tokens),
    )
    return inRange([...decoded, ...blockIncome(block, fees, receipts)])
  })
  return { ...head, ...(traced.untraced && { untraced: true }), transactions }
}
