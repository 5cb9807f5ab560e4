/**
 * How nodes refuse transactions, and the meaning of each refusal: words and codes are those of the client's own source.
 * Doubles of row E-43 (geth and bsc), row E-44 (one code for all), row E-45 (Besu), row E-46 (reth), row E-47
 * (Erigon), row E-48 ("known" for a transaction that is not there), row E-49 (Nethermind).
 */
import type { Verdict } from '../../../server/src/adapters/chains/evm/verdicts.ts'

export interface Refusal {
  client: string
  version: string
  /** file of the client's repository; `run` where the node was run instead */
  source: string
  says: string
  code: number
  verdict: Verdict
}

type Row = [says: string, code: number, verdict: Verdict]

const by = (client: string, version: string, source: string, rows: readonly Row[]): Refusal[] =>
  rows.map(([says, code, verdict]) => ({ client, version, source, says, code, verdict }))

const GETH = [
  ...by('geth', '2026-08', 'core/txpool/errors.go', [
    ['already known', -32000, 'known'],
    ['invalid sender', -32000, 'invalid'],
    ['transaction underpriced', -32000, 'fee-too-low'],
    ['replacement transaction underpriced', -32000, 'fee-too-low'],
    ['account limit exceeded: pooled 16 txs', -32000, 'not-now'],
    ['exceeds block gas limit', -32000, 'invalid'],
    ['future transaction tries to replace pending', -32000, 'not-now'],
    ['address already reserved', -32000, 'not-now'],
    ['authority already reserved', -32000, 'not-now'],
    ['authority nonce too low', -32000, 'invalid'],
  ]),
  ...by('geth', '2026-08', 'core/error.go, core/txpool/validation.go', [
    ['nonce too low: next nonce 5, tx nonce 4', -32000, 'nonce-used'],
    ['transaction gas price below minimum: gas tip cap 1, minimum needed 1000000', -32000, 'fee-too-low'],
    ['max fee per gas less than block base fee: address 0xab12, maxFeePerGas: 1, baseFee: 7', -32000, 'fee-too-low'],
    ['max priority fee per gas higher than max fee per gas', -32000, 'invalid'],
    ['insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1', -32000, 'insufficient-funds'],
    [
      'insufficient funds for gas * price + value: balance 5, queued cost 4, tx bumped 2, overshot 1',
      -32000,
      'insufficient-funds',
    ],
    ['intrinsic gas too low: gas 20000, minimum needed 21000', -32000, 'invalid'],
    ['nonce too high: tx nonce 9, gapped nonce 7', -32000, 'invalid'],
    ['insufficient gas for floor data gas cost: gas 21000, minimum needed 22000', -32000, 'invalid'],
    ['transaction gas limit too high (cap: 16777216, tx: 20000000)', -32000, 'invalid'],
    ['transaction type not supported: type 4 rejected, pool not yet in Prague', -32000, 'invalid'],
  ]),
  ...by('geth', '2026-08', 'core/txpool/legacypool/legacypool.go', [
    ['txpool is full', -32000, 'node-trouble'],
    ['in-flight transaction limit reached for delegated accounts', -32000, 'not-now'],
    ['gapped-nonce tx from delegated accounts', -32000, 'not-now'],
  ]),
  ...by('geth', '2026-08', 'internal/ethapi/api.go, core/types', [
    ['tx fee (1.50 ether) exceeds the configured cap (1.00 ether)', -32000, 'invalid'],
    ['invalid chain id for signer: have 1 want 56', -32000, 'invalid'],
    ['rlp: expected input list for types.LegacyTx', -32000, 'invalid'],
    ['the method eth_sendRawTransaction does not exist/is not available', -32601, 'node-trouble'],
  ]),
  ...by('geth', '1.9', 'core/tx_pool.go', [['known transaction: 0xab12', -32000, 'known']]),
  ...by('bsc', '2026-04', 'core/txpool/errors.go', [
    ['transaction underpriced: gas tip cap 1, minimum needed 50000000', -32000, 'fee-too-low'],
    ['sender or to in black list', -32000, 'invalid'],
  ]),
]

