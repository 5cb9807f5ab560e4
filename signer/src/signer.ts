import { createHash } from 'node:crypto'
import { isEvmNetwork } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { judgeBitcoin } from './bitcoin-judge.ts'
import { requireCold } from './cold-judge.ts'
import { judgeConsolidation } from './consolidation-judge.ts'
import type { SignedEntry } from './entry.ts'
import { judgeEvm } from './evm-judge.ts'
import type { History } from './history.ts'
import type { Judgement } from './judgement.ts'
import type { Keyring } from './keyring.ts'
import { findNetworkPolicy, judgeLimits } from './limits.ts'
import type { SignatureLog } from './log.ts'
import type { NetworkPolicy, Policy } from './policy.ts'
import type { SignAnswer, SignRequest, SignerStatus } from './protocol.ts'
import { Refusal } from './refusal.ts'
import { statusOf } from './status.ts'
import { judgeSweep } from './sweep-judge.ts'
import { judgeTron } from './tron-judge.ts'

export interface SignerParts {
  policy: Policy
  keyring: Keyring
  log: SignatureLog
  history: History
  /** ms since the epoch */
  now: () => number
  /** Called when a signature is on the disk and before its answer leaves; tests stop the process there */
  afterLogged?: () => void
}

/** Requests that may wait at once; more are `busy`. */
const MAX_WAITING = 64

/** Signs one request at a time: read, judge, sign, log, answer. Either a signature is in the log or it never leaves. */
export class Signer {
  #policy: Policy
  readonly #parts: Omit<SignerParts, 'policy'>
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor({ policy, ...parts }: SignerParts) {
    this.#policy = policy
    this.#parts = parts
  }

  /** Throws a Refusal when a rule forbids it, LogFailed when the signer must stop. */
  sign(request: SignRequest): Promise<SignAnswer> {
    if (this.#waiting >= MAX_WAITING) throw new Refusal('busy', `${MAX_WAITING} requests wait already`)
    this.#waiting++
    const answer = this.#last.then(() => this.#signNow(request)).finally(() => this.#waiting--)
    this.#last = answer.catch(() => undefined)
    return answer
  }

  status(): SignerStatus {
    const { keyring, log, history, now } = this.#parts
    return statusOf(this.#policy, keyring, log, history, now())
  }

  /** Takes over a new policy for all requests after those under way. The chain of Bitcoin must stay the same. */
  replacePolicy(policy: Policy): void {
    if (chainOf(policy) !== undefined && chainOf(policy) !== this.#parts.keyring.chain) {
      throw new Error('The policy names another chain of Bitcoin: start the signer again')
    }
    this.#policy = policy
  }

  /** Waits for what is under way. */
  async drained(): Promise<void> {
    await this.#last
  }

  async #signNow(request: SignRequest): Promise<SignAnswer> {
    const { keyring, log, history, now } = this.#parts
    const policy = this.#policy
    const networkPolicy = findNetworkPolicy(policy, request)
    const requestHash = hashOf(request)
    const answered = history.answered(request, requestHash)
    if (answered) return (await log.read(answered)).answer
    const at = now()
    const judgement = judge(networkPolicy, keyring, request, at)
    history.judge(request, judgement, at)
    const approvedBy = judgeLimits(policy, networkPolicy, request, judgement, history, at)
    const entry = entryOf(request, judgement, { at, requestHash, approvedBy })
    history.record(entry, await log.append(entry))
    this.#parts.afterLogged?.()
    return entry.answer
  }
}

/** The chain of Bitcoin that the policy is for. */
export function chainOf(policy: Policy): BitcoinChain | undefined {
  const bitcoin = policy.networks.get('BITCOIN')
  return bitcoin?.network === 'BITCOIN' ? bitcoin.chain : undefined
}

function hashOf({ network, unsigned, keys }: SignRequest): string {
  const named = keys.map(({ account, branch, index }) => [account, branch, index])
  return createHash('sha256')
    .update(JSON.stringify([network, unsigned, named]))
    .digest('hex')
}

/** What the bytes do, when the policy lets them. Throws a Refusal. */
export function judge(networkPolicy: NetworkPolicy, keyring: Keyring, request: SignRequest, now: number): Judgement {
  if (request.purpose === 'rebalance' && !isEvmNetwork(networkPolicy.network)) {
    throw new Refusal('network', 'There are several hot addresses on EVM chains only')
  }
  if (request.purpose === 'cold') requireCold(networkPolicy, request)
  if (networkPolicy.network === 'BITCOIN') {
    return (request.purpose === 'consolidation' ? judgeConsolidation : judgeBitcoin)(networkPolicy, keyring, request)
  }
  if (request.purpose === 'consolidation') throw new Refusal('network', 'Coins are consolidated on Bitcoin only')
  if (networkPolicy.network === 'TRON') return judgeTron(networkPolicy, keyring, request, now)
  return (request.purpose === 'sweep' ? judgeSweep : judgeEvm)(networkPolicy, keyring, request)
}

function entryOf(
  { network, transactionId, purpose, intents, keys }: SignRequest,
  { unsignedId, conflictKeys, fee, feeSlot, changeIndex, expiresAt, authorizations, sign }: Judgement,
  { at, requestHash, approvedBy }: Pick<SignedEntry, 'at' | 'requestHash'> & { approvedBy: Record<string, string[]> },
): SignedEntry {
  return {
    kind: 'signed',
    at,
    network,
    transactionId,
    purpose,
    intents,
    keys,
    unsignedId,
    requestHash,
    conflictKeys,
    fee: fee.toString(),
    feeSlot,
    ...(changeIndex !== undefined && { changeIndex }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(authorizations && { authorizations }),
    ...(Object.keys(approvedBy).length > 0 && { approvedBy }),
    answer: sign(),
  }
}
