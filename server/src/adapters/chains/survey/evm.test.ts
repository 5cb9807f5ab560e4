import { expect, test } from 'vitest'
import type { EvmChainSettings } from '../settings.ts'
import type { Finding } from './finding.ts'
import { surveyForRole, surveyNode } from './index.ts'
import { refuse, startRpcNode, type Answer } from '../../../../../test/world/rpc-node.ts'

const NOW = 1_900_000_000_000
const HASH = `0x${'ab'.repeat(32)}`
const HEAD = 20_000_000
const frame = { from: `0x${'11'.repeat(20)}`, type: 'CALL', gas: '0x0', gasUsed: '0x0', input: '0x' }
const diff = { pre: {}, post: {} }
const tracerOf = (params: readonly unknown[]): unknown => (params[1] as { tracer: string }).tracer
const blockAt = (place: unknown) => {
  const height = place === 'latest' ? HEAD : place === 'finalized' ? HEAD - 70 : Number(place)
  return {
    number: `0x${height.toString(16)}`,
    hash: HASH,
    timestamp: `0x${(NOW / 1_000 - 5).toString(16)}`,
    transactions: [HASH],
  }
}

/** go-ethereum 1.16 as an archive: eth/api.go, eth/tracers/api.go. Each test changes what its client does otherwise. */
const GETH: Record<string, Answer> = {
  web3_clientVersion: () => 'Geth/v1.16.4-stable/linux-amd64/go1.25',
  eth_chainId: () => '0x1',
  eth_syncing: () => false,
  eth_getBlockByNumber: ([place]) => blockAt(place),
  eth_getBlockReceipts: () => [],
  debug_traceBlockByHash: (params) => [{ txHash: HASH, result: tracerOf(params) === 'callTracer' ? frame : diff }],
  eth_getBalance: () => '0x0',
  eth_gasPrice: () => '0x5f5e100',
  eth_feeHistory: () => ({ oldestBlock: '0x1', baseFeePerGas: ['0x5f5e100', '0x5f5e100'], gasUsedRatio: [0.5] }),
  eth_call: () => `0x${'0'.repeat(62)}2a`,
}

const survey = async (
  changed: Record<string, Answer>,
  {
    network = 'ETHEREUM',
    headers = {},
    ...given
  }: Partial<EvmChainSettings> & {
    network?: 'ETHEREUM' | 'BINANCE_SMART_CHAIN'
    headers?: Record<string, string>
  } = {},
) => {
  const url = await startRpcNode({ ...GETH, ...changed }, headers)
  const findings = await surveyNode(
    { [network]: { url, chainId: 1, gasPriceFloor: '10000000', gasPriceCap: '500000000000', ...given } },
    network,
    { tokens: [], now: NOW },
  )
  return new Map(findings.map((one) => [one.about, one]))
}
const of = (findings: ReadonlyMap<string, Finding>, about: string): string =>
  `${findings.get(about)?.verdict}: ${findings.get(about)?.text}`

test('a node with all that is needed is good in everything, and all of it is named', async () => {
  const findings = await survey({}, { headers: { 'X-RateLimit-Remaining': '99' } })
  expect([...findings.values()].filter(({ verdict }) => verdict !== 'good')).toEqual([])
  expect(of(findings, 'client')).toBe('good: Geth/v1.16.4-stable/linux-amd64/go1.25')
  expect(of(findings, 'sync')).toBe(`good: head ${HEAD}, 5 s old`)
  expect(of(findings, 'finality')).toBe(
    `good: the final block is ${HEAD - 70}, 70 below the head; at least 32 blocks by the settings`,
  )
  expect(of(findings, 'tracers')).toBe('good: prestateTracer answers; callTracer answers')
  expect(of(findings, 'states')).toBe('good: of the whole chain')
  expect(of(findings, 'fees')).toBe('good: base fee 0.1 gwei, gas price 0.1 gwei; bounds 0.01 gwei to 500 gwei')
  expect(of(findings, 'quota')).toBe('good: x-ratelimit-remaining 99')
})

test.for<
  [
    row: string,
    about: string,
    changed: Record<string, Answer>,
    says: RegExp,
    change: RegExp,
    given?: Parameters<typeof survey>[1],
  ]
