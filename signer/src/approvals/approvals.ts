import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import type { ApprovedEntry, PasskeyProof, SignatureProof } from '../log/entry.ts'
import type { History } from '../log/history.ts'
import { approvalMessage, signingKeyOf } from '../policy/approval.ts'
import type { ApproverKey } from '../policy/approvers.ts'
import type { Policy } from '../policy/policy.ts'
import type { GivenApproval, Intent, WaitingPayment } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { LATEST_TIME } from '../protocol/request.ts'
import { approvalsNeeded } from '../rules/asset-policies.ts'
import { relyingPartyOf, verifyAssertion } from '../webauthn/ceremony.ts'
import type { Assertion } from '../webauthn/ceremony.ts'
import { amountOf } from './shown.ts'
import { WaitingList } from './waiting-list.ts'

/** An approval that is not accepted. The message says what a person can do. */
export class ApprovalRefused extends Error {
  override name = 'ApprovalRefused'
  readonly code: 'not-waiting' | 'too-old' | 'not-enrolled' | 'counter'

  constructor(code: ApprovalRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface ApprovalParts {
  policy: () => Policy
  history: History
  /** ms since the epoch */
  now: () => number
  /** Origin of the page on which people use passkeys; absent when there is none */
  origin: string | undefined
  /** Appends to the log in turn with the signatures. `make` runs when it is this entry's turn. */
  append: (make: () => ApprovedEntry | undefined) => Promise<void>
}

/** A payment as the page offers it for approval. The approver signs `challenge`. */
export interface Offer {
  payment: WaitingPayment
  /** ms since the epoch: the end of the approval */
  expiresAt: number
  nonce: string
  /** SHA-256 of the approval's text with the nonce */
  challenge: Buffer
}

export type Passkey = Extract<ApproverKey, { kind: 'passkey' }>

/** How long an approval by passkey counts. Unless a limit is used up, the server has the payment signed in minutes. */
export const APPROVAL_MS: number = 24 * 3_600_000
/** How long a page may be open before its button is pressed. */
const OFFER_MS = 10 * 60_000
/** An approval by an Ed25519 key is stored beside an earlier one of the same person if it ends so much later. */
const LONGER_BY_MS = 3_600_000
const NONCE = /^[0-9a-f]{32}\.[0-9a-f]{64}$/

/**
 * The payments that wait for approvals, and the approvals that people give them. An approval is for one payment as this
 * signer parsed it, has an end, and is written to the log before it counts.
 */
export class Approvals {
  readonly #parts: ApprovalParts
  readonly #waiting = new WaitingList()
  /** Authenticates nonces, so that nothing has to be stored for a page that is only read. */
  readonly #secret = randomBytes(32)
  /** The highest counters of passkeys that signed in since the start; those of approvals are in the log. */
  readonly #counters = new Map<string, number>()

  constructor(parts: ApprovalParts) {
    this.#parts = parts
  }

  /** Adds an intent that was refused for lack of approvals. Returns false when the list is full. */
  wait(network: Network, intent: Intent): boolean {
    return this.#waiting.add(network, intent, this.#parts.now())
  }

  /** Removes intents that were signed. */
  signed(network: Network, intents: readonly Intent[]): void {
    for (const intent of intents) this.#waiting.remove(network, intent)
  }

  /** The payments that wait, the oldest first. */
  list(): WaitingPayment[] {
    const { history, now } = this.#parts
    const open = this.#waiting.list(now()).filter(({ intent }) => !history.isClosed(intent.id))
    return open.flatMap(({ network, intent, since }) => this.#describe(network, intent, since) ?? [])
  }

  /** Offers the payments that wait to an approver, each with a challenge of its own. */
  offers(approver: string): Offer[] {
    const expiresAt = this.#parts.now() + APPROVAL_MS
    return this.list().map((payment) => {
      const random = randomBytes(16).toString('hex')
      const nonce = `${random}.${this.#tagOf(payment, expiresAt, random, approver)}`
      return { payment, expiresAt, nonce, challenge: challengeOf(payment, expiresAt, nonce) }
    })
  }

  /**
   * Stores an approver's answer to an offer, unless an approval of the person counts already. Throws ApprovalRefused,
   * or AnswerRefused when the answer does not count.
   */
  async approveByPasskey(
    approver: string,
    given: { network: string; intentId: string; expiresAt: number; nonce: string; credentialId: string },
    assertion: Assertion,
  ): Promise<WaitingPayment> {
    const { expiresAt, nonce } = given
    const [random = '', tag = ''] = NONCE.test(nonce) ? nonce.split('.') : []
    const isTime = Number.isSafeInteger(expiresAt) && expiresAt <= LATEST_TIME
    const payment = (isTime ? this.#find(given) : []).find((one) =>
      isEqual(tag, this.#tagOf(one, expiresAt, random, approver)),
    )
    if (!payment) throw new ApprovalRefused('not-waiting', 'This payment does not wait, or it is another one now')
    if (this.#parts.now() > expiresAt - APPROVAL_MS + OFFER_MS)
      throw new ApprovalRefused('too-old', 'This page is too old: look at the payment again')
    const passkey = this.passkeyOf(given.credentialId)
    if (passkey?.approver !== approver)
      throw new ApprovalRefused('not-enrolled', 'This passkey is not enrolled for you')
    const { counter } = this.#verify(passkey.key, challengeOf(payment, expiresAt, nonce), assertion)
    const proof: PasskeyProof = {
      kind: 'passkey',
      nonce,
      counter,
      authenticatorData: assertion.authenticatorData.toString('base64url'),
      clientDataJSON: assertion.clientDataJSON.toString('base64url'),
      signature: assertion.signature.toString('base64url'),
    }
    await this.#store(payment, { approver, key: passkey.key.name, expiresAt, proof })
    return payment
  }

  /**
   * Stores an approval by an Ed25519 key. Once the person has approved, only one that ends at least an hour later is
   * stored. Throws a Refusal.
   */
  async approveBySignature(given: GivenApproval): Promise<void> {
    const { keyId, expiresAt, signature } = given
    const { policy, now } = this.#parts
    for (const payment of this.#find(given)) {
      const key = signingKeyOf(payment.network, payment.intent, given, policy().approvers, now())
      if (key === undefined) continue
      const proof: SignatureProof = { kind: 'ed25519', signature }
      return this.#store(payment, { approver: keyId, key, expiresAt, proof })
    }
    throw new Refusal(
      'bad-request',
      'No payment that waits has this approval: it is for another payment, it has ended, or its key is not enrolled',
    )
  }

  /** Verifies an answer to the challenge of a sign-in. Throws ApprovalRefused or AnswerRefused. */
  verifySignIn(credentialId: string, challenge: Buffer, assertion: Assertion): { approver: string } {
    const passkey = this.passkeyOf(credentialId)
    if (!passkey) throw new ApprovalRefused('not-enrolled', 'This passkey is not enrolled')
    const { counter } = this.#verify(passkey.key, challenge, assertion)
    this.#judgeCounter(passkey.key, counter)
    this.#counters.set(passkey.key.name, counter)
    return { approver: passkey.approver }
  }

  /** The passkey with an id that is enrolled for the page, and the approver whose passkey it is. */
  passkeyOf(credentialId: string): { approver: string; key: Passkey } | undefined {
    for (const approver of this.#parts.policy().approvers.keys()) {
      const key = this.#passkeysOf(approver).find((one) => one.credentialId === credentialId)
      if (key) return { approver, key }
    }
    return undefined
  }

  /** Ids of an approver's passkeys for the page. */
  passkeysOf(approver: string): string[] {
    return this.#passkeysOf(approver).map(({ credentialId }) => credentialId)
  }

  /** A passkey of another origin is of a former page, whose name may belong to others now. */
  #passkeysOf(approver: string): Passkey[] {
    const keys = this.#parts.policy().approvers.get(approver) ?? []
    return keys.filter((key): key is Passkey => key.kind === 'passkey' && key.origin === this.#parts.origin)
  }

  /** Whether the policy still enrols a passkey. */
  isEnrolled(approver: string, credentialId: string): boolean {
    return this.passkeyOf(credentialId)?.approver === approver
  }

  #verify({ key, origin }: Passkey, challenge: Buffer, assertion: Assertion): { counter: number } {
    return verifyAssertion(assertion, { key, challenge, party: relyingPartyOf(origin) })
  }

  /** Throws when an authenticator that counts its signatures did not count on: there may be a copy of its key. */
  #judgeCounter({ name }: Passkey, counter: number): void {
    const before = Math.max(this.#counters.get(name) ?? 0, this.#parts.history.approvals.counterOf(name))
    if (counter > before || (counter === 0 && before === 0)) return
    throw new ApprovalRefused(
      'counter',
      `The passkey counted ${counter} signatures after ${before}: it may have been copied. Remove it from the policy`,
    )
  }

  async #store(
    { network, intent }: WaitingPayment,
    approval: Pick<ApprovedEntry, 'approver' | 'key' | 'expiresAt' | 'proof'>,
  ): Promise<void> {
    const { policy, history, now } = this.#parts
    const refuse = (code: ApprovalRefused['code'], message: string): Error =>
      approval.proof.kind === 'passkey' ? new ApprovalRefused(code, message) : new Refusal('bad-request', message)
    await this.#parts.append(() => {
      const entry: ApprovedEntry = { kind: 'approved', at: now(), network, intent, ...approval }
      if (history.approvals.has(entry)) return undefined
      const { approver, key: name, proof } = approval
      const key = policy()
        .approvers.get(approver)
        ?.find((one) => one.name === name)
      if (!key) throw refuse('not-enrolled', 'This key is not enrolled any more')
      if (proof.kind === 'passkey') this.#judgeCounter(key as Passkey, proof.counter)
      if (history.isClosed(intent.id)) throw refuse('not-waiting', 'This payment does not wait any more')
      if (!this.#addsTo(entry)) {
        if (proof.kind === 'passkey') this.#counters.set(name, proof.counter)
        return undefined
      }
      return entry
    })
  }

  /** Whether an approval counts for longer than those of the same person: one person must not fill the log. */
  #addsTo({ network, intent, approver, expiresAt, proof }: ApprovedEntry): boolean {
    const { policy, history, now } = this.#parts
    const end = history.approvals.endOf(network, intent, { approver, approvers: policy().approvers, now: now() })
    return end === undefined || (proof.kind === 'ed25519' && expiresAt >= end + LONGER_BY_MS)
  }

