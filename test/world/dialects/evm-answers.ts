/**
 * Answers of nodes about old blocks, state, fees and calls, as data. Doubles of row E-9, row E-10, row
 * E-15, row E-41, row E-42, row E-54, row E-55, row E-56, row E-57, row E-58 and row E-61 of docs/dialects.md.
 * Snapshots: go-ethereum, reth and EDR of August 2026, bsc of April 2026, Besu of March 2026.
 */
import type { Dialect } from './evm-traces.ts'
import { refusal, type Answer } from '../scripted-evm-node.ts'

interface Answered extends Omit<Dialect, 'said'> {
  said: Answer
}

/** Bodies and receipts of old blocks are gone (EIP-4444). */
export const HISTORY_GONE: readonly Answered[] = [
  {
    who: 'geth',
    source: 'core/history/historymode.go, eth/api_backend.go',
    said: refusal(4444, 'pruned history unavailable'),
  },
  {
    who: 'reth',
    source: 'crates/rpc/rpc-eth-types/src/error/mod.rs',
    said: refusal(4444, 'pruned history unavailable: requested 7, earliest available 100'),
  },
  { who: 'Besu', source: 'RpcErrorType.java', said: refusal(4444, 'Pruned history unavailable') },
  {
    who: 'Nethermind',
    source: 'ErrorCodes.cs; its text is from memory',
    said: refusal(4444, 'Pruned history unavailable'),
  },
]

/** Root of a list without entries (go-ethereum, core/types/hashes.go: EmptyTxsHash). */
export const NO_ENTRIES = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/**
 * The changes of reth of August 2026 in a block whose bodies it has pruned: a missing static file ends the reading of
 * transactions without an error (crates/storage/provider/src/providers/static_file/manager.rs,
 * fetch_range_with_predicate; paradigmxyz/reth#21948). The head keeps its root.
 */
export const PRUNED_BODY = { transactions: [], transactionsRoot: `0x${'7a'.repeat(32)}` }

/** A block of a hash that the node does not have, asked for its receipts. */
export const NO_RECEIPTS: readonly Answered[] = [
  {
    who: 'geth, Erigon, reth, Besu from 25.12',
    source: 'geth internal/ethapi/api.go, besu CHANGELOG.md 25.12',
    said: { result: null },
  },
  { who: 'Besu before 25.12', source: 'RpcErrorType.java', said: refusal(-32000, 'Block not found') },
  {
    who: 'reth, of receipts that it has pruned',
    source: 'crates/rpc/rpc-eth-types/src/error/mod.rs',
    said: refusal(-32001, 'block not found: hash 0xab'),
  },
]

/**
 * Places of a transaction in its block as Erigon 3.4.1 has them in receipts (erigontech/erigon#21658), and none at all.
 */
export const WRONG_PLACES: readonly unknown[] = ['0xffffffff', '0x7', null, undefined]

/** State of a block that is named by a hash that is not, or no longer, on the best chain (EIP-1898). */
export const NOT_CANONICAL: readonly Answered[] = [
  {
    who: 'geth and bsc: another branch',
    source: 'eth/api_backend.go',
    said: refusal(-32000, 'hash is not currently canonical'),
  },
  {
    who: 'geth and bsc: an unknown hash',
    source: 'eth/api_backend.go',
    said: refusal(-32000, 'header for hash not found'),
  },
  {
    who: 'reth: an unknown hash',
    source: 'crates/rpc/rpc-eth-types/src/error/mod.rs',
    said: refusal(-32001, 'block not found: canonical hash 0xab'),
  },
  {
    who: 'Besu from 25.12: an unknown hash',
    source: 'AbstractBlockParameterOrBlockHashMethod.java',
    said: { result: null },
  },
  {
    who: 'Besu: another branch',
    source: 'AbstractBlockParameterOrBlockHashMethod.java, RpcErrorType.java',
    said: refusal(-32000, 'Invalid input'),
  },
  {
    who: 'EDR: an unknown hash',
    source: 'crates/edr_provider/src/error.rs',
    said: refusal(-32000, 'Received invalid block tag 0xab. Latest block number is 5'),
  },
]

