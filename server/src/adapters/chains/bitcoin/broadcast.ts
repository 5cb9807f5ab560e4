import { isRefused } from '@bursar/chainkit'
import { parseTransaction } from '@bursar/chainkit/bitcoin'
import type { BroadcastResult } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed } from '../shape.ts'
import { hashOf } from './block.ts'
import { readStatus } from './status.ts'

const METHOD = 'sendrawtransaction'

type Verdict = 'accepted' | 'spent' | 'fee-too-low' | 'later' | 'invalid' | 'conflict'

const VERIFY_ERROR = -25
const VERIFY_REJECTED = -26
const ALREADY_IN_CHAIN = -27
const DECODE_FAILED = -22

const MISSING = /missing[- ]inputs|missingorspent/i

/**
 * Verdicts for Bitcoin Core's refusals. The first match counts. An entry without a pattern matches every message of its
 * code.
 */
const VERDICTS: readonly { code: number; says?: RegExp; verdict: Verdict }[] = [
  { code: ALREADY_IN_CHAIN, verdict: 'accepted' },
  {
    code: VERIFY_REJECTED,
    says: /^txn-already-(in-mempool|known)|^txn-same-nonwitness-data-in-mempool/,
    verdict: 'accepted',
  },
  // An input is missing: another transaction spent it, or this transaction did and its own outputs are spent too.
  { code: VERIFY_ERROR, says: MISSING, verdict: 'spent' },
  { code: VERIFY_REJECTED, says: MISSING, verdict: 'spent' },
  { code: VERIFY_REJECTED, says: /^txn-mempool-conflict|^bad-txns-spends-conflicting-tx/, verdict: 'conflict' },
  {
    code: VERIFY_REJECTED,
    says: /^m(in relay|empool min) fee not met|^mempool full|^insufficient fee|^replacement-failed/,
    verdict: 'fee-too-low',
  },
  {
    code: VERIFY_REJECTED,
    says: /^bad-txns-premature-spend-of-coinbase|^too-long-mempool-chain|^too-large-cluster|^TRUC-violation|^truc-|^v3-rule-violation|^missing-ephemeral-spends|^replacement-adds-unconfirmed|^too many potential replacements|^non-(BIP68-)?final/,
    verdict: 'later',
  },
  { code: VERIFY_ERROR, verdict: 'invalid' },
  { code: VERIFY_REJECTED, verdict: 'invalid' },
  { code: DECODE_FAILED, verdict: 'invalid' },
]

/** Broadcasts a transaction once. After `ChainUnavailable` it is unknown whether the node accepted it. */
export const broadcastTransaction = async (rpc: Rpc, raw: string): Promise<BroadcastResult> => {
  const hash = hashOfRaw(raw)
  const answer = await rpc.ask({ method: METHOD, params: [raw] }, { attempts: 1 })
  if (answer.ok) return rpc.believe(METHOD, () => acceptedAs(hash, answer.result))
  const { message } = answer
  const verdict = verdictOf(answer.code, message)
  switch (verdict) {
    case 'accepted':
      return { kind: 'accepted' }
    case 'spent':
      return (await isKnown(rpc, hash)) ? { kind: 'accepted' } : { kind: 'conflict', message }
    case 'conflict':
      return { kind: 'conflict', message }
    case 'fee-too-low':
    case 'later':
    case 'invalid':
      return { kind: 'refused', reason: verdict, message }
    default:
      throw rpc.unavailable(METHOD, `refused: ${message} (${answer.code})`)
  }
}

/** Verdict for a reject reason of the pool, which has no code. */
export const reasonVerdict = (reason: string): Verdict => verdictOf(VERIFY_REJECTED, reason)!

/**
 * Verdict for a refusal. Undefined when the error concerns the node (loading, out of memory) and not the transaction.
 */
export const verdictOf = (code: number, message: string): Verdict | undefined =>
  VERDICTS.find((one) => one.code === code && (one.says?.test(message) ?? true))?.verdict

/** Hash of a raw transaction. Undefined when we can't parse it; the node then reports the error. */
export const hashOfRaw = (raw: string): string | undefined => {
  const transaction = parseTransaction(Buffer.from(raw, 'hex'))
  return isRefused(transaction) ? undefined : transaction.txid
}

const acceptedAs = (hash: string | undefined, result: unknown): BroadcastResult => {
  if (hashOf(result, 'the answer') !== hash) throw new Malformed(`${hash} was taken as ${String(result)}`)
  return { kind: 'accepted' }
}

const isKnown = async (rpc: Rpc, hash: string | undefined): Promise<boolean> =>
  hash !== undefined && (await readStatus(rpc, hash)).kind !== 'unknown'
