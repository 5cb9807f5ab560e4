import type { BroadcastResult } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed, objectOf, textOf } from '../shape.ts'
import { hashOfRaw, reasonVerdict } from './broadcast.ts'

const METHOD = 'submitpackage'
const METHOD_NOT_FOUND = -32_601
const NOT_VALIDATED = 'package-not-validated'
const MISSING = /missingorspent|missing-inputs/

/**
 * Broadcasts a child with its parent, once (Bitcoin Core 26 or newer). Returns the result for the child, or for the
 * parent when that is the cause.
 */
export const broadcastPackage = async (rpc: Rpc, parent: string, child: string): Promise<BroadcastResult> => {
  const answer = await rpc.ask({ method: METHOD, params: [[parent, child]] }, { attempts: 1 })
  if (answer.ok) return rpc.believe(METHOD, () => decode(answer.result, hashOfRaw(parent), hashOfRaw(child)))
  if (answer.code === METHOD_NOT_FOUND)
    return { kind: 'refused', reason: 'later', message: 'the node takes no packages: it is older than Bitcoin Core 26' }
  throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
}

const decode = (result: unknown, parent: string | undefined, child: string | undefined): BroadcastResult => {
  const answer = objectOf(result, 'the answer')
  const results = Object.values(objectOf(answer['tx-results'], 'tx-results')).map((one) => objectOf(one, 'a result'))
  const errorOf = (hash: string | undefined): string | undefined => {
    const shown = results.find(({ txid }) => txid === hash)
    if (hash === undefined || !shown) throw new Malformed(`nothing is said of ${hash}`)
    return shown['error'] === undefined ? undefined : textOf(shown['error'], 'error')
  }
  const [above, message] = [errorOf(parent), errorOf(child)]
  if (message === undefined) return { kind: 'accepted' }
  // src/rpc/mempool.cpp submitpackage: not validated, because the parent or the whole package was rejected.
  if (message === NOT_VALIDATED) {
    if (above !== undefined && above !== NOT_VALIDATED) return readAs(above)
    return { kind: 'refused', reason: 'later', message: textOf(answer['package_msg'], 'package_msg') }
  }
  return readAs(above !== undefined && MISSING.test(message) ? above : message)
}

const readAs = (message: string): BroadcastResult => {
  const verdict = reasonVerdict(message)
  if (verdict === 'accepted') return { kind: 'accepted' }
  return verdict === 'spent' || verdict === 'conflict'
    ? { kind: 'conflict', message }
    : { kind: 'refused', reason: verdict, message }
}
