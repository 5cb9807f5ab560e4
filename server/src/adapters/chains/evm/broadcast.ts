import { fromHex, isHex, transactionHash } from '@bursar/chainkit/evm'
import type { BroadcastResult } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed } from '../shape.ts'
import { hashOf } from './quantity.ts'
import { readStatus } from './standing.ts'

const METHOD = 'eth_sendRawTransaction'

type Verdict = 'accepted' | 'nonce-used' | 'fee-too-low' | 'insufficient-funds' | 'invalid' | 'node-trouble'

/**
 * What the refusals of geth, bsc, reth, erigon, nethermind, besu and anvil mean: their text is all there is to go by,
 * since most carry one code. The first that fits counts.
 */
const VERDICTS: readonly { says: RegExp; verdict: Verdict }[] = [
  { says: /already (known|imported|exists)|known transaction|alreadyknown/i, verdict: 'accepted' },
  { says: /nonce (is )?too low|old ?nonce|nonce has already been used/i, verdict: 'nonce-used' },
  {
    says: /underpriced|fee ?too ?low|(fee|price)[^,]* (is )?(less|lower|below)|gas price too low|price below/i,
    verdict: 'fee-too-low',
  },
  { says: /insufficient ?(funds|balance)|exceeds account balance/i, verdict: 'insufficient-funds' },
  { says: /rate limit|too many requests|txpool is full|time(d )?out/i, verdict: 'node-trouble' },
]
/** With these codes nodes refuse transactions; with any other they speak of themselves, or of the caller's quota. */
const REFUSAL_CODES = new Set([-32000, -32003, -32010, -32602])

/** Hands a transaction over once: whoever gets `ChainUnavailable` does not know whether the node took it. */
export const broadcastTransaction = async (rpc: Rpc, raw: string): Promise<BroadcastResult> => {
  const bytes = raw.startsWith('0x') ? raw : `0x${raw}`
  if (!isHex(bytes)) return { kind: 'refused', reason: 'invalid', message: 'a transaction is written in hex' }
  const hash = transactionHash(fromHex(bytes))
  const answer = await rpc.ask({ method: METHOD, params: [bytes] }, { attempts: 1 })
  if (answer.ok) return rpc.believe(METHOD, () => acceptedAs(hash, answer.result))
  const { message, code } = answer
  switch (verdictOf(code, message)) {
    case 'accepted':
      return { kind: 'accepted' }
    case 'nonce-used':
      return (await isKnown(rpc, hash)) ? { kind: 'accepted' } : { kind: 'conflict', message }
    case 'fee-too-low':
      return { kind: 'refused', reason: 'fee-too-low', message }
    case 'insufficient-funds':
      return { kind: 'refused', reason: 'insufficient-funds', message }
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

export const verdictOf = (code: number, message: string): Verdict =>
  VERDICTS.find(({ says }) => says.test(message))?.verdict ?? (REFUSAL_CODES.has(code) ? 'invalid' : 'node-trouble')

/** A nonce that is used up may be used up by this very transaction. */
const isKnown = async (rpc: Rpc, hash: string): Promise<boolean> => (await readStatus(rpc, hash)).kind !== 'unknown'