/** State of a block that is older than the states a node keeps: 128 blocks on full nodes of geth and bsc. */
export const STATE_TOO_OLD: readonly Answered[] = [
  {
    who: 'geth and bsc by hash',
    source: 'trie/errors.go',
    said: refusal(-32000, 'missing trie node 8b16 (path ) state 0xab is not available'),
  },
  {
    who: 'geth and bsc by path',
    source: 'core/state/database_history.go',
    said: refusal(-32000, 'historical state 0xab is not available'),
  },
  { who: 'Erigon', source: 'eth_api.go', said: refusal(-32000, 'old data not available due to pruning') },
  { who: 'reth', source: 'storage/errors/provider.rs', said: refusal(-32603, 'state at block #7 is pruned') },
  {
    who: 'Nethermind',
    source: 'EthRpcModule.cs, ErrorCodes.cs',
    said: refusal(-32002, 'No state available for block 7 (0xab12...cd34)'),
  },
  { who: 'Besu: balances', source: 'EthGetBalance.java', said: { result: null } },
  { who: 'Besu: estimates', source: 'AbstractEstimateGas.java', said: refusal(-32000, 'World state unavailable') },
]

/** A call that would revert. */
export const REVERTS: readonly Answered[] = [
  {
    who: 'geth, bsc, reth, Erigon, Nethermind and Besu',
    source: 'geth internal/ethapi/errors.go, ErrorCodes.cs, RpcErrorType.java',
    said: refusal(3, 'execution reverted: paused'),
  },
  { who: 'Besu until 2025', source: 'RpcErrorType.java', said: refusal(-32000, 'Execution reverted') },
  {
    who: 'Nethermind until 2025',
    source: 'ErrorCodes.cs (VMError)',
    said: refusal(-32015, 'VM execution error. revert'),
  },
  {
    who: 'EDR, with a reason',
    source: 'run',
    said: refusal(-32603, "VM Exception while processing transaction: reverted with reason string 'paused'"),
  },
  {
    who: 'EDR, without one',
    source: 'crates/edr_provider/src/error.rs',
    said: refusal(-32603, 'Transaction reverted without a reason'),
  },
  ...[
    'invalid jump destination',
    'stack limit reached 1024 (1023)',
    'stack underflow (0 <=> 1)',
    'write protection',
    'return data out of bounds',
    'gas uint64 overflow',
  ].map((fault) => ({
    who: `geth and bsc, of a fault: ${fault}`,
    source: 'core/vm/errors.go, passed on by eth/gasestimator/gasestimator.go',
    said: refusal(-32000, fault),
  })),
  {
    who: 'reth, of a fault',
    source: 'crates/rpc/rpc-eth-types/src/error/mod.rs (EvmHalt)',
    said: refusal(-32000, 'EVM error: InvalidJump'),
  },
  { who: 'anvil, of a fault', source: 'run', said: refusal(-32603, 'EVM error StackOverflow') },
]

/** `eth_call` with state overrides, of nodes that do not know them; and the adapter's result for each. */
export const NO_OVERRIDES: readonly (Answered & { seen: string | null })[] = [
  {
    who: 'a gateway that counts parameters',
    source: 'go-ethereum, rpc/json.go',
    said: refusal(-32602, 'too many arguments, want at most 2'),
    seen: null,
  },
  {
    who: 'Besu, of overrides that it can not read',
    source: 'EthCall.java, RpcErrorType.java',
    said: refusal(-32602, 'Invalid call params'),
    seen: null,
  },
  {
    who: 'Besu before 24.12, which leaves them out',
    source: 'besu, CHANGELOG.md, #7801',
    said: { result: '0x' },
    seen: '0x',
  },
]

const GWEI = 10n ** 9n
const hex = (value: bigint | number): string => `0x${value.toString(16)}`

