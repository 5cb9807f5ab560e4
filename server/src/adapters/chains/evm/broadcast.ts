import { isHex, transactionHash, fromHex } from '@bursar/chainkit/evm'
import type { BroadcastResult } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { readStatus } from './standing.ts'

type Verdict = 'accepted' | 'nonce-used' | 'fee-too-low' | 'insufficient-funds' | 'invalid' | 'node-trouble'

/**
 * What the refusals of geth, bsc, reth, erigon, nethermind and anvil mean: their text is all there is to go by, since most
 * carry one code. The first that fits counts.
 */
const VERDICTS: readonly { says: RegExp; verdict: Verdict }[] = [
  { says: /already (known|imported|exists)|known transaction|alreadyknown/i, verdict: 'accepted' },
  { says: /nonce (is )?too low|old ?nonce|nonce has already been used/i, verdict: 'nonce-used' },
  { says: /underpriced|fee ?too ?low|(fee|price)[^,]* (is )?(less|lower|below)|gas price too low|price below/i, verdict: 'fee-too-low' },
  { says: /insufficient ?(funds|balance)/i, verdict: 'insufficient-funds' },
  { says: /rate limit|too many requests|txpool is full|time(d )?out/i, verdict: 'node-trouble' },
]
/** Method not found, internal error, and providers' limits: about the node, not about the transaction. */
const TROUBLE_CODES = new Set([-32601, -32603, -32005])

/** Hands a transaction over once: whoever gets `ChainUnavailable` does not know whether the node took it. */
export const broadcastTransaction = async (rpc: Rpc, raw: string): Promise<BroadcastResult> => {
  const bytes = raw.startsWith('0x') ? raw : `0x${raw}`
  const answer = await rpc.ask({ method: 'eth_sendRawTransaction', params: [bytes] }, { attempts: 1 })
  if (answer.ok) return { kind: 'accepted' }
  const { message, code } = answer
  switch (verdictOf(code, message)) {
    case 'accepted':
      return { kind: 'accepted' }
    case 'nonce-used':
      return (await isKnown(rpc, bytes)) ? { kind: 'accepted' } : { kind: 'conflict', message }
    case 'fee-too-low':
      return { kind: 'refused', reason: 'fee-too-low', message }
    case 'insufficient-funds':
      return { kind: 'refused', reason: 'insufficient-funds', message }
    case 'invalid':
      return { kind: 'refused', reason: 'invalid', message }
    case 'node-trouble':
      throw rpc.unavailable('eth_sendRawTransaction', `refused: ${message} (${code})`)
  }
}

const verdictOf = (code: number, message: string): Verdict =>
  VERDICTS.find(({ says }) => says.test(message))?.verdict ?? (TROUBLE_CODES.has(code) ? 'node-trouble' : 'invalid')

/** A nonce that is used up may be used up by this very transaction. */
const isKnown = async (rpc: Rpc, bytes: string): Promise<boolean> =>
  isHex(bytes) && (await readStatus(rpc, transactionHash(fromHex(bytes)))).kind !== 'unknown'
