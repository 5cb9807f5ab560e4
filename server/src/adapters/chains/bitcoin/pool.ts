import { isRefused, type ChainTransaction } from '@bursar/chainkit'
import {
  addressOf,
  outpointOf,
  parseTransaction,
  type BitcoinChain,
  type ParsedTransaction,
} from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import { bytesOf, listOf } from '../shape.ts'
import { hashOf } from './block.ts'
import { readRawHex } from './raw.ts'

/** So many transactions are read at once, as long as they spend no more outputs than that: the rest of the pool waits for the next reading. */
const MOST_READ = 1_000
const MOST_INPUTS = 5_000
/** The parents of so many transactions at most are in memory at a time. */
const PARENTS_AT_ONCE = 16

type Parsed = ReadonlyMap<string, ParsedTransaction>
/** Scripts of outputs, by `outpointOf`. */
type Scripts = ReadonlyMap<string, Uint8Array>

/** A reading of the pool. */
export interface PoolReading {
  hashes: Set<string>
  added: ChainTransaction[]
  /** those of `hashes` that have not been read yet */
  unread: ReadonlySet<string>
}

/**
 * What is in the pool, and transactions of it that are not in `known`: a page of them, after a start when all of a full pool is new. Their senders
 * are named, all of them or none of a transaction whose parents the node does not have.
 */
export const readPool = async (rpc: Rpc, chain: BitcoinChain, known: ReadonlySet<string>): Promise<PoolReading> => {
  const list = await rpc.read('getrawmempool', [], (result) =>
    listOf(result, 'the pool').map((one) => hashOf(one, 'a hash')),
  )
  const hashes = new Set(list)
  const fresh = list.filter((hash) => !known.has(hash))
  const { parsed, left } = await readTransactions(rpc, fresh.slice(0, MOST_READ))
  for (const hash of left) hashes.delete(hash)
  const taken = upToInputs([...parsed.values()])
  const later = [...parsed.keys()].slice(taken.length)
  const scripts = await readSpent(rpc, taken, parsed)
  return {
    hashes,
    added: taken.map((transaction) => observationOf(transaction, scripts, chain)),
    unread: new Set([...later, ...fresh.slice(MOST_READ)]),
  }
}

/** As many from the beginning as spend no more than is read at once, and one at least. */
const upToInputs = (transactions: readonly ParsedTransaction[]): ParsedTransaction[] => {
  let inputs = 0
  const end = transactions.findIndex((transaction, at) => (inputs += transaction.inputs.length) > MOST_INPUTS && at > 0)
  return transactions.slice(0, end < 0 ? transactions.length : end)
}

/** What left the pool since it was listed is `left`. What we can't read waits for its block, which the node reads. */
const readTransactions = async (
  rpc: Rpc,
  hashes: readonly string[],
): Promise<{ parsed: Map<string, ParsedTransaction>; left: string[] }> => {
  const parsed = new Map<string, ParsedTransaction>()
  const left: string[] = []
  for (const [at, hex] of (await readRawHex(rpc, hashes)).entries()) {
    const hash = hashes[at]!
    if (hex === null) left.push(hash)
    else {
      const transaction = rpc.believe('getrawtransaction', () => parseTransaction(bytesOf(hex, hash)))
      if (!isRefused(transaction) && transaction.txid === hash) parsed.set(hash, transaction)
    }
  }
  return { parsed, left }
}

/** The scripts of the outputs that these spend, as far as the node has them. */
const readSpent = async (rpc: Rpc, spenders: readonly ParsedTransaction[], parsed: Parsed): Promise<Scripts> => {
  const scripts = new Map<string, Uint8Array>()
  const wanted = Map.groupBy(spenders.flatMap(({ inputs }) => inputs), ({ txid }) => txid)
  const take = (parents: Parsed): void => {
    for (const [txid, parent] of parents) {
      for (const input of wanted.get(txid) ?? []) {
        const script = parent.outputs[input.vout]?.script
        if (script) scripts.set(outpointOf(input), script)
      }
    }
  }
  take(parsed)
  const missing = [...wanted.keys()].filter((txid) => !parsed.has(txid))
  for (let from = 0; from < missing.length; from += PARENTS_AT_ONCE) {
    take((await readTransactions(rpc, missing.slice(from, from + PARENTS_AT_ONCE))).parsed)
  }
  return scripts
}

const observationOf = (transaction: ParsedTransaction, scripts: Scripts, chain: BitcoinChain): ChainTransaction => {
  const from = sendersOf(transaction, scripts, chain)
  return {
    hash: transaction.txid,
    keys: transaction.inputs.map(outpointOf),
    succeeded: true,
    fee: null,
    transfers: transaction.outputs.flatMap(({ script, units }, vout) => {
      const to = addressOf(script, chain)
      return to === undefined || units === 0n ? [] : [{ index: `o:${vout}`, contract: null, from, to, units }]
    }),
  }
}

/** Some would look like all: where a parent is missing, none are named before the block names them. */
const sendersOf = ({ inputs }: ParsedTransaction, scripts: Scripts, chain: BitcoinChain): string[] => {
  const spent = inputs.map((input) => scripts.get(outpointOf(input)))
  if (spent.some((script) => script === undefined)) return []
  return [...new Set(spent.flatMap((script) => addressOf(script!, chain) ?? []))]
}
