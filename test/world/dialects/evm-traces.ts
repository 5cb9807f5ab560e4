/**
 * Answers of nodes about the calls of contracts, as data: which node answers so, and where that is written. Doubles of
 * rows E-11, E-12, E-13, E-14, E-16, E-17, E-18, E-19, E-20, E-21, E-22, E-23, E-24, E-25, E-26, E-27, E-28, E-29,
 * E-30, E-31 and E-32 of docs/dialects.md.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEvmAdapter, type EvmAdapterSettings } from '../../../server/src/adapters/chains/evm/index.ts'

export type Answer = { result: unknown } | { error: { code: number; message: string } } | { raw: string }
type Method = (params: unknown[]) => Answer

/** A refusal or answer, and who gives it. */
export interface Dialect {
  /** client and version */
  who: string
  /** file, document or issue */
  source: string
  said: Answer
}

const hex = (n: number): string => `0x${n.toString(16)}`
export const word = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const blockHash = (height: number): string => word(1_000 + height)
export const transactionHash = (height: number): string => word(5_000 + height)

export const PAYER = `0x${'a1'.repeat(20)}`
export const CONTRACT = `0x${'c1'.repeat(20)}`
export const OURS = `0x${'d1'.repeat(20)}`
export const MINER = `0x${'f1'.repeat(20)}`
export const ETHER = 10n ** 18n
const FEE = 40_000n * 3n

/** Of each block: the payer sends 1 ether to a contract, which sends it on to us. */
export const blockOf = (height: number): Record<string, unknown> => ({
  number: hex(height),
  hash: blockHash(height),
  parentHash: blockHash(height - 1),
  timestamp: '0x66',
  miner: MINER,
  baseFeePerGas: '0x1',
  withdrawals: [],
  transactions: [
    { hash: transactionHash(height), from: PAYER, to: CONTRACT, nonce: '0x1', value: `0x${ETHER.toString(16)}` },
  ],
})
export const receiptOf = (height: number): Record<string, unknown> => ({
  blockHash: blockHash(height),
  blockNumber: hex(height),
  transactionHash: transactionHash(height),
  status: '0x1',
  gasUsed: hex(40_000),
  effectiveGasPrice: '0x3',
  logs: [],
})

const balance = (units: bigint): { balance: string } => ({ balance: `0x${units.toString(16)}` })
/**
 * go-ethereum, eth/tracers/native/prestate.go: an account that was empty is absent from `pre`, a balance that stays
 * from `post`.
 */
export const diffOf = (height: number): Record<string, unknown> => ({
  txHash: transactionHash(height),
  result: {
    pre: { [PAYER]: balance(9n * ETHER), [MINER]: balance(7n), [CONTRACT]: { ...balance(5n), nonce: 1 } },
    post: {
      [PAYER]: { ...balance(8n * ETHER - FEE), nonce: 2 },
      [MINER]: balance(7n + 80_000n),
      [OURS]: balance(ETHER),
      [CONTRACT]: { nonce: 2 },
    },
  },
})
export const callsOf = (calls: object[]): Record<string, unknown> => ({
  type: 'CALL',
  from: PAYER,
  to: CONTRACT,
  value: `0x${ETHER.toString(16)}`,
  calls,
})
export const innerCall = { type: 'CALL', from: CONTRACT, to: OURS, value: `0x${ETHER.toString(16)}` }
/** Besu before 25.8 ignores the option `tracer` and answers opcodes (TransactionTraceParams.java). */
export const OPCODES = { gas: 40_000, failed: false, returnValue: '', structLogs: [] }

const refused = (code: number, message: string): Answer => ({ error: { code, message } })

/** Of one block, however often it is asked for. */
export const UNTRACEABLE: readonly Dialect[] = [
  {
    who: 'go-ethereum: a transaction took too long',
    source: 'eth/tracers/api.go traceBlock',
    said: refused(-32000, 'execution timeout'),
  },
  { who: 'go-ethereum: the answer took too long', source: 'rpc/http.go', said: refused(-32002, 'request timed out') },
  {
    who: 'go-ethereum: the tracer gave up',
    source: 'go-ethereum#23552',
    said: refused(-32000, 'incorrect number of top-level calls'),
  },
  { who: 'a gateway: too large', source: 'documents of providers', said: refused(-32008, 'Response is too big') },
  {
    who: 'another gateway: too large',
    source: 'documents of providers',
    said: refused(-32000, 'response size should not greater than 10485760 bytes'),
  },
  {
    who: 'Erigon: one transaction has an error',
    source: 'rpc/jsonrpc/tracing.go',
    said: {
      result: [{ txHash: transactionHash(7), result: null, error: { code: -32000, message: 'execution timeout' } }],
    },
  },
  {
    who: 'Nethermind 1.31: cut in the middle, status 200',
    source: 'nethermind#8380',
    said: { raw: '{"jsonrpc":"2.0","id":0,"result":[{"result":{"pre":{"0x' },
  },
  {
    who: 'Nethermind: no trace',
    source: 'DebugRpcModule.cs',
    said: refused(-32001, `Trace is null for block ${blockHash(7)}`),
  },
  {
    who: 'a gateway: older blocks are not served',
    source: 'documents of providers',
    said: refused(-32601, 'public endpoint only serves recent blocks (last 1024)'),
  },
  {
    who: 'reth: not there yet',
    source: 'storage/errors/provider.rs',
    said: refused(-32603, 'state at block #7 is not available, block has not been executed yet (latest executed: #6)'),
  },
]

