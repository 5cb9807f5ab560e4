import { isEvmNetwork, NETWORKS, type EvmNetwork, type Network } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import {
  boundsProblem,
  countProblem,
  digitsProblem,
  genesisProblem,
  isUrl,
  unknownKeys,
  urlProblem,
} from './setting-problems.ts'

/** `BURSAR_NETWORKS_FILE`: the chains to follow and their nodes. A network left out is not served. Amounts: digits. */
export interface ChainSettings {
  BITCOIN?: BitcoinChainSettings
  ETHEREUM?: EvmChainSettings
  BINANCE_SMART_CHAIN?: EvmChainSettings
  TRON?: TronChainSettings
}

export interface BitcoinChainSettings {
  /** Bitcoin Core or Knots with -txindex: http://USER:PASSWORD@HOST:PORT */
  url: string
  /** hash of the genesis block: a node of another chain is refused */
  genesis: string
  /** confirmations that make a block final; 6 when absent */
  finalDepth?: number
  /**
   * thousandths of a satoshi for each virtual byte; 100 and 300000 when absent. The node's own least rates hold besides
   */
  feeFloorMilliSatPerVb?: string
  feeCapMilliSatPerVb?: string
}

export interface EvmChainSettings {
  url: string
  chainId: number
  /** `finalized`, or how many blocks at and above one make it final; `finalized` when absent */
  finality?: 'finalized' | number
  /**
   * with `finalized`: blocks, the final one counted, that stand on it at least; ETHEREUM 32 and BINANCE_SMART_CHAIN 2
   * when absent
   */
  leastFinalDepth?: number
  /** one gas price instead of EIP-1559; false when absent */
  legacyGas?: boolean
  /**
   * wei for each unit of gas. `gasPriceFloor` is the least tip, or with `legacyGas` the least gas price: 0.01 gwei on
   * Ethereum and 0.05 gwei on BSC when absent. `gasPriceCap` is the most in all: 500 gwei when absent
   */
  gasPriceFloor?: string
  gasPriceCap?: string
  /** off for a node that should not be asked for traces; auto when absent */
  traces?: 'auto' | 'off'
}

export interface TronChainSettings {
  /** java-tron's HTTP API, or a gateway's: `/wallet` is below it */
  url: string
  /** where `/walletsolidity` is: java-tron serves it on a port of its own; `url` when absent */
  solidityUrl?: string
  /** id of the genesis block: a node of another chain is refused */
  genesis: string
  /** sent under `apiKeyHeader`; none when absent */
  apiKey?: string
  /** TRON-PRO-API-KEY when absent */
  apiKeyHeader?: string
  /**
   * requests that one process sends at most; absent: 15 a second with an API key and any number without, any number a
   * day
   */
  requestsPerSecond?: number
  requestsPerDay?: number
  /**
   * true when the node runs with `vm.saveInternalTx`, so that TRX sent by contracts is seen; false when absent, and
   * then none is read
   */
  internalTransactions?: boolean
}

const BITCOIN_KEYS = ['url', 'genesis', 'finalDepth', 'feeFloorMilliSatPerVb', 'feeCapMilliSatPerVb']
const EVM_KEYS = [
  'url',
  'chainId',
  'finality',
  'leastFinalDepth',
  'legacyGas',
  'gasPriceFloor',
  'gasPriceCap',
  'traces',
]
const TRON_KEYS = [
  'url',
  'solidityUrl',
  'genesis',
  'apiKey',
  'apiKeyHeader',
  'requestsPerSecond',
  'requestsPerDay',
  'internalTransactions',
]
/** As a name of an HTTP header is written (RFC 9110). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,100}$/
/** What TronGrid allows a key. */
const WITH_KEY_PER_SECOND = 15
/** Where the settings name no bounds: thousandths of a satoshi for each virtual byte, wei for each unit of gas. */
const VBYTE_BOUNDS = { floor: '100', cap: '300000' }
/**
 * By network and not by type of transaction: BSC refuses what offers less than 0.05 gwei, whatever the type; Ethereum
 * has no such rule, and nodes ask a tip of 0.001 gwei by default.
 */
const GAS_BOUNDS: Readonly<Record<EvmNetwork, { floor: string; cap: string }>> = {
  ETHEREUM: { floor: '10000000', cap: '500000000000' },
  BINANCE_SMART_CHAIN: { floor: '50000000', cap: '500000000000' },
}

/**
 * No node of these networks knows a final block that is less deep: an epoch of Ethereum; on BSC a vote that its pool
 * has gathered (BEP-590).
 */
const LEAST_FINAL_DEPTH: Readonly<Record<EvmNetwork, number>> = { ETHEREUM: 32, BINANCE_SMART_CHAIN: 2 }

/** Reads the file. Throws an Error that lists everything wrong with it. */
export const readChainSettings = (json: unknown): ChainSettings => {
  const problems: string[] = []
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error('it is not an object of networks')
  for (const [network, value] of Object.entries(json as Record<string, unknown>)) {
    const known = NETWORKS.find((one) => one === network)
    const settings = value as Record<string, unknown> | null
    if (!known) problems.push(`${network} is not a network of this build: there are ${NETWORKS.join(', ')}`)
    else if (typeof settings !== 'object' || settings === null) problems.push(`${network} is not an object`)
    else problems.push(...problemsOf(known)(settings).map((problem) => `${network}.${problem}`))
  }
  if (problems.length > 0) throw new Error(problems.join('; '))
  return json as ChainSettings
}

