/** Adapter for Ethereum and compatible chains, by a node's JSON-RPC. */
import type { EvmNetwork } from '@bursar/chainkit'
import type { Timer } from '../pauses.ts'
import type { AccountChainAdapter } from '../port.ts'
import { createRpc } from '../rpc.ts'
import { readBalances } from './balances.ts'
import { createTurns, readBlockAt } from './blocks.ts'
import { broadcastTransaction } from './broadcast.ts'
import {
  callDelegated,
  estimateGas,
  readCode,
  readIsContract,
  readMinedNonce,
  readIsFrozen,
  readTokenDecimals,
} from './calls.ts'
import { readFeeRate, type GasSettings } from './fee-rate.ts'
import { byHash, readFinal, readHead, readHeadAt, type Finality } from './heads.ts'
import { quantityOf } from './quantity.ts'
import { readStatus } from './status.ts'
import { readStateFrom } from './state.ts'
import { createTracing } from './traces.ts'

export interface EvmAdapterSettings extends GasSettings {
  network: EvmNetwork
  /** the node's JSON-RPC; user and password in it are sent as basic authentication */
  url: string
  /** token contracts whose transfers are read, in any case */
  tokens: readonly string[]
  finality: Finality
  /** minimum depth of the final block, its own included, where `finality` is `finalized`; 1 when absent */
  leastFinalDepth?: number
  /** `auto`: coin sent by contracts is read when the node can trace blocks. `off`: it is not read */
  traces: 'auto' | 'off'
  /** timeout of a query in ms */
  timeoutMs?: number
  /** from 0 to 1 */
  random(): number
  /** ms of a monotonic clock; the process's own when absent */
  now?(): number
  /** delays of retries; the process's own when absent */
  timer?: Timer
}

export const createEvmAdapter = (settings: EvmAdapterSettings): AccountChainAdapter & { close(): Promise<void> } => {
  const { network, url, finality, leastFinalDepth = 1, random, timeoutMs = 60_000 } = settings
  if (finality !== 'finalized' && (!Number.isInteger(finality) || finality < 1)) {
    throw new RangeError(`finality is \`finalized\` or a whole number from 1, not ${finality}`)
  }
  const { timer } = settings
  const rpc = createRpc({ network, url, timeoutMs, random, parse: JSON.parse, ...(timer && { timer }) })
  const tokens = new Set(settings.tokens.map((token) => token.toLowerCase()))
  const tracing = settings.traces === 'auto' ? createTracing(rpc, settings.now ?? (() => performance.now())) : undefined
  const reading = { network, tokens, tracing, longInTurn: createTurns() }
  return {
    network,
    identity: () => rpc.read('eth_chainId', [], (result) => String(quantityOf(result, 'the chain id'))),
    capabilities: async () => ({ mempool: false, traces: (await tracing?.isShown()) ?? false }),
    head: () => readHead(rpc),
    finalized: () => readFinal(rpc, finality, leastFinalDepth),
    blockAt: (height) => readBlockAt(rpc, height, reading),
    hashAt: async (height) => (await readHeadAt(rpc, height))?.hash ?? null,
    mempool: async () => ({ hashes: new Set(), added: [] }),
    statusOf: (hash) => readStatus(rpc, hash),
    broadcast: (raw) => broadcastTransaction(rpc, raw),
    feeRate: () => readFeeRate(rpc, settings),
    balancesAt: (height, wanted) => readBalances(rpc, height, wanted),
    stateFrom: (least) => readStateFrom(rpc, least, random),
    minedNonce: (address) => readMinedNonce(rpc, address),
    minedNonceIn: (block, address) => readMinedNonce(rpc, address, byHash(block)),
    estimateGas: (call) => estimateGas(rpc, call),
    isContract: (address) => readIsContract(rpc, address),
    codeAt: (address) => readCode(rpc, address),
    callDelegated: (call) => callDelegated(rpc, call),
    isFrozen: (contract, address) => readIsFrozen(rpc, contract, address),
    tokenDecimals: (contract) => readTokenDecimals(rpc, contract),
    close: () => rpc.close(),
  }
}
