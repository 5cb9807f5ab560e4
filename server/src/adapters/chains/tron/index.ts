/** Adapter for TRON, by a full node of java-tron 4.8 or newer, or by a gateway with its HTTP API. */
import { referenceTo } from '@bursar/chainkit/tron'
import { REAL_TIMER } from '../pauses.ts'
import type { TronChainAdapter } from '../port.ts'
import { createSolidBalances, readBalancesAt, readIsActivated, readResources, readStake } from './accounts.ts'
import { readBlockAt, readShownHead, type ShownBlock } from './blocks.ts'
import { broadcastTransaction } from './broadcast.ts'
import { readIsContract, readIsFrozen, readTokenDecimals } from './calls.ts'
import { estimateCost, readPrices } from './costs.ts'
import { readGenesis, readHead, readHeaderAt, readSolidHead, type Header } from './heads.ts'
import { createNode, type NodeSettings } from './node.ts'
import { readLendable, readLoan, readSupply } from './stake.ts'
import { createStatusReader, readProvenDead } from './status.ts'

export interface TronAdapterSettings extends Omit<NodeSettings, 'timeoutMs'> {
  /** token contracts whose transfers are read, in base58 */
  tokens: readonly string[]
  /**
   * whether the node records TRX sent by contracts (`vm.saveInternalTx`), which can't be queried; false: it is not read
   */
  internalTransactions: boolean
  /** timeout of a query in ms */
  timeoutMs?: number
}

const TIMEOUT_MS = 30_000

export const createTronAdapter = (settings: TronAdapterSettings): TronChainAdapter & { close(): Promise<void> } => {
  const node = createNode({ ...settings, timeoutMs: settings.timeoutMs ?? TIMEOUT_MS })
  const reading = { tokens: new Set(settings.tokens), internalTransactions: settings.internalTransactions }
  const statusOf = createStatusReader(node)
  const balances = createSolidBalances(node, settings.timer ?? REAL_TIMER, settings.budget?.perSecond)
  let newest: ShownBlock | undefined
  const headOf = ({ height, hash }: Header) => ({ height, hash })
  return {
    network: 'TRON',
    identity: () => readGenesis(node),
    capabilities: async () => ({ mempool: false, traces: settings.internalTransactions }),
    head: async () => {
      newest = await readShownHead(node)
      return headOf(newest)
    },
    finalized: async () => headOf(await readSolidHead(node)),
    blockAt: (height) => readBlockAt(node, height, reading, newest),
    hashAt: async (height) => (await readHeaderAt(node, height))?.hash ?? null,
    mempool: async () => ({ hashes: new Set(), added: [] }),
    statusOf,
    broadcast: (raw) => broadcastTransaction(node, statusOf, raw),
    feeRate: async () => ({ kind: 'resources', ...(await readPrices(node)) }),
    balancesAt: (height, wanted) => readBalancesAt(node, balances, height, wanted),
    balancesAtFinal: (wanted) => balances.read(wanted),
    mostAtFinal: () => balances.most(),
    reference: async () => {
      const [solid, head] = await Promise.all([readSolidHead(node), readHead(node)])
      return { ...referenceTo(solid.hash), time: head.time }
    },
    resourcesOf: (address) => readResources(node, address),
    isActivated: (address) => readIsActivated(node, address),
    estimateCost: (contract) => estimateCost(node, contract, settings.random),
    isProvenDead: (hash, expiration) => readProvenDead(node, hash, expiration),
    stakeOf: (address) => readStake(node, address),
    lendable: (address) => readLendable(node, address),
    loanOf: (from, to, height) => readLoan(node, from, to, height),
    supplyFor: (address) => readSupply(node, address),
    isContract: (address) => readIsContract(node, address),
    isFrozen: (contract, address) => readIsFrozen(node, contract, address),
    tokenDecimals: (contract) => readTokenDecimals(node, contract),
    close: () => node.close(),
  }
}