/** @param rewards each block's list of rewards @param empty places of blocks without transactions */
const feeHistory = (
  base: bigint,
  rewards: readonly unknown[] | null | undefined,
  blocks = rewards?.length ?? 1,
  empty: readonly number[] = [],
): Answer => ({
  result: {
    oldestBlock: '0x1',
    gasUsedRatio: Array.from({ length: blocks }, (_, at) => (empty.includes(at) ? 0 : 0.5)),
    baseFeePerGas: Array.from({ length: blocks + 1 }, () => hex(base)),
    ...(rewards === undefined ? {} : { reward: rewards }),
  },
})
const tips = (...each: bigint[]): string[][] => each.map((tip) => [hex(tip)])

/** Fee histories, and the tip and the most for gas that are offered after each. */
export const FEES: readonly [
  who: string,
  network: 'ETHEREUM' | 'BINANCE_SMART_CHAIN',
  said: Answer,
  tip: bigint,
  most: bigint,
][] = [
  [
    'Ethereum on a quiet day: base 0.2 gwei, tips of 0.02',
    'ETHEREUM',
    feeHistory(GWEI / 5n, tips(GWEI / 50n, GWEI / 50n, GWEI / 50n)),
    GWEI / 50n,
    (GWEI * 42n) / 100n,
  ],
  [
    'Ethereum, where blocks are mined for nothing',
    'ETHEREUM',
    feeHistory(GWEI / 5n, tips(0n, 0n)),
    GWEI / 100n,
    (GWEI * 41n) / 100n,
  ],
  // chainflip-io/chainflip-eth-contracts#535.
  [
    'row E-54: BSC: base 0, tips of 0.05 gwei',
    'BINANCE_SMART_CHAIN',
    feeHistory(0n, tips(GWEI / 20n, GWEI / 20n)),
    GWEI / 20n,
    GWEI / 20n,
  ],
  [
    'row E-54: BSC: base 0, validators that take some for nothing',
    'BINANCE_SMART_CHAIN',
    feeHistory(0n, tips(0n, 0n, GWEI)),
    GWEI / 20n,
    GWEI / 20n,
  ],
  // geth eth/gasprice/feehistory.go (firstMissing), Erigon rpc/gasprice/feehistory.go.
  [
    'row E-55: geth, Erigon and gateways: fewer blocks than were asked for',
    'ETHEREUM',
    feeHistory(GWEI, tips(GWEI)),
    GWEI,
    3n * GWEI,
  ],
  // The same files: "return an all zero row if there are no transactions to gather data from".
  [
    'row E-55: geth and Erigon: zeros in the place of a block without transactions',
    'ETHEREUM',
    feeHistory(GWEI, tips(0n, GWEI, 0n), 3, [0, 2]),
    GWEI,
    3n * GWEI,
  ],
  // The same files: "Block or receipts are missing while reward percentiles are requested" leaves an empty list in that
  // block's place.
  [
    'row E-55: geth and Erigon: an empty list of a block whose receipts are missing',
    'ETHEREUM',
    feeHistory(GWEI, [[hex(GWEI)], [], [hex(GWEI)]]),
    GWEI,
    3n * GWEI,
  ],
  [
    "row E-55: gateways, from memory: null in the place of a block's list",
    'ETHEREUM',
    feeHistory(GWEI, [[hex(GWEI)], null, [hex(GWEI)]]),
    GWEI,
    3n * GWEI,
  ],
  [
    'row E-55: gateways, from memory: `reward` is null',
    'ETHEREUM',
    feeHistory(GWEI, null),
    GWEI / 100n,
    (GWEI * 201n) / 100n,
  ],
  [
    'row E-55: geth without blocks to show: no `reward`',
    'ETHEREUM',
    feeHistory(GWEI, undefined),
    GWEI / 100n,
    (GWEI * 201n) / 100n,
  ],
]

/** geth and Erigon of a range without any block (eth/gasprice/feehistory.go, internal/ethapi/api.go: `omitempty`). */
export const NO_FEES: Answer = { result: { oldestBlock: '0x0', gasUsedRatio: null } }