>([
  // hyperledger/besu, TransactionTraceParams before 25.8: an unknown `tracer` is ignored.
  [
    'D-E7: Besu before 25.8 answers a tracer with opcodes',
    'tracers',
    { debug_traceBlockByHash: () => [{ gas: 21_000, structLogs: [] }] },
    /^poor: prestateTracer is answered in another shape; callTracer is answered in another shape/,
    /debug/,
  ],
  [
    'D-E9: geth without the debug interface',
    'tracers',
    { debug_traceBlockByHash: refuse(-32601, 'the method debug_traceBlockByHash does not exist/is not available') },
    /prestateTracer is refused: the method/,
    /`debug`/,
  ],
  // Erigon's tracers by name, of which some builds have callTracer only.
  [
    'D-E1: callTracer without prestateTracer',
    'tracers',
    {
      debug_traceBlockByHash: (params) =>
        tracerOf(params) === 'callTracer' ? [{ result: frame }] : refuse(-32000, 'unknown tracer')(),
    },
    /^poor: prestateTracer is refused: unknown tracer/,
    /transaction by transaction/,
  ],
  // reth-bsc, src/node/network/block_import/service.rs in August 2025.
  [
    'D-E6: finalized is the head',
    'finality',
    { eth_getBlockByNumber: ([place]) => blockAt(place === 'finalized' ? 'latest' : place) },
    /^poor: the final block is \d+, 0 below the head/,
    /leastFinalDepth \(32\)/,
  ],
  // go-ethereum, eth/api_backend.go; Erigon, rpc_block.go.
  [
    'D-E6: finalized is not known yet (geth)',
    'finality',
    {
      eth_getBlockByNumber: ([place]) =>
        place === 'finalized' ? refuse(-32000, 'finalized block not found')() : blockAt(place),
    },
    /^poor: the node names no final block: finalized block not found/,
    /consensus client/,
  ],
  [
    'D-E6: finalized is null (reth)',
    'finality',
    { eth_getBlockByNumber: ([place]) => (place === 'finalized' ? null : blockAt(place)) },
    /names no final block: null/,
    /consensus client/,
  ],
  // bsc, core/blockchain.go TriesInMemory: 128 states, which are 58 seconds of BSC.
  [
    'D-E3: BSC with the states of a full node',
    'states',
    {
      eth_getBalance: ([, at]) =>
        typeof at === 'string' && Number(at) < HEAD - 127
          ? refuse(-32000, 'historical state is not available')()
          : '0x0',
    },
    /^poor: of the newest 120 blocks at least/,
    /archive node/,
    { network: 'BINANCE_SMART_CHAIN' },
  ],
  [
    'history expiry (EIP-4444)',
    'old blocks',
    {
      eth_getBlockByNumber: ([place]) =>
        typeof place === 'string' && place.startsWith('0x') && Number(place) < HEAD - 500
          ? refuse(4444, 'pruned history unavailable')()
          : blockAt(place),
    },
    /^poor: of the newest 0 blocks/,
    /rescan/,
  ],
  [
    'a gateway without eth_getBlockReceipts',
    'receipts',
    { eth_getBlockReceipts: refuse(-32004, 'Method eth_getBlockReceipts is not supported') },
    /^poor: eth_getBlockReceipts is refused/,
    /Upgrade the node/,
  ],
  [
    'EIP-1898 is not known',
    'balances at a block',
    {
      eth_getBalance: ([, at]) =>
        typeof at === 'object' ? refuse(-32602, 'invalid argument 1: cannot unmarshal object')() : '0x0',
    },
    /^unfit: the node takes no block hash/,
    /Use a client/,
  ],
  [
    'no eth_feeHistory',
    'fees',
    { eth_feeHistory: refuse(-32601, 'method not found') },
    /^unfit: eth_feeHistory is refused/,
    /legacyGas/,
  ],
  ['the price is above the cap', 'fees', { eth_gasPrice: () => '0xe8d4a51000000' }, /^poor: base fee/, /gasPriceCap/],
  ['state overrides are ignored', 'code overrides', { eth_call: () => '0x' }, /^poor: are ignored/, /EIP-7702/],
  [
    'a client whose version has a known fault',
    'client',
    { web3_clientVersion: () => 'besu/v25.7.0/linux-x86_64/openjdk-java-21' },
    /^poor: besu\/v25\.7\.0.*: a failed CREATE/,
    /26\.2/,
  ],
  [
    'a node without peers',
    'sync',
    { eth_getBlockByNumber: ([place]) => ({ ...blockAt(place), timestamp: '0x1' }) },
    /^poor: head \d+, \d+ s old, although/,
    /peers/,
  ],
  [
    'a head of tomorrow',
    'sync',
    {
      eth_getBlockByNumber: ([place]) => ({ ...blockAt(place), timestamp: `0x${(NOW / 1_000 + 86_400).toString(16)}` }),
    },
    /^poor: head \d+, -86400 s old: its time is ahead/,
    /Set this machine's clock/,
  ],
])('%s', async ([, about, changed, says, change, given]) => {
  const findings = await survey(changed, given)
  expect(of(findings, about)).toMatch(says)
  expect(findings.get(about)!.change).toMatch(change)
})

test('a client that is new enough has no known fault', async () => {
  expect(of(await survey({ web3_clientVersion: () => 'besu/v26.2.0/linux-x86_64' }), 'client')).toMatch(/^good/)
})

test('a role requests only its own needs, and a node that does not answer is unknown', async () => {
  const url = await startRpcNode({ ...GETH, eth_feeHistory: refuse(-32601, 'method not found') })
  const ask = (role: 'watcher' | 'worker', at: string) =>
    surveyForRole(role, { ETHEREUM: { url: at, chainId: 1 } }, 'ETHEREUM', { tokens: [], now: NOW })
  expect(await ask('watcher', url)).toEqual([])
  expect((await ask('worker', url)).map(({ about, verdict, neededBy }) => [about, verdict, neededBy])).toEqual([
    ['balances at a block', 'good', []],
    ['fees', 'unfit', ['worker']],
  ])
  expect((await ask('worker', 'http://127.0.0.1:1')).map(({ verdict, text }) => [verdict, text])).toEqual([
    ['unknown', expect.stringContaining('ECONNREFUSED')],
  ])
})
