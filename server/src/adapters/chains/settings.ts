import { isEvmNetwork, NETWORKS, type EvmNetwork } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'

/** `BURSAR_NETWORKS_FILE`: the chains to follow and their nodes. A network left out is not served. Amounts: digits. */
export interface ChainSettings {
  BITCOIN?: BitcoinChainSettings
  ETHEREUM?: EvmChainSettings
  BINANCE_SMART_CHAIN?: EvmChainSettings
}

export interface BitcoinChainSettings {
  /** Bitcoin Core or Knots with -txindex: http://USER:PASSWORD@HOST:PORT */
  url: string
  /** hash of the genesis block: a node of another chain is refused */
  genesis: string
  /** confirmations that make a block final; 6 when absent */
  finalDepth?: number
  /** thousandths of a satoshi for each virtual byte; 1000 and 300000 when absent */
  feeFloorMilliSatPerVb?: string
  feeCapMilliSatPerVb?: string
}

export interface EvmChainSettings {
  url: string
  chainId: number
  /** `finalized`, or how many blocks at and above one make it final; `finalized` when absent */
  finality?: 'finalized' | number
  /** one gas price instead of EIP-1559; false when absent */
  legacyGas?: boolean
  /** wei for each unit of gas; 1 gwei (0.1 with `legacyGas`) and 500 gwei when absent */
  gasPriceFloor?: string
  gasPriceCap?: string
  /** off for a node that should not be asked for traces; auto when absent */
  traces?: 'auto' | 'off'
}

const BITCOIN_KEYS = ['url', 'genesis', 'finalDepth', 'feeFloorMilliSatPerVb', 'feeCapMilliSatPerVb']
const EVM_KEYS = ['url', 'chainId', 'finality', 'legacyGas', 'gasPriceFloor', 'gasPriceCap', 'traces']
const HASH = /^[0-9a-f]{64}$/
const DIGITS = /^\d{1,30}$/
/** Where the settings name no bounds: thousandths of a satoshi for each virtual byte, wei for each unit of gas. */
const VBYTE_BOUNDS = { floor: '1000', cap: '300000' }
const GAS_BOUNDS = { floor: '1000000000', cap: '500000000000' }
const LEGACY_GAS_BOUNDS = { floor: '100000000', cap: '500000000000' }

/** Reads the file. Throws an Error that lists everything wrong with it. */
export const readChainSettings = (json: unknown): ChainSettings => {
  const problems: string[] = []
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error('it is not an object of networks')
  for (const [network, value] of Object.entries(json as Record<string, unknown>)) {
    const known = NETWORKS.find((one) => one === network)
    const settings = value as Record<string, unknown> | null
    if (!known || known === 'TRON')
      problems.push(`${network} is not a network of this build: there are BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN`)
    else if (typeof settings !== 'object' || settings === null) problems.push(`${network} is not an object`)
    else
      problems.push(
        ...(isEvmNetwork(known) ? evmProblems(settings) : bitcoinProblems(settings)).map(
          (problem) => `${network}.${problem}`,
        ),
      )
  }
  if (problems.length > 0) throw new Error(problems.join('; '))
  return json as ChainSettings
}

const bitcoinProblems = (given: Record<string, unknown>): string[] => [
  ...unknownKeys(given, BITCOIN_KEYS),
  ...urlProblem(given),
  ...(typeof given.genesis === 'string' && HASH.test(given.genesis)
    ? []
    : ['genesis is the hash of block 0: 64 lowercase hex digits']),
  ...countProblem(given, 'finalDepth'),
  ...digitsProblem(given, 'feeFloorMilliSatPerVb'),
  ...digitsProblem(given, 'feeCapMilliSatPerVb'),
  ...boundsProblem(given, 'feeFloorMilliSatPerVb', 'feeCapMilliSatPerVb', VBYTE_BOUNDS),
]

const evmProblems = (given: Record<string, unknown>): string[] => [
  ...unknownKeys(given, EVM_KEYS),
  ...urlProblem(given),
  ...(Number.isSafeInteger(given.chainId) && (given.chainId as number) > 0
    ? []
    : ['chainId is a whole number above 0']),
  ...(given.finality === 'finalized' ? [] : countProblem(given, 'finality')),
  ...(given.legacyGas === undefined || typeof given.legacyGas === 'boolean' ? [] : ['legacyGas is true or false']),
  ...(given.traces === undefined || given.traces === 'auto' || given.traces === 'off' ? [] : ['traces is auto or off']),
  ...digitsProblem(given, 'gasPriceFloor'),
  ...digitsProblem(given, 'gasPriceCap'),
  ...boundsProblem(given, 'gasPriceFloor', 'gasPriceCap', gasBounds(given.legacyGas === true)),
]

const unknownKeys = (given: Record<string, unknown>, known: readonly string[]): string[] =>
  Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => `${key} is unknown; there are ${known.join(', ')}`)

const urlProblem = ({ url }: Record<string, unknown>): string[] =>
  typeof url === 'string' && URL.canParse(url) && /^https?:/.test(url) ? [] : ['url is an http(s) address']

const countProblem = (given: Record<string, unknown>, key: string): string[] =>
  given[key] === undefined || (Number.isSafeInteger(given[key]) && (given[key] as number) > 0)
    ? []
    : [`${key} is a whole number above 0`]

const digitsProblem = (given: Record<string, unknown>, key: string): string[] =>
  given[key] === undefined || (typeof given[key] === 'string' && DIGITS.test(given[key]))
    ? []
    : [`${key} is a whole number written as a string`]

const gasBounds = (legacyGas: boolean): typeof GAS_BOUNDS => (legacyGas ? LEGACY_GAS_BOUNDS : GAS_BOUNDS)

/** A cap below the floor would offer less than the network takes: everything sent would be stuck. */
const boundsProblem = (
  given: Record<string, unknown>,
  floorKey: string,
  capKey: string,
  bounds: typeof GAS_BOUNDS,
): string[] => {
  const digits = (key: string, otherwise: string): string => {
    const value = given[key] ?? otherwise
    return typeof value === 'string' ? value : ''
  }
  const [floor, cap] = [digits(floorKey, bounds.floor), digits(capKey, bounds.cap)]
  const isAbove = DIGITS.test(floor) && DIGITS.test(cap) && BigInt(floor) > BigInt(cap)
  return isAbove ? [`${floorKey} (${floor}) is above ${capKey} (${cap})`] : []
}

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
  legacyGas: given.legacyGas ?? false,
  gasPriceFloor: BigInt(given.gasPriceFloor ?? gasBounds(given.legacyGas === true).floor),
  gasPriceCap: BigInt(given.gasPriceCap ?? gasBounds(given.legacyGas === true).cap),
  traces: given.traces ?? ('auto' as const),
})
