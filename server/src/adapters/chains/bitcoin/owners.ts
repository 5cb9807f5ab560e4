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

/** So many transactions are read at a time, and the bytes of so many parents at most are in memory. */
export const READ_AT_ONCE = 16

export interface Outpoint {
  txid: string
  vout: number
}

/** Addresses of outputs, by `outpointOf`; null for an output that pays to none. */
export type Owners = ReadonlyMap<string, string | null>

type Parsed = ReadonlyMap<string, ParsedTransaction>

/**
 * What left the pool since it was listed is `left`. What we can't read waits for its block, which the node reads.
 * `bytes`: of all that came.
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
 * Whom outputs that are spent paid, as far as the node has the transactions that made them; those in `parsed` need not
 * be read.
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
