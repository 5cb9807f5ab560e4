import { fromHex, isHex, transactionHash } from '@bursar/chainkit/evm'
import type { BroadcastResult } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed } from '../shape.ts'
import { hashOf } from './quantity.ts'
import { readStatus } from './status.ts'
import { verdictOf } from './verdicts.ts'

const METHOD = 'eth_sendRawTransaction'

/** Broadcasts a transaction once. After `ChainUnavailable` it is unknown whether the node accepted it. */
export const broadcastTransaction = async (rpc: Rpc, raw: string): Promise<BroadcastResult> => {
  const bytes = raw.startsWith('0x') ? raw : `0x${raw}`
  if (!isHex(bytes)) return { kind: 'refused', reason: 'invalid', message: 'a transaction is written in hex' }
  const hash = transactionHash(fromHex(bytes))
  const answer = await rpc.ask({ method: METHOD, params: [bytes] }, { attempts: 1 })
  if (answer.ok) return rpc.believe(METHOD, () => acceptedAs(hash, answer.result))
  const { message, code } = answer
  switch (verdictOf(code, message)) {
    case 'known':
      // Nethermind also answers this for a transaction it has refused, until the next block (AlreadyKnownTxFilter.cs).
      return (await isKnown(rpc, hash))
        ? { kind: 'accepted' }
        : { kind: 'refused', reason: 'later', message: `${message}, and the node does not show it` }
    case 'seen-before':
      // The node no longer accepts this transaction, but accepts one with a higher fee.
      return (await isKnown(rpc, hash))
        ? { kind: 'accepted' }
        : { kind: 'refused', reason: 'fee-too-low', message: `${message}, and the node does not have it` }
    case 'nonce-used':
      return (await isKnown(rpc, hash)) ? { kind: 'accepted' } : { kind: 'conflict', message }
    case 'fee-too-low':
      return { kind: 'refused', reason: 'fee-too-low', message }
    case 'insufficient-funds':
      return { kind: 'refused', reason: 'insufficient-funds', message }
    case 'not-now':
      return { kind: 'refused', reason: 'later', message }
    case 'invalid':
      return { kind: 'refused', reason: 'invalid', message }
    case 'node-trouble':
      throw rpc.unavailable(METHOD, `refused: ${message} (${code})`)
  }
}

const acceptedAs = (hash: string, result: unknown): BroadcastResult => {
  if (hashOf(result, 'the answer') !== hash) throw new Malformed(`${hash} was taken as ${String(result)}`)
  return { kind: 'accepted' }
}

/** Whether the node knows the transaction. A used nonce may have been used by this transaction itself. */
const isKnown = async (rpc: Rpc, hash: string): Promise<boolean> => (await readStatus(rpc, hash)).kind !== 'unknown'
