/**
 * The pool of a node of Ethereum's kind as its sender sees it. Double of row E-50, row E-51, row E-52, row E-53 and
 * row E-57 of docs/dialects.md: it forgets what it has accepted, accepts some transactions of one sender only, or
 * never spreads any, and estimates without a look at balances. Only tests of this module use it.
 */
import { fromHex, isHex, transactionHash } from '@bursar/chainkit/evm'
import type { BroadcastResult, GasEstimate } from '../../adapters/chains/port.ts'

/**
 * Transactions of one sender that a pool accepts by default: go-ethereum (core/txpool/legacypool), Erigon 3
 * (txnprovider/txpool/txpoolcfg) and reth (crates/transaction-pool/src/config.rs) of August 2026; bsc of April 2026 has
 * 200. All have 1 for a sender that delegates to code.
 */
export const SLOTS = 16

/**
 * EDR 0.22 (run; crates/edr_provider/tests/integration/estimate_gas.rs): the estimate of a plain payment is not the
 * least, and the balance of the sender is not looked at.
 */
export const CARELESS_ESTIMATE: GasEstimate = { ok: true, gas: 21_001n }

export interface TestPool {
  /** bytes that were handed over, in order */
  handed: string[]
  /** hashes of what it has */
  has: Set<string>
  refused: number
  broadcast(raw: string): BroadcastResult
  /**
   * Erigon of 2026 (txnprovider/txpool/pool.go) drops what waits behind a gap of nonces or has waited for 3 hours.
   * Hardhat's node and anvil drop what was in a block that is undone, where geth puts it back (run).
   */
  forget(): void
  /** The hashes leave it with a block. */
  mine(hashes: readonly string[]): void
}

const hashOf = (raw: string): string => {
  if (!isHex(raw)) throw new Error(`no bytes: ${raw}`)
  return transactionHash(fromHex(raw))
}

export const createTestPool = (): TestPool => {
  const pool: TestPool = {
    handed: [],
    has: new Set(),
    refused: 0,
    broadcast: (raw) => {
      pool.handed.push(raw)
      const hash = hashOf(raw)
      if (!pool.has.has(hash) && pool.has.size >= SLOTS) {
        pool.refused += 1
        return { kind: 'refused', reason: 'invalid', message: `account limit exceeded: pooled ${SLOTS} txs` }
      }
      pool.has.add(hash)
      return { kind: 'accepted' }
    },
    forget: () => pool.has.clear(),
    mine: (hashes) => hashes.forEach((hash) => pool.has.delete(hash)),
  }
  return pool
}
