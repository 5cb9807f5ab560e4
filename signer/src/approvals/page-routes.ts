import { Refusal } from '../protocol/refusal.ts'
import { AnswerRefused, relyingPartyOf, verifyRegistration } from '../webauthn/ceremony.ts'
import type { Assertion } from '../webauthn/ceremony.ts'
import { writePasskeyKey } from '../webauthn/credential-key.ts'
import { ApprovalRefused } from './approvals.ts'
import type { Approvals } from './approvals.ts'
import { enrolmentChallenge, findEnrolment, finishEnrolment } from './enrolment.ts'
import { enrolPage, enrolledPage, faultPage, listPage, signInPage } from './pages.ts'
import type { Language, PageFault } from './page-words.ts'
import type { Sessions } from './sessions.ts'

/** The parts of the signer that the page uses. */
export interface PageWorld {
  /** Scheme, host and port of the page */
  origin: string
  approvals: Approvals
  sessions: Sessions
  /** The log's file, beside which enrolments are */
  logFile: string
  /** ms since the epoch */
  now: () => number
  events: { refused(code: string, message: string): void; failed(error: Error): void }
}

export interface PageRequest {
  /** method and path */
  route: string
  query: URLSearchParams
  form: URLSearchParams
  cookie: string
  language: Language
}

export interface PageAnswer {
  status: number
  page?: string
  headers?: Record<string, string>
}

/** Answers a request of a browser. Throws an Error when the signer failed. */
export async function answerPage(asked: PageRequest, world: PageWorld): Promise<PageAnswer> {
  switch (asked.route) {
    case 'GET /':
      return listOf(asked, world)
    case 'POST /sign-in':
      return signIn(asked, world)
    case 'POST /sign-out':
      return signOut(asked, world)
    case 'POST /approve':
      return approve(asked, world)
    case 'GET /enrol':
      return enrolmentOf(asked, world)
    case 'POST /enrol':
      return enrol(asked, world)
    default:
      return { status: 404, page: faultPage(asked.language, 'code') }
  }
}

function signInOf({ language }: PageRequest, { origin, sessions }: PageWorld, fault?: PageFault): PageAnswer {
  const page = signInPage({ language, rpId: relyingPartyOf(origin).rpId, ...sessions.makeChallenge(), fault })
  return { status: fault === undefined ? 200 : 403, page }
}

function listOf(asked: PageRequest, world: PageWorld, fault?: PageFault): PageAnswer {
  const { origin, approvals } = world
  const session = sessionOf(asked, world)
  if (!session) return signInOf(asked, world, fault)
  const { approver } = session
  const page = listPage({
    language: asked.language,
    approver,
    rpId: relyingPartyOf(origin).rpId,
    credentials: approvals.passkeysOf(approver),
    offers: approvals.offers(approver),
    fault,
    isDone: asked.query.has('done'),
  })
  return { status: fault === undefined ? 200 : 403, page }
}

async function signIn(asked: PageRequest, world: PageWorld): Promise<PageAnswer> {
  const { approvals, sessions, origin } = world
  const { form } = asked
  const token = form.get('token') ?? ''
  const challenge = sessions.challengeOf(token)
  if (!challenge) return signInOf(asked, world, 'too-old')
  const credentialId = form.get('credentialId') ?? ''
  const outcome = await faultOf(world, async () => approvals.verifySignIn(credentialId, challenge, assertionOf(form)))
  if ('fault' in outcome) {
    sessions.refused(token)
    return signInOf(asked, world, outcome.fault)
  }
  const value = sessions.begin(outcome.result.approver, credentialId, token)
  return to('/', `${cookieName(origin)}=${value}; ${cookieRules(origin)}`)
}

function signOut(asked: PageRequest, { sessions, origin }: PageWorld): PageAnswer {
  sessions.end(cookieOf(asked, origin))
  return to('/', `${cookieName(origin)}=; Max-Age=0; ${cookieRules(origin)}`)
}

async function approve(asked: PageRequest, world: PageWorld): Promise<PageAnswer> {
  const session = sessionOf(asked, world)
  if (!session) return signInOf(asked, world, 'signed-out')
  const { form } = asked
  const given = {
    network: form.get('network') ?? '',
    intentId: form.get('intent') ?? '',
    expiresAt: Number(form.get('expires')),
    nonce: form.get('nonce') ?? '',
    credentialId: form.get('credentialId') ?? '',
  }
  const work = (): Promise<unknown> => world.approvals.approveByPasskey(session.approver, given, assertionOf(form))
  const outcome = await faultOf(world, work)
  return 'fault' in outcome ? listOf(asked, world, outcome.fault) : to('/?done')
}

