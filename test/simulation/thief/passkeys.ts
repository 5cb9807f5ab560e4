/**
 * Answers that must not approve a payment at the page of the signer, and approvals that must not count any more. The
 * attacker has the server, and in some cases a passkey of an approver.
 */
import * as tron from '@bursar/chainkit/tron'
import { isRefused } from '@bursar/chainkit'
import { ApprovalRefused, type Offer } from '../../../signer/src/approvals/approvals.ts'
import type { SignRequest } from '../../../signer/src/protocol/protocol.ts'
import { AnswerRefused } from '../../../signer/src/webauthn/ceremony.ts'
import type { Answering } from '../../world/authenticator.ts'
import { makePasskey, type TestPasskey } from '../../world/passkeys.ts'
import type { SignerCopy } from '../installation/signer.ts'
import { approve, APPROVERS } from './approvals.ts'

const [FIRST, SECOND] = ['first', 'second'].map((id) => makePasskey(id)) as [TestPasskey, TestPasskey]

/** Entries of the policy: each person has a passkey beside an Ed25519 key. */
export const APPROVERS_WITH_PASSKEYS: readonly object[] = [...APPROVERS, FIRST.entry, SECOND.entry]
/** The same without the passkey of the first person. */
export const WITHOUT_FIRST_PASSKEY: readonly object[] = [...APPROVERS, SECOND.entry]

const OK = 200
/** A page of another host, to which people were led. */
const OTHER_ORIGIN = 'https://approve.example.net'
/** Beyond the end of a TRON transaction, after which the signer signs another one for the same payment, ms. */
const PAST_EXPIRY_MS = 30 * 60_000
const TRON_LIFETIME_MS = 540_000
const HOUR_MS = 3_600_000

/** An answer of the approver at the page. */
interface Answer {
  /** of the payment that is approved */
  offer: Offer
  challenge?: Buffer
  how?: Answering
}

const give = async (
  { approvals }: SignerCopy,
  passkey: TestPasskey,
  { offer, challenge = offer.challenge, how }: Answer,
): Promise<boolean> => {
  const { payment, expiresAt, nonce } = offer
  const given = { network: payment.network, intentId: payment.intent.id, expiresAt, nonce }
  try {
    const assertion = passkey.answer(challenge, how)
    await approvals.approveByPasskey(passkey.entry.id, { ...given, credentialId: passkey.credentialId }, assertion)
    return true
  } catch (error) {
    if (error instanceof ApprovalRefused || error instanceof AnswerRefused) return false
    throw error
  }
}

/** The offer of a payment that waits for approvals. @returns undefined: it does not wait */
const offerOf = async (copy: SignerCopy, approver: string, request: SignRequest): Promise<Offer | undefined> => {
  await copy.sign(request)
  return copy.approvals.offers(approver).find(({ payment }) => payment.intent.id === request.intents[0]!.id)
}

const approveByBoth = async (copy: SignerCopy, request: SignRequest): Promise<boolean> => {
  const taken: boolean[] = []
  for (const passkey of [FIRST, SECOND]) {
    const offer = await offerOf(copy, passkey.entry.id, request)
    taken.push(offer !== undefined && (await give(copy, passkey, { offer })))
  }
  return taken.every(Boolean)
}

interface Stolen {
  /** payments of their own intents, which the signer would sign with two approvals */
  requests: readonly [SignRequest, SignRequest]
  policyOf(approvers: readonly object[]): object
  now(): number
  advance(ms: number): void
}

/** @returns the act of the signer that no rule allows, in words; undefined: there was none */
type Try = (copy: SignerCopy, stolen: Stolen) => Promise<string | undefined>

const answering =
  (what: string, answerOf: (offer: Offer, other: Offer) => Omit<Answer, 'offer'>): Try =>
  async (copy, { requests: [request, another] }) => {
    const [offer, other] = [await offerOf(copy, 'first', request), await offerOf(copy, 'first', another)]
    if (offer === undefined || other === undefined) return undefined
    return (await give(copy, FIRST, { offer, ...answerOf(offer, other) })) ? `takes an approval ${what}` : undefined
  }

const ofCopiedPasskey: Try = async (copy, { requests: [request, another] }) => {
  const [offer, other] = [await offerOf(copy, 'first', request), await offerOf(copy, 'first', another)]
  if (offer === undefined || other === undefined || !(await give(copy, FIRST, { offer }))) return undefined
  const isTaken = await give(copy, FIRST, { offer: other, how: { counter: 1 } })
  return isTaken ? 'takes an approval of a copied passkey, whose counter falls' : undefined
}

const ofRemovedPasskey: Try = async (copy, { requests: [request], policyOf }) => {
  if (!(await approveByBoth(copy, request))) return undefined
  copy.setPolicy(policyOf(WITHOUT_FIRST_PASSKEY))
  return (await copy.sign(request)) === OK ? 'signs with an approval of a passkey that was removed' : undefined
}

const afterItsEnd: Try = async (copy, { requests: [request], now }) => {
  const approvals = APPROVERS.flatMap(({ id }) => approve(request, id, now() - HOUR_MS))
  return (await copy.sign({ ...request, approvals })) === OK ? 'signs with approvals that have ended' : undefined
}

const twiceOnTron: Try = async (copy, { requests: [request], now, advance }) => {
  if (request.network !== 'TRON' || !(await approveByBoth(copy, request))) return undefined
  if ((await copy.sign(request)) !== OK) return undefined
  advance(PAST_EXPIRY_MS)
  const transaction = tron.parseUnsigned(Buffer.from(request.unsigned, 'hex'))
  if (isRefused(transaction)) return undefined
  const later = { ...transaction, timestamp: now(), expiration: now() + TRON_LIFETIME_MS }
  const unsigned = Buffer.from(tron.serializeUnsigned(later)).toString('hex')
  const isSigned = (await copy.sign({ ...request, unsigned })) === OK
  return isSigned ? 'signs twice with the same approvals' : undefined
}

export const PASSKEY_TRIES: readonly Try[] = [
  answering('that was given for another payment', (_, other) => ({ challenge: other.challenge })),
  answering('without verification of the person', () => ({ how: { unverified: true } })),
  answering('that was given on a page of another host', () => ({ how: { origin: OTHER_ORIGIN } })),
  ofCopiedPasskey,
  ofRemovedPasskey,
  afterItsEnd,
  twiceOnTron,
]
