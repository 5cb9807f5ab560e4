import type { DialectRow } from './row.ts'

/** How nodes of Ethereum and BSC answer about state, fees and calls, take transactions, and limit requests. */
export const EVM_REQUEST_ROWS: readonly DialectRow[] = [
  {
    id: 'E-41',
    behaviour:
      'State: EIP-1898: -32000 "hash is not currently canonical", "header for hash not found"; -32001 "block not found: canonical hash …"; null (≥ 25.12), -32000 "Invalid input"; "Received invalid block tag"',
    who: 'geth, bsc; reth; Besu; EDR',
    source:
      'geth eth/api_backend.go; reth rpc-eth-types/src/error/mod.rs; besu AbstractBlockParameterOrBlockHashMethod.java; edr_provider/src/error.rs',
    adapter: 'it is unavailable',
  },
  {
    id: 'E-42',
    behaviour: 'State: balances older than 128 blocks refused',
    who: 'full nodes; BSC = 58 s',
    source:
      'geth trie/errors.go, core/state/database_history.go; besu EthGetBalance.java; reth storage/errors/provider.rs',
    adapter: 'it is unavailable, and the comparison begins anew at a newer block',
  },
  {
    id: 'E-43',
    behaviour:
      'Sending: texts of geth: already known · nonce too low: next nonce 5, tx nonce 4 · replacement transaction underpriced · transaction gas price below minimum: gas tip cap X, minimum needed Y · txpool is full · account limit exceeded · address already reserved · in-flight transaction limit reached for delegated accounts · gapped-nonce tx from delegated accounts · authority already reserved · transaction gas limit too high (cap: 16777216, …) · insufficient gas for floor data gas cost · future transaction tries to replace pending · tx fee (x ether) exceeds the configured cap (1.00 ether) · transaction type not supported',
    who: 'geth, bsc',
    source: 'core/txpool, core/error.go',
    adapter: 'by text, the first that fits',
  },
  {
    id: 'E-44',
    behaviour: 'Sending: codes: all -32000',
    who: 'geth, bsc, Erigon, Nethermind ≥ 2026 (before -32010)',
    source: 'nethermind ErrorCodes.cs; geth internal/ethapi',
    adapter: 'by text',
  },
  {
    id: 'E-45',
    behaviour:
      'Sending: codes by kind -32000…-32009, -39001; -32005 also for "Transaction gas limit cap exceeded" (EIP-7825)',
    who: 'Besu',
    source: 'RpcErrorType.java',
    adapter: 'text first, then code (D-E12)',
  },
  {
    id: 'E-46',
    behaviour: 'Sending: already imported; "rejected due to … spammer" shown as "txpool is full"',
    who: 'reth',
    source: 'pool/error.rs',
    adapter: "as geth's",
  },
  {
    id: 'E-47',
    behaviour:
      'Sending: prefix "ALREADY_EXISTS: ", "FEE_TOO_LOW: ", "INTERNAL_ERROR: " + reason; "underpriced", "spammer", "… sub-pool is full", "could not replace existing tx", "existing txn with same hash", "mined", "fork supporting this transaction type is not activated yet"',
    who: 'Erigon, bsc-erigon',
    source: 'txpoolcfg.go, txpool_grpc_server.go',
    adapter: 'D-E12',
  },
  {
    id: 'E-48',
    behaviour: 'Sending: "already known" for what was dropped or un-mined, or was refused in the same block',
    who: 'Erigon; Nethermind',
    source: 'erigon pool.go idHashKnown; nethermind AlreadyKnownTxFilter.cs, HashCache.cs',
    adapter: 'ask whether it has it (D-E12)',
  },
  {
    id: 'E-49',
    behaviour:
      'Sending: names: AlreadyKnown, OldNonce, FeeTooLow, FeeTooLowToCompete, ReplacementNotAllowed, NonceGap, NotCurrentNonceForDelegation (until about end of 2025); then geth\'s texts, "nonce too far in future", "delegation nonce gap", "pending transaction type conflict", "node is syncing"',
    who: 'Nethermind',
    source: 'AcceptTxResult.cs, TxPoolErrorMessages',
    adapter: 'D-E12',
  },
  {
    id: 'E-50',
    behaviour: 'Sending: nonce gap > 64 evicted; queued for 3 h dropped',
    who: 'Erigon 2026',
    source: 'pool.go',
    adapter: 'rebroadcast',
  },
  {
    id: 'E-51',
    behaviour: 'Sending: after a reorganisation: geth puts transactions back; EDR and anvil forget',
    who: 'geth; EDR, anvil',
    source: 'run',
    adapter: 'rebroadcast',
  },
  {
    id: 'E-52',
    behaviour: 'Sending: slots per account: 16 (geth, Erigon, reth), 200 (bsc), 1 when delegated',
    who: 'geth, Erigon, reth; bsc',
    source: 'geth and bsc core/txpool/legacypool; erigon txpoolcfg.go; reth transaction-pool/src/config.rs',
    adapter: '≤ 16; addresses that delegate one at a time',
  },
  {
    id: 'E-53',
    behaviour: 'Sending: accepted, hash answered, never spread (private relays)',
    who: 'gateways',
    source: 'from memory, not checked',
    adapter: 'bump',
  },
  {
    id: 'E-54',
    behaviour: 'Fees: base fee 0, tips 0.05-0.1 gwei, `eth_gasPrice` may exceed need',
    who: 'BSC',
    source: 'chainflip#535',
    adapter: 'floor by network (D-E8)',
  },
  {
    id: 'E-55',
    behaviour:
      "Fees: `reward` absent or null for empty ranges, an empty list in a block's place; fewer blocks than asked",
    who: 'geth, Erigon; gateways',
    source: 'geth eth/gasprice/feehistory.go, erigon rpc/gasprice/feehistory.go; gateways from memory',
    adapter: 'leave such blocks out; without a base fee it is unavailable',
  },
  {
    id: 'E-56',
    behaviour:
      'Calls: revert: code 3 (geth, reth, Erigon, Nethermind, Besu now), -32000 "Execution reverted" (Besu before), -32015 (Nethermind before), -32603/-32000 "VM Exception while processing transaction: reverted…", "Transaction reverted without a reason" (EDR)',
    who: 'all',
    source:
      'geth internal/ethapi/errors.go; nethermind ErrorCodes.cs; besu RpcErrorType.java; edr_provider/src/error.rs',
    adapter: 'tell it from trouble of the node',
  },
  {
    id: 'E-57',
    behaviour: 'Calls: estimate not minimal (21,001), and no check of balance',
    who: 'EDR',
    source: 'edr_provider/tests/integration/estimate_gas.rs; run',
    adapter: 'keep own check of balance',
  },
  {
    id: 'E-58',
    behaviour:
      'Calls: state overrides unknown: -32602 "too many arguments", "Invalid call params", or ignored third parameter',
    who: 'Besu before 24.12, gateways',
    source: 'geth rpc/json.go; besu EthCall.java, CHANGELOG 24.12; gateways from memory',
    adapter: 'no address delegates',
  },
  {
    id: 'E-59',
    behaviour: 'Transport: 429 with JSON error, id null or right; -32005 "… rate exceeded"; `Retry-After`',
    who: 'providers',
    source: 'Infura, QuickNode, Alchemy documents; issues named in test-rates.ts; Ankr from memory',
    adapter: 'D-E5',
  },
  {
    id: 'E-60',
    behaviour: 'Transport: batch over the limit: one error object (-32600, -32005), `id` null or of the first',
    who: 'geth, Besu, Erigon, providers',
    source: 'geth rpc/handler.go, erigon rpc/handler.go, besu JsonRpcArrayExecutor.java; providers from documents',
    adapter: 'halve (D-E15)',
  },
]
