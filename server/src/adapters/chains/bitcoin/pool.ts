import type { ChainTransaction } from '@bursar/chainkit'
import { addressOf, outpointOf, type BitcoinChain, type ParsedTransaction } from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import { listOf } from '../shape.ts'
import { hashOf } from './block.ts'
import { READ_AT_ONCE, readOwners, readTransactions, type Owners } from './owners.ts'

/**
 * Maximum number of transactions, and of outputs they spend, in one reading; their bytes are limited too. The rest of
 * the pool is left to the next reading. A pool of 300 MB may consist of transactions of 400,000 bytes.
 */
const MOST_READ = 1_000
const MOST_INPUTS = 5_000
const MOST_BYTES = 16 * 1024 * 1024
/** A reading of the pool. */
export interface PoolReading {
  hashes: Set<string>
  added: ChainTransaction[]
  /** the part of `hashes` that has not been read yet */
  unread: ReadonlySet<string>
}

/**
 * Lists the pool and reads transactions that are not in `known`, in pages, since after a start all of a full pool is
 * unknown. A transaction names all its senders, or none when the node lacks one of its parents.
 */
export const readPool = async (rpc: Rpc, chain: BitcoinChain, known: ReadonlySet<string>): Promise<PoolReading> => {
  const list = await rpc.read('getrawmempool', [], (result) =>
    listOf(result, 'the pool').map((one) => hashOf(one, 'a hash')),
  )
  const hashes = new Set(list)
  const fresh = list.filter((hash) => !known.has(hash))
  const { parsed, left, read } = await readFirst(rpc, fresh.slice(0, MOST_READ))
  for (const hash of left) hashes.delete(hash)
  const taken = upToInputs([...parsed.values()])
  const later = [...parsed.keys()].slice(taken.length)
  const owners = await readOwners(
    rpc,
    chain,
    taken.flatMap(({ inputs }) => inputs),
    parsed,
  )
  return {
    hashes,
    added: taken.map((transaction) => observationOf(transaction, owners, chain)),
    unread: new Set([...later, ...fresh.slice(read)]),
  }
}

/**
 * Reads leading transactions up to the limit of bytes held in memory.
 * @returns the transactions, and in `read` the number of hashes processed
 */
const readFirst = async (
  rpc: Rpc,
  hashes: readonly string[],
): Promise<{ parsed: Map<string, ParsedTransaction>; left: string[]; read: number }> => {
  const parsed = new Map<string, ParsedTransaction>()
  const left: string[] = []
  let read = 0
  for (let bytes = 0; read < hashes.length && bytes < MOST_BYTES; read += READ_AT_ONCE) {
    const some = await readTransactions(rpc, hashes.slice(read, read + READ_AT_ONCE))
    for (const [hash, transaction] of some.parsed) parsed.set(hash, transaction)
    left.push(...some.left)
    bytes += some.bytes
  }
  return { parsed, left, read: Math.min(read, hashes.length) }
}

/** Leading transactions whose inputs fit in one reading, at least one. */
const upToInputs = (transactions: readonly ParsedTransaction[]): ParsedTransaction[] => {
  let inputs = 0
  const end = transactions.findIndex((transaction, at) => (inputs += transaction.inputs.length) > MOST_INPUTS && at > 0)
  return transactions.slice(0, end < 0 ? transactions.length : end)
}

const observationOf = (transaction: ParsedTransaction, owners: Owners, chain: BitcoinChain): ChainTransaction => {
  const from = sendersOf(transaction, owners)
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

/**
 * Senders of a transaction. When a parent is missing, none are named until the block names them, because a partial list
 * would look complete.
 */
const sendersOf = ({ inputs }: ParsedTransaction, owners: Owners): string[] => {
  const spent = inputs.map((input) => owners.get(outpointOf(input)))
  if (spent.some((owner) => owner === undefined)) return []
  return [...new Set(spent.filter((owner) => typeof owner === 'string'))]
}