const problemsOf = (network: Network): ((given: Record<string, unknown>) => string[]) => {
  if (isEvmNetwork(network)) return (given) => evmProblems(network, given)
  return network === 'TRON' ? tronProblems : bitcoinProblems
}

const bitcoinProblems = (given: Record<string, unknown>): string[] => [
  ...unknownKeys(given, BITCOIN_KEYS),
  ...urlProblem(given),
  ...genesisProblem(given),
  ...countProblem(given, 'finalDepth'),
  ...digitsProblem(given, 'feeFloorMilliSatPerVb'),
  ...digitsProblem(given, 'feeCapMilliSatPerVb'),
  ...boundsProblem(given, 'feeFloorMilliSatPerVb', 'feeCapMilliSatPerVb', VBYTE_BOUNDS),
]

const evmProblems = (network: EvmNetwork, given: Record<string, unknown>): string[] => [
  ...unknownKeys(given, EVM_KEYS),
  ...urlProblem(given),
  ...(Number.isSafeInteger(given.chainId) && (given.chainId as number) > 0
    ? []
    : ['chainId is a whole number above 0']),
  ...(given.finality === 'finalized' ? [] : countProblem(given, 'finality')),
  ...countProblem(given, 'leastFinalDepth'),
  ...(typeof given.finality === 'number' && given.leastFinalDepth !== undefined
    ? ['leastFinalDepth goes with the finality finalized, not with a number']
    : []),
  ...(given.legacyGas === undefined || typeof given.legacyGas === 'boolean' ? [] : ['legacyGas is true or false']),
  ...(given.traces === undefined || given.traces === 'auto' || given.traces === 'off' ? [] : ['traces is auto or off']),
  ...digitsProblem(given, 'gasPriceFloor'),
  ...digitsProblem(given, 'gasPriceCap'),
  ...boundsProblem(given, 'gasPriceFloor', 'gasPriceCap', GAS_BOUNDS[network]),
]

const tronProblems = (given: Record<string, unknown>): string[] => [
  ...unknownKeys(given, TRON_KEYS),
  ...urlProblem(given),
  ...(given.solidityUrl === undefined || isUrl(given.solidityUrl) ? [] : ['solidityUrl is an http(s) address']),
  ...genesisProblem(given),
  ...(given.apiKey === undefined || (typeof given.apiKey === 'string' && given.apiKey !== '')
    ? []
    : ['apiKey is text']),
  ...(given.apiKeyHeader === undefined ||
  (typeof given.apiKeyHeader === 'string' && HEADER_NAME.test(given.apiKeyHeader))
    ? []
    : ['apiKeyHeader is the name of an HTTP header']),
  ...countProblem(given, 'requestsPerSecond'),
  ...countProblem(given, 'requestsPerDay'),
  ...(given.internalTransactions === undefined || typeof given.internalTransactions === 'boolean'
    ? []
    : ['internalTransactions is true or false']),
]

const GENESIS: Readonly<Record<string, BitcoinChain>> = {
  '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f': 'mainnet',
  '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206': 'regtest',
}

/** How addresses are written on a chain: every public test chain writes them as testnet does. */
export const chainOfGenesis = (genesis: string): BitcoinChain => GENESIS[genesis] ?? 'testnet'

/** What a Bitcoin chain's settings mean when they leave something out. */
export const bitcoinSettingsOf = ({ url, genesis, finalDepth = 6, ...fees }: BitcoinChainSettings) => ({
  url,
  chain: chainOfGenesis(genesis),
  finalDepth,
  fees: {
    floor: BigInt(fees.feeFloorMilliSatPerVb ?? VBYTE_BOUNDS.floor),
    cap: BigInt(fees.feeCapMilliSatPerVb ?? VBYTE_BOUNDS.cap),
  },
})

/** What an EVM chain's settings mean when they leave something out. */
export const evmSettingsOf = (network: EvmNetwork, given: EvmChainSettings) => ({
  network,
  url: given.url,
  finality: given.finality ?? ('finalized' as const),
  leastFinalDepth: given.leastFinalDepth ?? LEAST_FINAL_DEPTH[network],
  legacyGas: given.legacyGas ?? false,
  gasPriceFloor: BigInt(given.gasPriceFloor ?? GAS_BOUNDS[network].floor),
  gasPriceCap: BigInt(given.gasPriceCap ?? GAS_BOUNDS[network].cap),
  traces: given.traces ?? ('auto' as const),
})

/** What TRON's settings mean when they leave something out. */
export const tronSettingsOf = ({
  url,
  solidityUrl,
  apiKey,
  apiKeyHeader,
  internalTransactions = false,
  ...budget
}: TronChainSettings) => ({
  url,
  solidityUrl,
  apiKey,
  apiKeyHeader,
  budget: {
    perSecond: budget.requestsPerSecond ?? (apiKey === undefined ? undefined : WITH_KEY_PER_SECOND),
    perDay: budget.requestsPerDay,
  },
  internalTransactions,
})