  #find({ network, intentId }: { network: string; intentId: string }): WaitingPayment[] {
    const { history, now } = this.#parts
    const found = history.isClosed(intentId) ? [] : this.#waiting.find(network, intentId, now())
    return found.flatMap(({ network, intent, since }) => this.#describe(network, intent, since) ?? [])
  }

  /** Undefined when the policy has no such network or asset any more. */
  #describe(network: Network, intent: Intent, since: number): WaitingPayment | undefined {
    const { history, now } = this.#parts
    const policy = this.#parts.policy()
    const networkPolicy = policy.networks.get(network)
    if (!networkPolicy?.assets.has(intent.asset)) return undefined
    return {
      network,
      intent,
      amount: amountOf(policy, network, intent),
      approvedBy: [...new Set(history.approvals.approversOf(network, intent, policy.approvers, now()))].toSorted(),
      needed: approvalsNeeded(networkPolicy, intent),
      since,
    }
  }

  #tagOf({ network, intent }: WaitingPayment, expiresAt: number, random: string, approver: string): string {
    const text = `${approvalMessage(network, intent, expiresAt)}${random}\n${approver}`
    return createHmac('sha256', this.#secret).update(text).digest('hex')
  }
}

/** The challenge of an approval by passkey: the text that an Ed25519 key would sign, and the signer's nonce. */
export function challengeOf(
  { network, intent }: Pick<WaitingPayment, 'network' | 'intent'>,
  expiresAt: number,
  nonce: string,
): Buffer {
  return createHash('sha256')
    .update(`${approvalMessage(network, intent, expiresAt)}nonce: ${nonce}\n`)
    .digest()
}

function isEqual(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
