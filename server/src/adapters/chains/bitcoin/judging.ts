import type { BroadcastResult } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, Malformed, objectOf, textOf } from '../shape.ts'
import { reasonVerdict } from './broadcast.ts'

const METHOD = 'testmempoolaccept'
const METHOD_NOT_FOUND = -32_601
/** The pool checks signatures last: a transaction rejected for its signatures passes all other checks. */
const SIGNATURES = /script-verify-flag/
/** Our own caps limit the fee. This disables the node's limit, which would be one more reason to reject. */
const ANY_FEE_RATE = 0

/**
 * Whether the node's pool would accept each transaction alone, as if its signatures were valid. Nothing is broadcast.
 */
export const judgeTransactions = async (rpc: Rpc, raws: readonly string[]): Promise<BroadcastResult[]> => {
  const answers = await rpc.askAll(raws.map((raw) => ({ method: METHOD, params: [[raw], ANY_FEE_RATE] })))
  return answers.map((answer) => {
    if (answer.ok) return rpc.believe(METHOD, () => decode(answer.result))
    if (answer.code === METHOD_NOT_FOUND) return { kind: 'accepted' }
    throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
  })
}

const decode = (result: unknown): BroadcastResult => {
  const [first, ...more] = listOf(result, 'the answer')
  if (more.length > 0) throw new Malformed('more transactions came than were asked about')
  const shown = objectOf(first, 'a transaction')
  if (shown['allowed'] === true) return { kind: 'accepted' }
  const reason = textOf(shown['reject-reason'], 'reject-reason')
  if (SIGNATURES.test(reason)) return { kind: 'accepted' }
  const message = shown['reject-details'] === undefined ? reason : textOf(shown['reject-details'], 'reject-details')
  const verdict = reasonVerdict(reason)
  switch (verdict) {
    case 'accepted':
      return { kind: 'accepted' }
    case 'spent':
    case 'conflict':
      return { kind: 'conflict', message }
    default:
      return { kind: 'refused', reason: verdict, message }
  }
}
