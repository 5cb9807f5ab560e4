import { createHash } from 'node:crypto'
import { isEvmNetwork } from '@bursar/chainkit'
import type { Network } from '@bursar/chainkit'
import type { BitcoinChain } from '@bursar/chainkit/bitcoin'
import { judgeBitcoin } from '../rules/bitcoin/payout.ts'
import { requireCold } from '../rules/cold/cold.ts'
import { findCarried } from '../rules/carried-approvals.ts'
import type { CarriedApprovals } from '../rules/carried-approvals.ts'
import { judgeConsolidation } from '../rules/bitcoin/consolidation.ts'
import type { SignedEntry } from '../log/entry.ts'
import { judgeEvm } from '../rules/evm/payment.ts'
import type { History } from '../log/history.ts'
import type { Judgement } from '../rules/judgement.ts'
import type { Keyring } from '../keys/keyring.ts'
import { Approvals } from '../approvals/approvals.ts'
import { checkPayments, findNetworkPolicy, judgeLimits, usedApprovals } from '../rules/limits.ts'
import { judgeRotation, requireRotatable } from '../rules/rotation.ts'
import { LogBroken } from '../log/log-chain.ts'
import type { SignatureLog } from '../log/log.ts'
import type { NetworkPolicy, Policy } from '../policy/policy.ts'
import { withoutBytes } from '../protocol/log-lines.ts'
import type {
  CheckRequest,
  Intent,
  IntentRefusal,
  LogEnd,
  SignAnswer,
  SignRequest,
  SignedTransaction,
  SignerStatus,
} from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { statusOf } from './status.ts'
import { judgeSweep } from '../rules/evm/sweep.ts'
import { judgeTron } from '../rules/tron/payment.ts'
import { Turns } from './turns.ts'

export interface SignerParts {
  policy: Policy
  keyring: Keyring
  log: SignatureLog
  history: History
  /** ms since the epoch */
  now: () => number
  /** Where people approve payments: the origin of the signer's page; absent when it has none */
  approvalsAt?: string
}

/** Most requests in progress and waiting; more are refused as `busy`. */
const MAX_WAITING = 64

/** Most bytes of lines in one answer. JSON text within JSON grows by a fifth; a client reads at most 4 MiB. */
const LINES_BYTES = 1024 * 1024

/**
 * Signs one request at a time: judge, sign, add to the log. Each request is judged by the lines of all earlier ones. A
 * group of requests is answered together, after the lines of the group are on the disk; refusals wait too, because an
 * earlier line of the group may be the reason.
 */
export class Signer {
  /** The payments that wait for approvals */
  readonly approvals: Approvals
  #policy: Policy
  readonly #parts: Omit<SignerParts, 'policy'>
  readonly #turns: Turns
  #waiting = 0

