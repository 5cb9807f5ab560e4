import { isRefused } from '@bursar/chainkit'
import {
  addressOf,
  outpointOf,
  parseTransaction,
  type BitcoinChain,
  type ParsedTransaction,
} from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import { bytesOf } from '../shape.ts'
import { readRawHex } from './raw.ts'

/** Number of transactions read at a time, and so of parents in memory. */
export const READ_AT_ONCE = 16

export interface Outpoint {
  txid: string
  vout: number
}

/** Addresses of outputs, by `outpointOf`; null for an output without an address. */
export type Owners = ReadonlyMap<string, string | null>

type Parsed = ReadonlyMap<string, ParsedTransaction>

/**
 * Reads transactions of the pool. `left`: those that left the pool after it was listed. Transactions that we can't
 * parse are left to the reading of their block. `bytes`: total size of the answers.
 */
export const readTransactions = async (
  rpc: Rpc,
  hashes: readonly string[],
): Promise<{ parsed: Map<string, ParsedTransaction>; left: string[]; bytes: number }> => {
  const parsed = new Map<string, ParsedTransaction>()
  const left: string[] = []
  let bytes = 0
  for (const [at, hex] of (await readRawHex(rpc, hashes)).entries()) {
    const hash = hashes[at]!
    if (hex === null) left.push(hash)
    else {
      const raw = rpc.believe('getrawtransaction', () => bytesOf(hex, hash))
      const transaction = parseTransaction(raw)
      bytes += raw.length
      if (!isRefused(transaction) && transaction.txid === hash) parsed.set(hash, transaction)
    }
  }
  return { parsed, left, bytes }
}

/**
 * Returns the addresses of spent outputs, as far as the node has the transactions that created them. Transactions in
 * `parsed` are not read again.
 */
export const readOwners = async (
  rpc: Rpc,
  chain: BitcoinChain,
  spent: readonly Outpoint[],
  parsed: Parsed,
): Promise<Owners> => {
  const owners = new Map<string, string | null>()
  const wanted = Map.groupBy(spent, ({ txid }) => txid)
  const take = (parents: Parsed): void => {
    for (const [txid, parent] of parents) {
      for (const input of wanted.get(txid) ?? []) {
        const script = parent.outputs[input.vout]?.script
        if (script) owners.set(outpointOf(input), addressOf(script, chain) ?? null)
      }
    }
  }
  take(parsed)
  const missing = [...wanted.keys()].filter((txid) => !parsed.has(txid))
  for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
    take((await readTransactions(rpc, missing.slice(from, from + READ_AT_ONCE))).parsed)
  }
  return owners
}
