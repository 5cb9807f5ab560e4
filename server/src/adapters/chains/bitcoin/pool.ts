import { isRefused, type ChainTransaction } from '@bursar/chainkit'
import {
  addressOf,
  outpointOf,
  parseTransaction,
  type BitcoinChain,
  type ParsedTransaction,
} from '@bursar/chainkit/bitcoin'
import { ChainUnavailable } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { bytesOf, listOf } from '../shape.ts'
import { hashOf } from './block.ts'

/** RPC_INVALID_ADDRESS_OR_KEY: no such transaction. */
export const NOT_FOUND = -5
/** So many transactions at most are asked for to learn who sent what is new: after a start, all of the pool is. */
const MOST_PARENTS = 2_000

type Parsed = ReadonlyMap<string, ParsedTransaction>

/**
 * What is in the pool, and the transactions of it that are not in `known`. Their senders are named when the
 * transactions they spend can be had cheaply: in the steady state always, of a full pool read at the start only some.
 */
export const readPool = async (
  rpc: Rpc,
  chain: BitcoinChain,
  known: ReadonlySet<string>,
): Promise<{ hashes: Set<string>; added: ChainTransaction[] }> => {
  const list = await rpc.read('getrawmempool', [], (result) =>
    listOf(result, 'the pool').map((one) => hashOf(one, 'a hash')),
  )
  const hashes = new Set(list)
  const fresh = list.filter((hash) => !known.has(hash))
  const { parsed, left } = await readTransactions(rpc, fresh)
  for (const hash of left) hashes.delete(hash)
  const parents = await readParents(rpc, parsed)
  return { hashes, added: [...parsed.values()].map((transaction) => observationOf(transaction, parents, chain)) }
}

/** What left the pool since it was listed is `left`. What we can't read waits for its block, which the node reads. */
const readTransactions = async (
  rpc: Rpc,
  hashes: readonly string[],
): Promise<{ parsed: Map<string, ParsedTransaction>; left: string[] }> => {
  const answers = await rpc.askAll(hashes.map((hash) => ({ method: 'getrawtransaction', params: [hash, 0] })))
  const parsed = new Map<string, ParsedTransaction>()
  const left: string[] = []
  for (const [at, answer] of answers.entries()) {
    const hash = hashes[at]!
    if (!answer.ok && answer.code !== NOT_FOUND)
      throw rpc.unavailable('getrawtransaction', `refused: ${answer.message} (${answer.code})`)
    if (!answer.ok) left.push(hash)
    else {
      const transaction = rpc.believe('getrawtransaction', () => parseTransaction(bytesOf(answer.result, hash)))
      if (!isRefused(transaction) && transaction.txid === hash) parsed.set(hash, transaction)
    }
  }
  return { parsed, left }
}

/** The transactions whose outputs these spend, as far as the node gives them. */
const readParents = async (rpc: Rpc, parsed: Parsed): Promise<Parsed> => {
  const wanted = new Set([...parsed.values()].flatMap(({ inputs }) => inputs.map(({ txid }) => txid)))
  const missing = [...wanted].filter((hash) => !parsed.has(hash)).slice(0, MOST_PARENTS)
  try {
    const read = await readTransactions(rpc, missing)
    return new Map([...parsed, ...read.parsed])
  } catch (error) {
    // Senders are worth less than the sighting itself.
    if (error instanceof ChainUnavailable) return parsed
    throw error
  }
}

const observationOf = (transaction: ParsedTransaction, parents: Parsed, chain: BitcoinChain): ChainTransaction => {
  const from = sendersOf(transaction, parents, chain)
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

const sendersOf = ({ inputs }: ParsedTransaction, parents: Parsed, chain: BitcoinChain): string[] => {
  const scripts = inputs.flatMap(({ txid, vout }) => parents.get(txid)?.outputs[vout]?.script ?? [])
  return [...new Set(scripts.flatMap((script) => addressOf(script, chain) ?? []))]
}
