import type { EvmNetwork, Network } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import Type, { type Static, type TProperties } from 'typebox'
import { choice, count, digits, flag, httpUrl, text } from '../../platform/config/fields.ts'
import { readShape, withRule, type NoteProblem } from '../../platform/config/shape.ts'

/** Valid name of an HTTP header (RFC 9110). */
const HEADER_NAME = "^[!#$%&'*+.^_`|~\\w-]{1,100}$"
/** Requests per second that TronGrid allows per key. */
const WITH_KEY_PER_SECOND = 15
/** Thousandths of a satoshi for each virtual byte. */
const VBYTE_BOUNDS = { floor: '100', cap: '300000' }
/**
 * Wei for each unit of gas. They depend on the network and not on the type of transaction: BSC rejects prices below
 * 0.05 gwei for every type. Ethereum has no such rule, and nodes require a tip of 0.001 gwei by default.
 */
const GAS_BOUNDS: Readonly<Record<EvmNetwork, { floor: string; cap: string }>> = {
  ETHEREUM: { floor: '10000000', cap: '500000000000' },
  BINANCE_SMART_CHAIN: { floor: '50000000', cap: '500000000000' },
}

/**
 * Minimum depth of a final block by the networks' rules: an epoch of Ethereum; on BSC a vote that its pool has gathered
 * (BEP-590).
 */
const LEAST_FINAL_DEPTH: Readonly<Record<EvmNetwork, number>> = { ETHEREUM: 32, BINANCE_SMART_CHAIN: 2 }
const FINAL_DEPTH = 6
const API_KEY_HEADER = 'TRON-PRO-API-KEY'

const genesis = (description: string) =>
  text(description, { pattern: '^[0-9a-f]{64}$', says: 'the hash of block 0: 64 lowercase hex digits' })

/** Rejects a cap below the floor, with which all transactions would be stuck. */
const noteBounds = (note: NoteProblem, floor: string, cap: string, floorName: string, capName: string): void => {
  if (BigInt(floor) > BigInt(cap)) note(`${floorName} (${floor}) is above ${capName} (${cap})`)
}

/** Rejects a quorum that the nodes can't reach. */
const noteQuorum = (note: NoteProblem, given: { furtherNodes?: readonly unknown[]; quorum?: number }): void => {
  const nodes = 1 + (given.furtherNodes?.length ?? 0)
  if ((given.quorum ?? 1) > nodes) note(`it is above the number of nodes, ${nodes}`, 'quorum')
}

const quorum = Type.Optional(
  count(
    'number of nodes that must give the same answer about blocks, final blocks and the end of payments ([several nodes](nodes.md#several-nodes))',
    { absent: 'more than half of the nodes' },
  ),
)

const furtherNodes = <T extends TProperties>(fields: T) =>
  Type.Optional(
    Type.Array(Type.Object(fields), {
      maxItems: 6,
      description: 'further nodes of the network; all other settings apply to them, too',
    }),
  )

const BITCOIN = withRule(
  Type.Object({
    url: httpUrl('Bitcoin Core or Knots with `txindex=1`: `http://USER:PASSWORD@HOST:PORT`'),
    furtherNodes: furtherNodes({ url: httpUrl('as `url`') }),
    quorum,
    genesis: genesis('hash of block 0, which `bitcoin-cli getblockhash 0` prints: a node of another chain is refused'),
    finalDepth: Type.Optional(
      count('number of confirmations that make a block final, including its own', {
        standard: FINAL_DEPTH,
        unit: 'blocks',
      }),
    ),
    feeFloorMilliSatPerVb: Type.Optional(
      digits("minimum fee rate; the node's own minimum rates apply, too", {
        standard: VBYTE_BOUNDS.floor,
        unit: 'thousandths of a satoshi for each virtual byte',
      }),
    ),
    feeCapMilliSatPerVb: Type.Optional(
      digits('maximum fee rate', {
        standard: VBYTE_BOUNDS.cap,
        unit: 'thousandths of a satoshi for each virtual byte',
      }),
    ),
  }),
  ({ feeFloorMilliSatPerVb = VBYTE_BOUNDS.floor, feeCapMilliSatPerVb = VBYTE_BOUNDS.cap, ...nodes }, note) => {
    noteQuorum(note, nodes)
    noteBounds(note, feeFloorMilliSatPerVb, feeCapMilliSatPerVb, 'feeFloorMilliSatPerVb', 'feeCapMilliSatPerVb')
  },
)

const evm = (network: EvmNetwork) =>
  withRule(
    Type.Object({
      url: httpUrl("the node's JSON-RPC"),
      furtherNodes: furtherNodes({ url: httpUrl('as `url`') }),
      quorum,
      chainId: count('the id of the chain; a node of another chain is refused'),
      finality: Type.Optional(
        Type.Union([Type.Literal('finalized'), count('')], {
          default: 'finalized',
          description:
            '`"finalized"`: the node says which block is final. A number: a block is final with this number of confirmations, including its own',
        }),
      ),
      leastFinalDepth: Type.Optional(
        count(
          'with `"finalized"`: a block with fewer confirmations is not final, even if the node says so. Some nodes report their newest block as final',
          { standard: LEAST_FINAL_DEPTH[network], unit: 'blocks' },
        ),
      ),
      legacyGas: Type.Optional(
        flag(
          '`true`: transactions have one gas price, which the node suggests (`eth_gasPrice`). `false`: transactions of EIP-1559, whose tip is the median of the newest 20 blocks. Both networks take both types',
          { standard: false },
        ),
      ),
      gasPriceFloor: Type.Optional(
        digits(
          "minimum tip; with `legacyGas` minimum gas price. BSC's nodes refuse less than 0.05 gwei; its test network refuses less than 0.1 gwei (`100000000`). The tip is paid in full, so a higher floor costs its whole amount with each transaction",
          { standard: GAS_BOUNDS[network].floor, unit: 'wei for each unit of gas' },
        ),
      ),
      gasPriceCap: Type.Optional(
        digits('maximum gas price, tip included', {
          standard: GAS_BOUNDS[network].cap,
          unit: 'wei for each unit of gas',
        }),
      ),
      traces: Type.Optional(
        choice(
          '`"off"`: no traces are requested from the node; money that contracts send is then found by comparing balances',
          ['auto', 'off'],
          { standard: 'auto' },
        ),
      ),
    }),
    ({ finality, leastFinalDepth, gasPriceFloor, gasPriceCap, ...nodes }, note) => {
      noteQuorum(note, nodes)
      if (typeof finality === 'number' && leastFinalDepth !== undefined)
        note('it goes with the finality "finalized", not with a number', 'leastFinalDepth')
      const { floor, cap } = GAS_BOUNDS[network]
      noteBounds(note, gasPriceFloor ?? floor, gasPriceCap ?? cap, 'gasPriceFloor', 'gasPriceCap')
    },
  )

