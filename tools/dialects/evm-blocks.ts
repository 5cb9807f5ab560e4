import type { DialectRow } from './row.ts'

/** How nodes of Ethereum and BSC show heads, blocks, receipts and traces. */
export const EVM_BLOCK_ROWS: readonly DialectRow[] = [
  {
    id: 'E-1',
    behaviour: 'Heads: `finalized` before it is known: error -32000 "finalized block not found"',
    who: 'geth, bsc',
    source: 'eth/api_backend.go',
    adapter: 'follow the head anyway (D-E6)',
  },
  {
    id: 'E-2',
    behaviour: 'Heads: `finalized` before it is known: -39001 "Unknown block"',
    who: 'Erigon, Besu, bsc-erigon after restart; specification',
    source: 'rpc_block.go; besu RpcErrorType.java; execution-apis block.yaml',
    adapter: 'follow the head anyway (D-E6)',
  },
  {
    id: 'E-3',
    behaviour: 'Heads: `finalized` before it is known: null',
    who: 'reth; Nethermind from memory',
    source: 'reth crates/rpc/rpc-eth-api/src/helpers/block.rs',
    adapter: 'follow the head anyway (D-E6)',
  },
  {
    id: 'E-4',
    behaviour: 'Heads: `finalized` = `latest`',
    who: 'EDR always; reth-bsc 8/2025',
    source: 'edr data.rs; block_import/service.rs',
    adapter: 'least depth',
  },
  {
    id: 'E-5',
    behaviour: 'Heads: `finalized` = block 0',
    who: 'bsc while no attestation',
    source: 'parlia.go GetFinalizedHeader',
    adapter: 'never lower than before',
  },
  {
    id: 'E-6',
    behaviour:
      'Heads: BSC finality 2 blocks behind, 1 with votes in the pool (BEP-590); 450 ms blocks, two may share a second of `timestamp`',
    who: 'bsc ≥ 1.6',
    source: 'parlia.go',
    adapter: 'no order by time',
  },
  {
    id: 'E-7',
    behaviour: 'Heads: heads lower by 1-5 from question to question; `latest` known, its state or receipts not',
    who: 'balancers',
    source: 'from memory, not checked; tidx#264',
    adapter: 'head ≥ cursor, D-E13; null = again',
  },
  {
    id: 'E-8',
    behaviour: 'Heads: block of a future height: null; or error "header not found"/"block not found"',
    who: 'clients; some gateways',
    source:
      'besu AbstractBlockParameterOrBlockHashMethod.java; reth rpc-eth-types/src/error/mod.rs; execution-apis block.yaml; gateways from memory',
    adapter: 'both',
  },
  {
    id: 'E-9',
    behaviour: 'Heads: old bodies or receipts gone: 4444 "pruned history unavailable"',
    who: 'geth, reth, Nethermind, Besu with history expiry',
    source:
      'geth core/history/historymode.go, eth/api_backend.go; reth rpc-eth-types/src/error/mod.rs; nethermind ErrorCodes.cs; besu RpcErrorType.java',
    adapter: 'rescan says so',
  },
  {
    id: 'E-10',
    behaviour:
      'Receipts: `eth_getBlockReceipts` by hash: null unknown block; reth -32001 of receipts that it has pruned',
    who: 'geth, Erigon, Besu ≥ 25.12 (before: error)',
    source: 'geth internal/ethapi/api.go; besu CHANGELOG 25.12; reth rpc-eth-types/src/error/mod.rs',
    adapter: 'read the block anew',
  },
  {
    id: 'E-11',
    behaviour: 'Receipts: `eth_getBlockReceipts` by hash: -32601 / -32004',
    who: 'EDR, old gateways',
    source: 'run',
    adapter: 'one by one',
  },
  {
    id: 'E-12',
    behaviour:
      'Receipts: `eth_getBlockReceipts` by hash: error while other calls work ("receipts length mismatch", "getReceipts error: …")',
    who: 'geth, Erigon',
    source: 'api.go, eth_receipts.go',
    adapter: 'again, then one by one',
  },
  {
    id: 'E-13',
    behaviour: 'Receipts: `logIndex` starts again at 0 in the middle',
    who: 'Erigon 3.0.15, bsc-erigon 1.4 (getLogs)',
    source: '#16491, #803',
    adapter: 'D-E11',
  },
  {
    id: 'E-14',
    behaviour:
      'Receipts: -32602 "Receipts for block N … are neither stored nor reproducible from state history", always for some blocks',
    who: 'Nethermind with `Receipt.DeriveFromState` (1.40 unstable)',
    source: 'its comparison notes',
    adapter: 'like D-E1',
  },
  {
    id: 'E-15',
    behaviour: 'Receipts: transactionIndex nonsense',
    who: 'Erigon 3.4.1',
    source: '#21658',
    adapter: 'go by their order',
  },
  {
    id: 'E-16',
    behaviour: 'Receipts: receipts of one transaction: error "transaction indexing is in progress"',
    who: 'geth after start',
    source: 'internal/ethapi',
    adapter: 'ok (unavailable)',
  },
  {
    id: 'E-17',
    behaviour: 'debug_traceBlockByHash, callTracer: -32601 "the method … does not exist/is not available"',
    who: 'geth, Erigon without `debug`',
    source: '',
    adapter: 'nothing to do',
  },
  {
    id: 'E-18',
    behaviour:
      'debug_traceBlockByHash, callTracer: -32600 "debug_traceBlockByHash found but the containing module is disabled for the url …"',
    who: 'Nethermind',
    source: 'nethermind JsonRpc/JsonRpcService.cs (ModuleResolution.Disabled)',
    adapter: 'nothing to do',
  },
  {
    id: 'E-19',
    behaviour: 'debug_traceBlockByHash, callTracer: -32601 "public endpoint only serves recent blocks"',
    who: 'gateways',
    source: 'blockreq.com, recorded by two of its users in 2026: "(last 1024). Register …"',
    adapter: 'not "never traces"',
  },
  {
    id: 'E-20',
    behaviour:
      'debug_traceBlockByHash, callTracer: -32604 "Method not enabled"; -32004 "Method X is not supported"; -32600 "not available on the Free tier - upgrade"',
    who: 'Besu; EDR; Alchemy',
    source:
      'RpcErrorType.java; run; Alchemy recorded by its users on 2026-10-02: "… - upgrade to Pay As You Go, or Enterprise for access."',
    adapter: 'no traces',
  },
  {
    id: 'E-21',
    behaviour: 'debug_traceBlockByHash, callTracer: "rpc method is not whitelisted", 403',
    who: 'gateways by proxyd (public gateways of several chains)',
    source: 'optimism proxyd/rpc errors: -32601 with HTTP 403',
    adapter: 'no traces after tries (D-E9)',
  },
  {
    id: 'E-22',
    behaviour: 'debug_traceBlockByHash, callTracer: `tracer` ignored, `structLogs`',
    who: 'Besu < 25.8, and 25.8-25.12 without the switch (unclear: ignored or refused)',
    source: 'TransactionTraceParams',
    adapter: 'look at the shape (D-E7)',
  },
  {
    id: 'E-23',
    behaviour:
      'debug_traceBlockByHash, callTracer: one failed transaction = error for the whole block ("execution timeout")',
    who: 'geth, bsc',
    source: 'tracers/api.go',
    adapter: 'D-E1',
  },
  {
    id: 'E-24',
    behaviour:
      'debug_traceBlockByHash, callTracer: `error` beside a partial `result` in an element; `error` after a partial `result` of the whole',
    who: 'Erigon (streams)',
    source: 'tracing.go',
    adapter: 'D-E1',
  },
  {
    id: 'E-25',
    behaviour: 'debug_traceBlockByHash, callTracer: JSON cut short, status 200',
    who: 'Nethermind 1.31',
    source: '#8380',
    adapter: 'D-E1',
  },
  {
    id: 'E-26',
    behaviour:
      'debug_traceBlockByHash, callTracer: -32002 "request timed out" after 30 s (HTTP write limit), -32016/-32017',
    who: 'geth; Nethermind',
    source: 'rpc/http.go; ErrorCodes.cs',
    adapter: 'D-E1',
  },
  {
    id: 'E-27',
    behaviour:
      'debug_traceBlockByHash, callTracer: "response size should not greater than 10485760 bytes", "Response is too big", 413, 502',
    who: '1RPC and others',
    source: '1RPC documents: -32000 "response size should not greater than 2097152 bytes"',
    adapter: 'D-E1',
  },
  {
    id: 'E-28',
    behaviour: 'debug_traceBlockByHash, callTracer: hundreds of MB from one small transaction',
    who: 'all',
    source: 'measured',
    adapter: 'D-E1',
  },
  {
    id: 'E-29',
    behaviour:
      'debug_traceBlockByHash, callTracer: state gone: "historical state is not available", "required historical state unavailable (reexec=128)", "missing trie node" (128 blocks)',
    who: 'geth, bsc',
    source: 'state_accessor.go',
    adapter: 'gone, if old',
  },
  {
    id: 'E-30',
    behaviour:
      'debug_traceBlockByHash, callTracer: state gone: "No state available for block" ; "state at block #N is pruned"; "old data not available due to pruning", "history has been pruned for this block"',
    who: 'Nethermind; reth; Erigon',
    source: 'DebugRpcModule; provider.rs; eth_api.go',
    adapter: 'gone, if old',
  },
  {
    id: 'E-31',
    behaviour: 'debug_traceBlockByHash, callTracer: state gone: `result: null`',
    who: 'Besu > 512 blocks',
    source: 'Tracer.java',
    adapter: 'gone, if old (D-E4)',
  },
  {
    id: 'E-32',
    behaviour:
      'debug_traceBlockByHash, callTracer: state not *yet*: "state at block #N is not available, block has not been executed yet"',
    who: 'reth',
    source: 'provider.rs',
    adapter: 'again (D-E4)',
  },
  {
    id: 'E-33',
    behaviour: 'debug_traceBlockByHash, callTracer: elements without `txHash`',
    who: 'Besu until about 2023, geth before 1.11, old Erigon',
    source: "from memory; today's have it: besu DebugTraceTransactionResult.java, geth eth/tracers/api.go",
    adapter: 'believe the order',
  },
  {
    id: 'E-34',
    behaviour: 'debug_traceBlockByHash, callTracer: precompile calls are frames',
    who: 'geth, bsc, Erigon (`includePrecompiles`, on), reth, EDR, Besu',
    source:
      'geth core/vm/evm.go, eth/tracers/native/call.go; revm-inspectors src/tracing/config.rs; besu CallTracerResultConverter.java; run',
    adapter: 'sums by address, no numbers as names',
  },
  {
    id: 'E-35',
    behaviour:
      'debug_traceBlockByHash, callTracer: a CALL for more than there is: a frame with `error` "insufficient balance for transfer"',
    who: 'geth (August 2026), bsc, Erigon 3, reth, EDR',
    source: 'geth core/vm/evm.go, erigon execution/vm/evm.go (captureBegin first); run',
    adapter: 'sums by address',
  },
  {
    id: 'E-36',
    behaviour: 'debug_traceBlockByHash, callTracer: a CALL for more than there is: no frame at all',
    who: 'Erigon 2 (August 2024: check first; bsc-erigon December 2025 has the frame), older geth, Nethermind (UNKNOWN, likely)',
    source: 'erigon evm.go:183-215',
    adapter: 'sums by address, so that one transfer has one name at every client (M-A4)',
  },
  {
    id: 'E-37',
    behaviour:
      "debug_traceBlockByHash, callTracer: `value` absent: STATICCALL; null: Nethermind; DELEGATECALL shows parent's",
    who: 'all',
    source: 'geth core/vm/evm.go; besu CallTracerResult.java; null from memory',
    adapter: 'a delegate call moves nothing',
  },
  {
    id: 'E-38',
    behaviour:
      'debug_traceBlockByHash, callTracer: CREATE failed: `to` null/absent, `error` there; Besu < 26.2: `error` missing',
    who: 'geth, Nethermind; Besu < 26.2',
    source: 'geth eth/tracers/native/call.go; NativeCallTracerCallFrameConverter.cs; besu CHANGELOG 26.2',
    adapter: "skip, don't refuse",
  },
  {
    id: 'E-39',
    behaviour: 'debug_traceBlockByHash, callTracer: SELFDESTRUCT to itself shows value, moves none (EIP-6780)',
    who: 'all',
    source: 'geth core/vm/instructions.go (opSelfdestruct6780)',
    adapter: 'it moves nothing',
  },
  {
    id: 'E-40',
    behaviour: 'debug_traceBlockByHash, callTracer: `error` on the outermost frame, status 0',
    who: 'all',
    source: 'geth eth/tracers/native/call.go (processOutput)',
    adapter: 'it moved nothing',
  },
  {
    id: 'E-61',
    behaviour: 'Heads: a block whose transactions are pruned: its head, with an empty list of transactions',
    who: 'reth (August 2026)',
    source:
      'reth crates/storage/provider/src/providers/static_file/manager.rs (fetch_range_with_predicate), reth#21948',
    adapter: 'it is unavailable: the head names transactions (`transactionsRoot`)',
  },
  {
    id: 'E-62',
    behaviour:
      'Receipts: of some transactions status 0 and less gas where they had succeeded, or no logs, in `eth_getBlockReceipts` too',
    who: 'Erigon 3.4.3 to 3.5.0; bsc-erigon 1.1 of 2023',
    source: 'erigontech/erigon#22019, #22142; node-real/bsc-erigon#195',
    adapter: 'not believe them: gas and blooms are those of the head',
  },
]