async function enrolmentOf(asked: PageRequest, world: PageWorld, fault?: PageFault): Promise<PageAnswer> {
  const { origin, logFile, now } = world
  const code = asked.query.get('code') ?? asked.form.get('code') ?? ''
  const enrolment = await findEnrolment(logFile, code, now())
  if (!enrolment) return { status: 404, page: faultPage(asked.language, 'code') }
  const { id, user } = enrolment
  const challenge = enrolmentChallenge(origin, id, code)
  const { rpId } = relyingPartyOf(origin)
  const page = enrolPage({ language: asked.language, rpId, challenge, fault, id, user, code })
  return { status: fault === undefined ? 200 : 403, page }
}

async function enrol(asked: PageRequest, world: PageWorld): Promise<PageAnswer> {
  const { origin, logFile, now } = world
  const { form, language } = asked
  const code = form.get('code') ?? ''
  const enrolment = await findEnrolment(logFile, code, now())
  if (!enrolment) return { status: 404, page: faultPage(language, 'code') }
  const { id } = enrolment
  const registration = {
    attestationObject: bytesOf(form, 'attestationObject'),
    clientDataJSON: bytesOf(form, 'clientDataJSON'),
  }
  const judged = { challenge: enrolmentChallenge(origin, id, code), party: relyingPartyOf(origin) }
  const outcome = await faultOf(world, async () => verifyRegistration(registration, judged))
  if ('fault' in outcome) return enrolmentOf(asked, world, outcome.fault)
  const { id: credential, key, maySync } = outcome.result
  const publicKey = writePasskeyKey(key)
  const credentialId = credential.toString('base64url')
  const entry = { id, kind: 'passkey', publicKey, credentialId, origin } as const
  const isFirst = await finishEnrolment(logFile, { entry, maySync })
  if (!isFirst) return { status: 404, page: faultPage(language, 'code') }
  return { status: 200, page: enrolledPage(language, key) }
}

/** Runs a check. A refusal becomes a fault that the page explains, and is reported. */
async function faultOf<Result>(
  { events }: PageWorld,
  work: () => Promise<Result>,
): Promise<{ result: Result } | { fault: PageFault }> {
  try {
    return { result: await work() }
  } catch (error) {
    if (error instanceof ApprovalRefused) {
      events.refused(`approval-${error.code}`, error.message)
      return { fault: error.code }
    }
    if (error instanceof AnswerRefused) {
      events.refused(`approval-${error.fault}`, error.message)
      return { fault: 'answer' }
    }
    if (error instanceof Refusal) return { fault: 'busy' }
    throw error
  }
}

function sessionOf(asked: PageRequest, { sessions, approvals, origin }: PageWorld): { approver: string } | undefined {
  const session = sessions.find(cookieOf(asked, origin))
  return session && approvals.isEnrolled(session.approver, session.credentialId) ? session : undefined
}

function assertionOf(form: URLSearchParams): Assertion {
  return {
    authenticatorData: bytesOf(form, 'authenticatorData'),
    clientDataJSON: bytesOf(form, 'clientDataJSON'),
    signature: bytesOf(form, 'signature'),
  }
}

function bytesOf(form: URLSearchParams, name: string): Buffer {
  return Buffer.from(form.get(name) ?? '', 'base64url')
}

/** A browser sends a cookie of this name to this host only, and only over TLS. */
function cookieName(origin: string): string {
  return origin.startsWith('https:') ? '__Host-approver' : 'approver'
}

function cookieRules(origin: string): string {
  return `Path=/; HttpOnly; SameSite=Strict${origin.startsWith('https:') ? '; Secure' : ''}`
}

function cookieOf({ cookie }: PageRequest, origin: string): string {
  const prefix = `${cookieName(origin)}=`
  const pairs = cookie.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) ?? ''
}

function to(location: string, cookie?: string): PageAnswer {
  return { status: 303, headers: { location, ...(cookie !== undefined && { 'set-cookie': cookie }) } }
}
