import { parseRpcJson } from '@bursar/chainkit/bitcoin'
import { ChainUnavailable, type Block, type ChainAdapter, type FeeRate, type Head, type TransactionStatus } from '../port.ts'
import { createRpc, present, RpcError, type RpcClient } from '../json-rpc.ts'
import { broadcast } from './broadcast.ts'
import { readPool } from './pool.ts'
import { satoshi, sendersOf, transactionOf, type WireBlock } from './wire.ts'

export interface BitcoinSettings {
  /** http://USER:PASSWORD@HOST:PORT */
  url: string
  /** confirmations that make a block final */
  finalDepth: number
  /** thousandths of a satoshi for each virtual byte: the least and the most ever offered */
  feeFloorMilliSatPerVb: bigint
  feeCapMilliSatPerVb: bigint
  timeoutMs?: number
}

const OUT_OF_RANGE = -8
const NOT_FOUND = -5
const CONFIRM_IN_BLOCKS = 3
const TRIES = 3

/** A node of Bitcoin Core (or Knots) with -txindex. */
export const createBitcoinAdapter = (settings: BitcoinSettings): ChainAdapter => {
  const timeoutMs = settings.timeoutMs ?? 60_000
  const rpc = createRpc({ network: 'BITCOIN', url: settings.url, parse: parseRpcJson, timeoutMs })
  const hashAt = async (height: number): Promise<string | null> => {
    try {
      return (await rpc.call('getblockhash', height)) as string
    } catch (error) {
      if (error instanceof RpcError && error.code === OUT_OF_RANGE) return null
      throw error
    }
  }
  const head = async (): Promise<Head> => {
    const hash = present<string>(await rpc.call('getbestblockhash'), 'best block')
    const header = (await rpc.call('getblockheader', hash)) as { height: number }
    return { height: header.height, hash }
  }
  return {
    network: 'BITCOIN',
    identity: async () => present<string>(await hashAt(0), 'genesis block'),
    capabilities: async () => ({ mempool: true, traces: true }),
    head,
    finalized: async () => {
      const { height } = await head()
      const final = Math.max(0, height - settings.finalDepth + 1)
      return { height: final, hash: present<string>(await hashAt(final), `block ${final}`) }
    },
    blockAt: (height) => readBlock(rpc, height, hashAt),
    hashAt,
    mempool: (known) => readPool(rpc, known),
    statusOf: (hash) => statusOf(rpc, hash),
    broadcast: (raw) => broadcast(rpc, raw, (hash) => statusOf(rpc, hash)),
    feeRate: () => readFeeRate(rpc, settings),
    balancesAt: (height, wanted) => balancesAt(rpc, height, wanted),
  }
}

/** The best chain's block; read again when the chain switched while it was read. */
const readBlock = async (rpc: RpcClient, height: number, hashAt: (height: number) => Promise<string | null>): Promise<Block | null> => {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const hash = await hashAt(height)
    if (hash === null) return null
    const block = (await rpc.call('getblock', hash, 3)) as WireBlock
    if (block.hash !== hash || block.height !== height) throw new ChainUnavailable(`the node answered block ${block.hash} for ${hash}`)
    if (block.confirmations < 1) continue
    return {
      height,
      hash,
      parent: block.previousblockhash ?? '0'.repeat(64),
      time: block.time * 1000,
      transactions: block.tx.map((wire) => transactionOf(wire, sendersOf(wire), wire.fee === undefined ? 0n : satoshi(wire.fee))),
    }
  }
  throw new ChainUnavailable(`block ${height} of BITCOIN keeps changing`)
}

/** With an index, a transaction of a lost block is still answered: only the block's own place on the best chain counts. */
const statusOf = async (rpc: RpcClient, hash: string): Promise<TransactionStatus> => {
  let wire: { blockhash?: string }
  try {
    wire = (await rpc.call('getrawtransaction', hash, 1)) as { blockhash?: string }
  } catch (error) {
    if (error instanceof RpcError && error.code === NOT_FOUND) return { kind: 'unknown' }
    throw error
  }
  if (wire.blockhash === undefined) return { kind: 'mempool' }
  const header = (await rpc.call('getblockheader', wire.blockhash)) as { height: number; confirmations: number }
  if (header.confirmations < 1) return { kind: (await isInPool(rpc, hash)) ? 'mempool' : 'unknown' }
  const block = (await rpc.call('getblock', wire.blockhash, 2)) as WireBlock
  const fee = block.tx.find((one) => one.txid === hash)?.fee
  return { kind: 'mined', height: header.height, blockHash: wire.blockhash, succeeded: true, fee: fee === undefined ? 0n : satoshi(fee) }
}

const isInPool = async (rpc: RpcClient, hash: string): Promise<boolean> => {
  try {
    await rpc.call('getmempoolentry', hash)
    return true
  } catch (error) {
    if (error instanceof RpcError && error.code === NOT_FOUND) return false
    throw error
  }
}

/** The node's estimate within our bounds; a node that has seen too little to estimate gets the floor. */
const readFeeRate = async (rpc: RpcClient, { feeFloorMilliSatPerVb: floor, feeCapMilliSatPerVb: cap }: BitcoinSettings): Promise<FeeRate> => {
  const estimate = (await rpc.call('estimatesmartfee', CONFIRM_IN_BLOCKS)) as { feerate?: string | number }
  // BTC for a thousand virtual bytes is thousandths of a satoshi for one.
  const estimated = estimate.feerate === undefined ? floor : satoshi(estimate.feerate)
  const rate = estimated < floor ? floor : estimated > cap ? cap : estimated
  return { kind: 'vbyte', milliSatPerVb: rate }
}

/** The UTXO set has no history: asked at any height but the head's, the answer would be another one. */
const balancesAt = async (
  rpc: RpcClient,
  height: number,
  wanted: readonly { address: string; contract: string | null }[],
): Promise<bigint[]> => {
  if (wanted.length === 0) return []
  const scan = wanted.map(({ address }) => `addr(${address})`)
  const found = (await rpc.call('scantxoutset', 'start', scan)) as {
    success: boolean
    height: number
    unspents: { desc: string; amount: string | number }[]
  }
  if (!found.success || found.height !== height) throw new ChainUnavailable(`the coins were counted at ${found.height}, not ${height}`)
  const sums = new Map<string, bigint>()
  for (const { desc, amount } of found.unspents) {
    const address = /^addr\(([^)]+)\)/.exec(desc)?.[1] ?? ''
    sums.set(address, (sums.get(address) ?? 0n) + satoshi(amount))
  }
  return wanted.map(({ address }) => sums.get(address) ?? 0n)
}
