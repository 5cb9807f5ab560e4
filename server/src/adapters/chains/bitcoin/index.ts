/** Bitcoin adapter for Bitcoin Core or a compatible node, version 25 or newer, with `txindex=1`. */
import { parseRpcJson, type BitcoinChain } from '@bursar/chainkit/bitcoin'
import type { Timer } from '../pauses.ts'
import type { CoinChainAdapter } from '../port.ts'
import { createRpc } from '../rpc.ts'
import { readAncestors } from './ancestors.ts'
import { createBalances } from './balances.ts'
import { readBlockAt, readBuried, readHashAt, readHead } from './blocks.ts'
import { broadcastTransaction } from './broadcast.ts'
import { readCoins } from './coins.ts'
import { createFeeReader, type BitcoinFeeSettings } from './fee-rate.ts'
import { judgeTransactions } from './judging.ts'
import { broadcastPackage } from './packages.ts'
import { readPool } from './pool.ts'
import { readPoolCost } from './pool-cost.ts'
import { readRaw } from './raw.ts'
import { readStatus } from './status.ts'
import { assertIndexed } from './txindex.ts'

export interface BitcoinAdapterSettings {
  /** URL of the node's RPC, with user and password: `http://user:password@host:8332` */
  url: string
  /** determines the address format */
  chain: BitcoinChain
  /** confirmations that make a block final, its own included */
  finalDepth: number
  fees: Pick<BitcoinFeeSettings, 'floor' | 'cap'>
  /** timeout of a query in ms */
  timeoutMs?: number
  /** timeout in ms of a scan of all unspent outputs */
  scanTimeoutMs?: number
  /** maximum bytes of an answer */
  maxBytes?: number
  /** from 0 to 1 */
  random(): number
  /** ms of a monotonic clock */
  now?(): number
  /** delays of retries; the process's own when absent */
  timer?: Timer
}

/** Smallest confirmation target for which Bitcoin Core gives an estimate. */
const TARGET_BLOCKS = 2
const TIMEOUT_MS = 60_000
/** A scan of the main network takes a quarter of an hour on a slow disk. */
const SCAN_TIMEOUT_MS = 20 * 60_000

/** Its methods throw a RangeError for a token, or for an address of another chain. */
export const createBitcoinAdapter = (
  settings: BitcoinAdapterSettings,
): CoinChainAdapter & { close(): Promise<void> } => {
  const { url, chain, finalDepth, random, timeoutMs = TIMEOUT_MS, scanTimeoutMs = SCAN_TIMEOUT_MS } = settings
  if (!Number.isInteger(finalDepth) || finalDepth < 1)
    throw new RangeError(`finalDepth is a whole number from 1, not ${finalDepth}`)
  const rpc = createRpc({
    network: 'BITCOIN',
    url,
    timeoutMs,
    random,
    parse: parseRpcJson,
    ...(settings.maxBytes !== undefined && { maxBytes: settings.maxBytes }),
    ...(settings.timer && { timer: settings.timer }),
  })
  const feeRate = createFeeReader(rpc, {
    targetBlocks: TARGET_BLOCKS,
    now: settings.now ?? (() => performance.now()),
    ...settings.fees,
  })
  const scan = createBalances(rpc, chain, { timeoutMs: scanTimeoutMs, busyMs: scanTimeoutMs })
  return {
    network: 'BITCOIN',
    identity: async () => {
      const genesis = await readHashAt(rpc, 0)
      if (genesis === null) throw rpc.unavailable('getblockhash', 'the node has no genesis block')
      return genesis
    },
    // On Bitcoin every transfer is an output, so traces would add nothing.
    capabilities: async () => {
      await assertIndexed(rpc)
      return { mempool: true, traces: true }
    },
    head: () => readHead(rpc),
    finalized: () => readBuried(rpc, finalDepth),
    blockAt: (height) => readBlockAt(rpc, chain, height),
    hashAt: (height) => readHashAt(rpc, height),
    mempool: (known) => readPool(rpc, chain, known),
    statusOf: (hash) => readStatus(rpc, hash),
    broadcast: (raw) => broadcastTransaction(rpc, raw),
    feeRate,
    broadcastWithParent: (parent, child) => broadcastPackage(rpc, parent, child),
    wouldTake: (raws) => judgeTransactions(rpc, raws),
    poolCost: (hash) => readPoolCost(rpc, hash),
    ancestorsOf: (hash) => readAncestors(rpc, hash),
    rawTransactions: (hashes) => readRaw(rpc, hashes),
    coinsAt: (coins) => readCoins(rpc, coins),
    balancesAt: async (height, wanted) => {
      if (wanted.some(({ contract }) => contract !== null)) throw new RangeError('Bitcoin has no token contracts')
      if (wanted.length === 0) return []
      const { head, units } = await scan(wanted.map(({ address }) => address))
      if (head.height !== height)
        throw rpc.unavailable('scantxoutset', `the head is at ${head.height}, not at ${height}: ask again`)
      return units
    },
    scan,
    close: () => rpc.close(),
  }
}