const RETH = by('reth', '2026-08', 'crates/rpc/rpc-eth-types/src/error/mod.rs', [
  ['already known', -32000, 'known'],
  ['replacement transaction underpriced', -32000, 'fee-too-low'],
  ['transaction underpriced', -32000, 'fee-too-low'],
  ['txpool is full', -32003, 'node-trouble'],
  ['nonce too low: next nonce 5, tx nonce 4', -32000, 'nonce-used'],
  ['max fee per gas less than block base fee', -32000, 'fee-too-low'],
  ['transaction priority fee below minimum required priority fee 1000000', -32003, 'fee-too-low'],
  ['insufficient funds for gas * price + value: have 1 want 2', -32003, 'insufficient-funds'],
  ['exceeds max transaction gas limit', -32000, 'invalid'],
  ['tx fee (2 wei) exceeds the configured cap (1 wei)', -32000, 'invalid'],
  ['address already reserved', -32000, 'not-now'],
  ['failed to decode signed transaction', -32602, 'invalid'],
])

/** `rpc/jsonrpc/send_transaction.go` puts the kind of the result before the reason. */
const ERIGON = by('erigon', '3.0, bsc-erigon 1.4', 'txnprovider/txpool/txpoolcfg/txpoolcfg.go, txpool_grpc_server.go', [
  ['ALREADY_EXISTS: already known', -32000, 'seen-before'],
  ['INTERNAL_ERROR: existing txn with same hash', -32000, 'seen-before'],
  ['INTERNAL_ERROR: mined', -32000, 'nonce-used'],
  ['INTERNAL_ERROR: replaced by transaction with higher tip', -32000, 'nonce-used'],
  ['INTERNAL_ERROR: nonce too low', -32000, 'nonce-used'],
  ['FEE_TOO_LOW: underpriced', -32000, 'fee-too-low'],
  ['FEE_TOO_LOW: fee too low', -32000, 'fee-too-low'],
  ['FEE_TOO_LOW: replacement transaction underpriced', -32000, 'fee-too-low'],
  ['INTERNAL_ERROR: could not replace existing tx', -32000, 'fee-too-low'],
  ['INTERNAL_ERROR: insufficient funds', -32000, 'insufficient-funds'],
  ['INTERNAL_ERROR: spammer', -32000, 'node-trouble'],
  ['INTERNAL_ERROR: pending sub-pool is full', -32000, 'node-trouble'],
  ['INTERNAL_ERROR: baseFee sub-pool is full', -32000, 'node-trouble'],
  ['INTERNAL_ERROR: queued sub-pool is full', -32000, 'node-trouble'],
  ['TxPool Disabled', -32000, 'node-trouble'],
  ['server overloaded, retry later', -32005, 'node-trouble'],
  ['INVALID: fork supporting this transaction type is not activated yet', -32000, 'invalid'],
  ['unknown transaction type: 4', -32000, 'invalid'],
  ['INTERNAL_ERROR: IntrinsicGas', -32000, 'invalid'],
  ['INTERNAL_ERROR: gas limit is too high', -32000, 'invalid'],
  ['INTERNAL_ERROR: EIP-7702 transaction with authority already reserved', -32000, 'not-now'],
  ['INVALID: invalid sender', -32000, 'invalid'],
])

const NETHERMIND = [
  ...by('nethermind', '2026', 'Nethermind.TxPool/TxPoolErrorMessages.cs', [
    ['already known', -32000, 'known'],
    ['nonce too low', -32000, 'nonce-used'],
    ['transaction underpriced', -32000, 'fee-too-low'],
    ['replacement transaction underpriced', -32000, 'fee-too-low'],
    ['insufficient funds for gas * price + value', -32000, 'insufficient-funds'],
    ['nonce too high', -32000, 'invalid'],
    ['sender not an eoa', -32000, 'invalid'],
    ['transaction invalid', -32000, 'invalid'],
    ['node is syncing', -32000, 'node-trouble'],
    ['gas limit reached', -32000, 'invalid'],
    ['nonce too far in future', -32000, 'invalid'],
    ['pending transaction type conflict', -32000, 'invalid'],
    ['delegation nonce gap', -32000, 'invalid'],
    ['delegation authority has pending transaction', -32000, 'invalid'],
    ['unsupported transaction type', -32000, 'invalid'],
  ]),
  ...by('nethermind', 'until 2025', 'Nethermind.TxPool/AcceptTxResult.cs', [
    ['AlreadyKnown', -32010, 'known'],
    ['OldNonce, Current nonce: 5, nonce of rejected tx: 4', -32010, 'nonce-used'],
    ['FeeTooLow, MaxFeePerGas too low', -32010, 'fee-too-low'],
    ['FeeTooLowToCompete', -32010, 'fee-too-low'],
    ['ReplacementNotAllowed, existing tx fee is 1', -32010, 'fee-too-low'],
    ['InsufficientFunds, Balance is 0 less than sending value', -32010, 'insufficient-funds'],
    ['NonceGap, Future nonce. Expected nonce: 4', -32010, 'invalid'],
    ['NotCurrentNonceForDelegation', -32010, 'invalid'],
  ]),
]

