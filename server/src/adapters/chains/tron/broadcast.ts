import { isRefused } from '@bursar/chainkit'
import { parseSigned } from '@bursar/chainkit/tron'
import type { BroadcastResult } from '../port.ts'
import { bytesOf, Malformed, objectOf } from '../shape.ts'
import { hashOf, messageOf } from './fields.ts'
import type { TronNode } from './node.ts'
import type { ReadStatus } from './status.ts'

const METHOD = 'wallet/broadcasthex'

export type Verdict = 'accepted' | 'known' | 'expired' | 'insufficient-funds' | 'invalid' | 'node-trouble'

/**
 * Verdicts for java-tron's answers (`Return.response_code` in api.proto). Any other answer is a problem of the node.
 */
const VERDICTS: Readonly<Record<string, Verdict>> = {
  SUCCESS: 'accepted',
  DUP_TRANSACTION_ERROR: 'known',
  SIGERROR: 'invalid',
  CONTRACT_VALIDATE_ERROR: 'invalid',
  CONTRACT_EXE_ERROR: 'invalid',
  BANDWITH_ERROR: 'insufficient-funds',
  TAPOS_ERROR: 'expired',
  TOO_BIG_TRANSACTION_ERROR: 'invalid',
  TRANSACTION_EXPIRATION_ERROR: 'expired',
}

/** Messages of the contract validation for an insufficient balance, or an account that is not activated. */
const NO_FUNDS = /balance is not sufficient|no ?owneraccount|(owner|account) ?\[?\w*\]? (does not|doesn't|not) exist/i

export const verdictOf = (code: string, message: string): Verdict => {
  const verdict = (Object.hasOwn(VERDICTS, code) ? VERDICTS[code] : undefined) ?? 'node-trouble'
  return verdict === 'invalid' && code !== 'SIGERROR' && NO_FUNDS.test(message) ? 'insufficient-funds' : verdict
}

/**
 * Broadcasts a transaction once. After `ChainUnavailable` it is unknown whether the node accepted it. A refusal is
 * compared with the transaction's status, because a node that has it in a block may report it as expired or unpayable.
 */
export const broadcastTransaction = async (
  node: TronNode,
  readStatus: ReadStatus,
  raw: string,
): Promise<BroadcastResult> => {
  const hash = idOf(raw)
  if (hash === undefined) return { kind: 'refused', reason: 'invalid', message: 'not a signed transaction in hex' }
  const answer = await node.ask(METHOD, { transaction: raw }, { attempts: 1 })
  const { verdict, message, code } = node.believe(METHOD, () => readVerdict(answer, hash))
  if (verdict === 'accepted') return { kind: 'accepted' }
  if (verdict === 'node-trouble') throw node.unavailable(METHOD, `refused: ${message} (${code})`)
  if ((await readStatus(hash)).kind !== 'unknown') return { kind: 'accepted' }
  // With `node.rpc.trxCacheEnable` java-tron records an id before any check (`Wallet.java`), so that a refused
  // transaction is reported as known too.
  if (verdict === 'known')
    throw node.unavailable(METHOD, `the node knows ${hash} already, and has it neither in its pool nor in a block`)
  return { kind: 'refused', reason: verdict, message: `${code}: ${message}` }
}

const idOf = (raw: string): string | undefined => {
  try {
    const parsed = parseSigned(bytesOf(raw, 'the transaction'))
    return isRefused(parsed) ? undefined : parsed.hash
  } catch {
    return undefined
  }
}

const readVerdict = (answer: unknown, hash: string): { verdict: Verdict; message: string; code: string } => {
  const { result, code, txid, message, Error: failure } = objectOf(answer, 'the answer')
  if (failure !== undefined) return { verdict: 'node-trouble', message: messageOf(failure), code: 'Error' }
  const taken = txid === undefined ? undefined : hashOf(txid, 'txid')
  if (taken !== undefined && taken !== hash) throw new Malformed(`${hash} was taken as ${taken}`)
  if (result === true) {
    if (taken === undefined) throw new Malformed('taken without a txid')
    return { verdict: 'accepted', message: '', code: 'SUCCESS' }
  }
  if (typeof code !== 'string' || code === 'SUCCESS') throw new Malformed('neither taken nor refused')
  const text = messageOf(message)
  return { verdict: verdictOf(code, text), message: text, code }
}