  constructor({ policy, ...parts }: SignerParts) {
    this.#policy = policy
    this.#parts = parts
    const { history, log, now } = parts
    this.#turns = new Turns(() => log.sync())
    this.approvals = new Approvals({
      policy: () => this.#policy,
      history,
      now,
      origin: parts.approvalsAt,
      append: (make) =>
        this.#inTurn(async () => {
          const entry = make()
          if (entry) await log.add(entry)
        }),
    })
  }

  /** Signs a transaction. Throws a Refusal when a rule forbids it, LogFailed when the signer must stop. */
  sign(request: SignRequest): Promise<SignAnswer> {
    return this.#inTurn(() => this.#signNow(request))
  }

  /**
   * Closes an intent if nothing was signed for it; nothing is signed for it afterwards. Otherwise the intent stays
   * open.
   * @returns the intent's transactions, in the order of signing; an empty list means that the intent is closed. Throws
   *   LogFailed when the signer must stop.
   */
  closeIntent(intentId: string): Promise<SignedTransaction[]> {
    return this.#inTurn(() => this.#closeIntentNow(intentId))
  }

  /**
   * Returns the payments that would be refused, each judged as if the payments before it that pass had been signed.
   * Fees are not judged, as there is no transaction yet. Waits for the requests that came before.
   */
  async check(request: CheckRequest): Promise<IntentRefusal[]> {
    const { history, now } = this.#parts
    const policy = this.#policy
    const carried = await findCarried(policy, request, now())
    const refusals = await this.#turns.take(async () => checkPayments(policy, history, { ...request, carried }, now()))
    return refusals.map((refusal) => {
      if (refusal.refused !== 'needs-approval') return refusal
      return { ...refusal, message: this.#lacksApproval(request, refusal.message, [refusal.id]) }
    })
  }

  /** Lists the intents that lack approvals, and returns the text of the refusal, which says where to approve. */
  #lacksApproval(
    { network, intents }: { network: Network; intents: readonly Intent[] },
    message: string,
    ids: readonly string[],
  ): string {
    const isListed = intents.filter(({ id }) => ids.includes(id)).every((one) => this.approvals.wait(network, one))
    const { approvalsAt } = this.#parts
    const where = approvalsAt === undefined ? 'by bursar-signer approve' : `at ${approvalsAt}`
    return `${message}: approve it ${isListed ? where : 'later, because the list of payments that wait is full'}`
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) throw new Refusal('busy', `${MAX_WAITING} requests wait already`)
    this.#waiting++
    return this.#turns.take(work).finally(() => this.#waiting--)
  }

  /**
   * Returns every transaction signed for an intent, in the order of signing. Waits for the requests that came before.
   */
  transactionsOf(intentId: string): Promise<SignedTransaction[]> {
    return this.#turns.take(() => this.#transactionsNow(intentId))
  }

  /**
   * Returns the texts of the lines of the log from a number on, in order; empty past its end. An answer has about
   * 1 MiB; the caller asks again for the lines after it.
   */
  logLines(from: number): Promise<string[]> {
    const { log, history } = this.#parts
    return this.#turns.take(() =>
      Promise.all(history.positionsFrom(from, LINES_BYTES).map((position) => log.readText(position))),
    )
  }

  async #closeIntentNow(intentId: string): Promise<SignedTransaction[]> {
    const { log, history, now } = this.#parts
    if (history.isKnown(intentId)) return this.#transactionsNow(intentId)
    if (history.isClosed(intentId)) return []
    const entry = { kind: 'closed', at: now(), intent: intentId } as const
    await log.add(entry)
    return []
  }

  async #transactionsNow(intentId: string): Promise<SignedTransaction[]> {
    const { log, history } = this.#parts
    const entries = await Promise.all(history.positionsOf(intentId).map((position) => log.read(position)))
    return entries.map((entry) => this.#showSigned(entry))
  }

  /** Throws the Refusal `log-cut-back` when the log does not contain a line that a caller has seen. */
  requireLog(seen: LogEnd): void {
    const { length, head } = this.logEnd
    // A line beyond this end is not on the disk yet: no caller has seen it.
    if (seen.length <= length && this.#parts.history.holds(seen)) return
    throw new Refusal(
      'log-cut-back',
      `The log does not hold line ${seen.length} with the hash ${seen.head}: it has ${length} lines and the head ${head}. Put the right log back before anything is signed`,
    )
  }

  /** The end of the lines that are on the disk. */
  get logEnd(): LogEnd {
    const { length, head } = this.#parts.log
    return { length, head }
  }

  status(): SignerStatus {
    const { keyring, log, history, now } = this.#parts
    return statusOf(this.#policy, keyring, log, history, now())
  }

  /** Applies a new policy to all requests that have not started. Throws if it names another chain of Bitcoin. */
  replacePolicy(policy: Policy): void {
    if (chainOf(policy) !== undefined && chainOf(policy) !== this.#parts.keyring.chain) {
      throw new Error('The policy names another chain of Bitcoin: start the signer again')
    }
    requireRotatable(this.#parts.keyring, policy)
    this.#policy = policy
  }

  /** Waits for the requests in progress. */
  async drained(): Promise<void> {
    await this.#turns.drained()
  }

  /**
   * Describes a signed transaction. While the kill switch is on, the signed bytes are left out, but the transaction is
   * still listed.
   */
  #showSigned(entry: SignedEntry): SignedTransaction {
    return { ...withoutBytes(entry), ...(this.#allows(entry) && { signed: entry.answer.signed }) }
  }

  #allows(entry: SignedEntry): boolean {
    try {
      findNetworkPolicy(this.#policy, entry)
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }

  async #signNow(request: SignRequest): Promise<SignAnswer> {
    const { keyring, log, history, now } = this.#parts
    const policy = this.#policy
    const requestHash = hashOf(request)
    // This comes before the policy: the transaction exists, and a refusal would make the caller believe that it does
    // not.
    const answered = history.answered(request, requestHash)
    if (answered) return answerTo(requestHash, await log.read(answered))
    const networkPolicy = findNetworkPolicy(policy, request)
    const at = now()
    const judgement = judge(networkPolicy, keyring, request, at)
    history.judge(request, judgement, at)
    judgeRotation(
      keyring,
      request,
      judgement,
      request.intents.length > 0 && request.intents.every(({ id }) => history.isKnown(id)),
    )
    const carried = await findCarried(policy, request, at)
    const approvedBy = this.#judgeLimits(policy, networkPolicy, request, { judgement, carried }, at)
    const used = usedApprovals(request, carried, history)
    const entry = entryOf(request, judgement, { at, requestHash, approvedBy, usedApprovals: used })
    await log.add(entry)
    this.approvals.signed(request.network, request.intents)
    return entry.answer
  }

  #judgeLimits(
    policy: Policy,
    networkPolicy: NetworkPolicy,
    request: SignRequest,
    judged: { judgement: Judgement; carried: CarriedApprovals },
    at: number,
  ): Record<string, string[]> {
    try {
      return judgeLimits(policy, networkPolicy, request, judged, this.#parts.history, at)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'needs-approval') throw error
      const { message, intents = [] } = error
      throw new Refusal('needs-approval', this.#lacksApproval(request, message, intents), intents)
    }
  }
}

/** The Bitcoin chain of the policy; undefined when it does not contain Bitcoin. */
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

/** Returns the answer in the log entry. Throws when the entry belongs to another request. */
function answerTo(requestHash: string, entry: SignedEntry): SignAnswer {
  if (entry.requestHash !== requestHash) throw new LogBroken('The index of the log does not fit the log')
  return entry.answer
}

/** Parses the bytes and returns their effect. Throws a Refusal when the policy forbids it. */
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
  { unsignedId, conflictKeys, fee, feeSlot, changeIndex, expiresAt, bound, authorizations, sign }: Judgement,
  {
    at,
    requestHash,
    approvedBy,
    usedApprovals,
  }: Pick<SignedEntry, 'at' | 'requestHash'> & { approvedBy: Record<string, string[]>; usedApprovals: string[] },
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
    ...(bound && { bound }),
    ...(authorizations && { authorizations }),
    ...(Object.keys(approvedBy).length > 0 && { approvedBy }),
    ...(usedApprovals.length > 0 && { usedApprovals }),
    answer: sign(),
  }
}
