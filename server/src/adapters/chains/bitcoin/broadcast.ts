import { isRefused } from '@bursar/chainkit'
import { parseTransaction } from '@bursar/chainkit/bitcoin'
import type { BroadcastResult } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed } from '../shape.ts'
import { hashOf } from './block.ts'
import { readStatus } from './standing.ts'

const METHOD = 'sendrawtransaction'

type Verdict = 'accepted' | 'spent' | 'fee-too-low' | 'later' | 'invalid' | 'conflict'

const VERIFY_ERROR = -25
const VERIFY_REJECTED = -26
const ALREADY_IN_CHAIN = -27
const DECODE_FAILED = -22

const MISSING = /missing[- ]inputs|missingorspent/i

/**
 * What Bitcoin Core's refusals mean: pay more, try again later, or never as it stands. The first that fits counts; of a
 * code without a pattern, every message.
 */
const VERDICTS: readonly { code: number; says?: RegExp; verdict: Verdict }[] = [
  { code: ALREADY_IN_CHAIN, verdict: 'accepted' },
  {
    code: VERIFY_REJECTED,
    says: /^txn-already-(in-mempool|known)|^txn-same-nonwitness-data-in-mempool/,
    verdict: 'accepted',
  },
  // An input is not there: another transaction spent it, or this very one did and its outputs are spent too.
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

/** Hands a transaction over once: a caller that gets `ChainUnavailable` does not know whether the node took it. */
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

/** What the reason of a refused transaction means, as the pool words it without a code. */
export const reasonVerdict = (reason: string): Verdict => verdictOf(VERIFY_REJECTED, reason)!

/** Undefined when the node speaks of itself (it is loading, it is out of memory) and not of the transaction. */
export const verdictOf = (code: number, message: string): Verdict | undefined =>
  VERDICTS.find((one) => one.code === code && (one.says?.test(message) ?? true))?.verdict

/** Undefined for what is no transaction to us: then the node says what is wrong with it. */
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
