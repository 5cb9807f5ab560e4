/**
 * A node that knows its head, and answers of its final block and of blocks that it does not have as real ones do.
 * Doubles of row E-1, row E-2, row E-3, row E-4, row E-5, row E-6 and row E-8 of docs/dialects.md.
 */
import { evmSettingsOf } from '../../../server/src/adapters/chains/settings.ts'
import type { EvmAdapterSettings } from '../../../server/src/adapters/chains/evm/index.ts'
import { adapterBefore, refusal, type Answer } from '../scripted-evm-node.ts'

export const HEAD = 100
export const hashAt = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
export const shownAt = (height: number): Answer => ({
  result: {
    number: `0x${height.toString(16)}`,
    hash: hashAt(height),
    parentHash: hashAt(Math.max(0, height - 1)),
    timestamp: '0x1',
    transactions: [],
  },
})

/** How a node says that it does not know its final block yet. */
export const NO_FINAL: readonly [client: string, said: Answer][] = [
  // go-ethereum of August 2026 and bsc of April 2026, eth/api_backend.go.
  ['row E-1: geth and bsc', refusal(-32000, 'finalized block not found')],
  // Erigon 3, rpc/rpchelper/rpc_block.go; ethereum/execution-apis, block.yaml; Besu of March 2026, RpcErrorType.java
  // (UNKNOWN_BLOCK).
  ['row E-2: Erigon and Besu', refusal(-39001, 'Unknown block')],
  // reth of August 2026, crates/rpc/rpc-eth-api/src/helpers/block.rs: a tag without a block is no error.
  ['row E-3: reth', { result: null }],
]

/** Blocks that nodes call final, and the height that the adapter uses. */
export const FINAL: readonly [
  client: string,
  network: 'ETHEREUM' | 'BINANCE_SMART_CHAIN',
  said: number,
  believed: number,
][] = [
  // EDR 0.22, crates/edr_provider/src/data.rs; reth-bsc of August 2025, src/node/network/block_import/service.rs.
  ['row E-4: Hardhat: the head', 'ETHEREUM', HEAD, HEAD - 31],
  ['row E-4: reth-bsc of August 2025: the head', 'BINANCE_SMART_CHAIN', HEAD, HEAD - 1],
  // bsc 1.6, consensus/parlia/parlia.go, GetFinalizedHeader: block 0 while there is no attestation.
  ['row E-5: bsc without attestations: block 0', 'BINANCE_SMART_CHAIN', 0, 0],
  // The same file: two blocks below the head, or one with votes in the pool (BEP-590).
  ['row E-6: bsc: two blocks below the head', 'BINANCE_SMART_CHAIN', HEAD - 2, HEAD - 2],
  ['row E-6: bsc with votes in its pool: one block below', 'BINANCE_SMART_CHAIN', HEAD - 1, HEAD - 1],
  ['geth: two epochs below', 'ETHEREUM', HEAD - 70, HEAD - 70],
]

/** How nodes say that they have no block of a height. */
export const BEYOND: readonly [client: string, said: Answer][] = [
  ['geth, Erigon, reth, Besu and Nethermind: null', { result: null }],
  ['gateways, from memory', refusal(-32000, 'header not found')],
  // reth of August 2026, crates/rpc/rpc-eth-types/src/error/mod.rs (ResourceNotFound).
  ['reth, of other questions', refusal(-32001, 'block not found: 0x65')],
  // ethereum/execution-apis, block.yaml.
  ['the specification', refusal(-39001, 'Unknown block')],
]

/** A node with blocks up to `HEAD`. `says` answers for the tag `finalized` and for heights that it does not have. */
export const nodeAtHead = async (
  says: { finalized?: Answer; beyond?: Answer },
  given: Partial<EvmAdapterSettings> = {},
) => {
  const network = given.network ?? 'ETHEREUM'
  const placed = ([place]: unknown[]): Answer => {
    if (place === 'finalized') return says.finalized ?? { result: null }
    const height = place === 'latest' ? HEAD : Number(place)
    return height > HEAD ? (says.beyond ?? { result: null }) : shownAt(height)
  }
  const { finality, leastFinalDepth } = evmSettingsOf(network, { url: 'http://127.0.0.1', chainId: 1 })
  return (await adapterBefore({ eth_getBlockByNumber: placed }, { finality, leastFinalDepth, ...given })).adapter
}