/** One node of TRON, or one gateway. */
const TRON_NODE = {
  url: httpUrl("java-tron's HTTP API, or a gateway's: `/wallet` is below it"),
  solidityUrl: Type.Optional(
    httpUrl('where `/walletsolidity` is: java-tron serves it on a separate port', { absent: '`url`' }),
  ),
  apiKey: Type.Optional(text('the API key of the gateway', { absent: 'none' })),
  apiKeyHeader: Type.Optional(
    text('the HTTP header with the API key', {
      standard: API_KEY_HEADER,
      pattern: HEADER_NAME,
      says: 'the name of an HTTP header',
    }),
  ),
  requestsPerSecond: Type.Optional(
    count('maximum requests per second of one process; further ones wait', {
      absent: `${WITH_KEY_PER_SECOND} with \`apiKey\`, else not bounded`,
    }),
  ),
  requestsPerDay: Type.Optional(
    count('maximum requests in 24 hours: a twenty-fourth may be sent at once, the others are spread over the day', {
      absent: 'not bounded',
    }),
  ),
}

const TRON = withRule(
  Type.Object({
    ...TRON_NODE,
    furtherNodes: furtherNodes(TRON_NODE),
    quorum,
    genesis: genesis('id of block 0: a node of another chain is refused'),
    internalTransactions: Type.Optional(
      flag(
        '`true`: the node runs with `vm.saveInternalTx`, and TRX that contracts send is read from it. `false`: none is read',
        { standard: false },
      ),
    ),
  }),
  (given, note) => noteQuorum(note, given),
)

/** `BURSAR_NETWORKS_FILE`: the chains to follow and their nodes. A network that is left out is not served. */
export const NETWORKS_SHAPE = Type.Object(
  {
    BITCOIN: Type.Optional(BITCOIN),
    ETHEREUM: Type.Optional(evm('ETHEREUM')),
    BINANCE_SMART_CHAIN: Type.Optional(evm('BINANCE_SMART_CHAIN')),
    TRON: Type.Optional(TRON),
  },
  { description: 'the chains to follow and their nodes', key: 'NETWORK' },
)

export type ChainSettings = Static<typeof NETWORKS_SHAPE>
export type BitcoinChainSettings = Static<typeof BITCOIN>
export type EvmChainSettings = Static<ReturnType<typeof evm>>
export type TronChainSettings = Static<typeof TRON>

/** Reads the file. Throws a ShapeError that lists all errors. */
export const readChainSettings = (json: unknown): ChainSettings => readShape(NETWORKS_SHAPE, json)

/**
 * Settings of each node of a network, as if it were its only one, in their order. What identifies a node of TRON, its
 * key and its rates are those of the node itself.
 */
export const nodesOf = (settings: ChainSettings, network: Network): ChainSettings[] => {
  const given = settings[network]
  if (given === undefined) return []
  const { furtherNodes = [], quorum: _, ...first } = given
  const shared = Object.fromEntries(Object.entries(first).filter(([name]) => !(name in TRON_NODE)))
  return [first, ...furtherNodes.map((node) => ({ ...shared, ...node }))].map(
    (node) => ({ [network]: node }) as ChainSettings,
  )
}

/** Number of nodes of a network that must agree: more than half of them, if the settings do not say otherwise. */
export const quorumOf = (settings: ChainSettings, network: Network): number => {
  const { furtherNodes = [], quorum: given } = settings[network] ?? {}
  return given ?? Math.floor((1 + furtherNodes.length) / 2) + 1
}

/** Host and port of the only node in these settings, without its credentials and keys. */
export const nodeNameOf = (settings: ChainSettings, network: Network): string => new URL(settings[network]!.url).host

const GENESIS: Readonly<Record<string, BitcoinChain>> = {
  '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f': 'mainnet',
  '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206': 'regtest',
}

/** Address format of a chain; all public test chains use testnet's. */
export const chainOfGenesis = (genesis: string): BitcoinChain => GENESIS[genesis] ?? 'testnet'

/** Adds defaults to a Bitcoin chain's settings. */
export const bitcoinSettingsOf = ({ url, genesis, finalDepth = FINAL_DEPTH, ...fees }: BitcoinChainSettings) => ({
  url,
  chain: chainOfGenesis(genesis),
  finalDepth,
  fees: {
    floor: BigInt(fees.feeFloorMilliSatPerVb ?? VBYTE_BOUNDS.floor),
    cap: BigInt(fees.feeCapMilliSatPerVb ?? VBYTE_BOUNDS.cap),
  },
})

/** Adds defaults to an EVM chain's settings. */
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

/** Adds defaults to TRON's settings. */
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