const BESU = by('besu', '2026-03', 'ethereum/api/.../internal/response/RpcErrorType.java', [
  ['Known transaction', -32000, 'known'],
  ['Nonce too low', -32001, 'nonce-used'],
  ['Invalid signature', -32002, 'invalid'],
  [
    'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
    -32002,
    'node-trouble',
  ],
  ['Intrinsic gas exceeds gas limit', -32003, 'invalid'],
  ['Upfront cost exceeds account balance', -32004, 'insufficient-funds'],
  ['Transaction gas limit exceeds block gas limit', -32005, 'invalid'],
  ['Transaction gas limit cap exceeded', -32005, 'invalid'],
  ['Nonce too high', -32006, 'invalid'],
  ['Sender account not authorized to send transactions', -32007, 'invalid'],
  ['Initial sync is still in progress', -32008, 'node-trouble'],
  ['Gas price below configured minimum gas price', -32009, 'fee-too-low'],
  ['Gas price below current base fee', -32009, 'fee-too-low'],
  ['Replacement transaction underpriced', -32000, 'fee-too-low'],
  ['Max priority fee per gas exceeds max fee per gas', -32000, 'invalid'],
  ['Wrong chainId', -32000, 'invalid'],
  ['Transaction fee cap exceeded', -32000, 'invalid'],
  ['Transaction nonce is too distant from current sender nonce', -32000, 'invalid'],
  ['An invalid transaction with a lower nonce exists', -32000, 'invalid'],
  ['Plugin has marked the transaction as not acceptable by the transaction pool', -32000, 'invalid'],
  ['Invalid transaction type', -32602, 'invalid'],
  ['Timeout expired', -32603, 'node-trouble'],
  ['Internal error', -32603, 'node-trouble'],
])

const DEVELOPMENT = [
  ...by('anvil', '1.5', 'crates/anvil/src/eth/error.rs', [
    ['transaction already imported', -32003, 'known'],
    ['nonce too low', -32003, 'nonce-used'],
    ['Tx: [0xab12] insufficient gas price to replace existing transaction', -32003, 'fee-too-low'],
    ['max fee per gas less than block base fee', -32003, 'fee-too-low'],
    ['Insufficient funds for gas * price + value', -32003, 'insufficient-funds'],
    ['Failed to decode transaction', -32602, 'invalid'],
  ]),
  ...by('hardhat', 'EDR 0.22', 'crates/edr_provider/src/error.rs and run', [
    ['Known transaction: 0xab12', -32000, 'known'],
    ['Nonce too low. Expected nonce to be 5 but got 4.', -32000, 'nonce-used'],
    [
      'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 2 is necessary to replace the existing transaction with nonce 4.',
      -32000,
      'fee-too-low',
    ],
    [
      'Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 7',
      -32000,
      'fee-too-low',
    ],
    ['Transaction gas price is 1, which is below the minimum of 2', -32000, 'fee-too-low'],
    [
      "Sender doesn't have enough funds to send tx. The max upfront cost is: 2 and the sender's balance is: 1.",
      -32000,
      'insufficient-funds',
    ],
  ]),
]

/** Hosted services, from their documents. */
const PROVIDERS = by('provider', 'any', 'documents', [
  ['daily request count exceeded, request rate limited', -32005, 'node-trouble'],
  ['project ID request rate exceeded', -32005, 'node-trouble'],
  ['50/second request limit reached - reduce calls per second or upgrade your account', -32007, 'node-trouble'],
  ['over the plan', -32016, 'node-trouble'],
  ['Too many requests', -32000, 'node-trouble'],
  ['internal error', -32603, 'node-trouble'],
])

export const REFUSALS: readonly Refusal[] = [
  ...GETH,
  ...RETH,
  ...ERIGON,
  ...NETHERMIND,
  ...BESU,
  ...DEVELOPMENT,
  ...PROVIDERS,
]