/** Of a block whose state the node no longer has. */
export const STATE_GONE: readonly Dialect[] = [
  {
    who: 'go-ethereum',
    source: 'eth/state_accessor.go',
    said: refused(-32000, 'required historical state unavailable (reexec=128)'),
  },
  {
    who: 'go-ethereum with path scheme, bsc',
    source: 'eth/state_accessor.go',
    said: refused(-32000, 'historical state 0xab is not available'),
  },
  {
    who: 'go-ethereum, older',
    source: 'trie/errors.go',
    said: refused(-32000, 'missing trie node 8b16 (path ) state 0xab is not available'),
  },
  { who: 'Erigon', source: 'eth_api.go', said: refused(-32000, 'old data not available due to pruning') },
  { who: 'reth', source: 'storage/errors/provider.rs', said: refused(-32603, 'state at block #7 is pruned') },
  {
    who: 'Nethermind',
    source: 'DebugRpcModule.cs',
    said: refused(-32002, 'No state available for block 7 (0xab12...cd34)'),
  },
  { who: 'Besu', source: 'Tracer.processTracing', said: { result: null } },
]

/** anvil 1.7 (run): of each transaction of a block whose state it lost, however young the block is. */
export const LOST_BY_ANVIL: Answer = { result: [{ txHash: transactionHash(7), error: 'Resource not found' }] }

/** Of a node that never traces any block. */
export const NEVER: readonly Dialect[] = [
  {
    who: 'go-ethereum, Erigon without `debug`',
    source: 'rpc/errors.go',
    said: refused(-32601, 'the method debug_traceBlockByHash does not exist/is not available'),
  },
  {
    who: 'Nethermind without `Debug`',
    source: 'its answer',
    said: refused(
      -32600,
      "debug_traceBlockByHash found but the containing module is disabled for the url 'http://localhost:8545', consider adding module in JsonRpcConfig.AdditionalRpcUrls for additional url, or to JsonRpcConfig.EnabledModules for default url",
    ),
  },
  { who: 'Besu without `DEBUG`', source: 'RpcErrorType.java', said: refused(-32604, 'Method not enabled') },
  { who: 'EDR 0.22', source: 'run', said: refused(-32004, 'Method debug_traceBlockByHash is not supported') },
  {
    who: 'a gateway',
    source: 'documents of providers',
    said: refused(
      -32600,
      'debug_traceBlockByHash is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access.',
    ),
  },
]

/** Without the second parameter a block names its transactions only. */
const withHashes = (said: Answer): Answer => {
  if (!('result' in said) || said.result === null) return said
  const block = said.result as { transactions: { hash: string }[] }
  return { result: { ...block, transactions: block.transactions.map(({ hash }) => hash) } }
}

/**
 * A node that holds blocks like `blockOf`, with answers set by the test. The head grows by one with each look at
 * it.
 */
export const startDialect = async (
  given: Record<string, Method> = {},
  settings: Partial<EvmAdapterSettings> = {},
  head = 8,
) => {
  let latest = head - 1
  const asked: string[] = []
  const methods: Record<string, Method> = {
    eth_getBlockByNumber: ([at]) => ({
      result: blockOf(at === 'latest' || at === 'finalized' ? (latest += 1) : Number(at)),
    }),
    eth_getBlockReceipts: ([hash]) => ({ result: [receiptOf(heightOf(hash))] }),
    eth_getTransactionReceipt: ([hash]) => ({ result: receiptOf(Number(BigInt(hash as string)) - 5_000) }),
    debug_traceBlockByHash: ([hash]) => ({ result: [diffOf(heightOf(hash))] }),
    ...given,
  }
  const answer = ({ id, method, params }: { id: number; method: string; params: unknown[] }): object | string => {
    asked.push(method)
    const said = methods[method]?.(params) ?? refused(-32601, `the method ${method} does not exist/is not available`)
    return 'raw' in said
      ? said.raw
      : { jsonrpc: '2.0', id, ...(method === 'eth_getBlockByNumber' && params[1] === false ? withHashes(said) : said) }
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
      const said = Array.isArray(body) ? body.map(answer) : answer(body as Parameters<typeof answer>[0])
      outgoing.end(typeof said === 'string' ? said : JSON.stringify(said))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const adapter = createEvmAdapter({
    network: 'ETHEREUM',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    tokens: [],
    finality: 'finalized',
    legacyGas: false,
    gasPriceFloor: 1n,
    gasPriceCap: 10n ** 12n,
    traces: 'auto',
    random: () => 0,
    ...settings,
  })
  return {
    adapter,
    asked,
    methods,
    close: async (): Promise<void> => {
      await adapter.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const heightOf = (hash: unknown): number => Number(BigInt(hash as string)) - 1_000
