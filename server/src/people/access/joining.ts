import type { Language } from '../../platform/base/language.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { actorOf, record } from './audit.ts'
import { browserOf } from './browsers.ts'
import { useChallenge } from './challenges.ts'
import { insertPasskey, replaceRecoveryCodes, storePassword } from './credentials.ts'
import { inviterOf, useInvitation, type OpenInvitation } from './invitations.ts'
import { notifyOwners, notifyPerson } from './notices.ts'
import type { Now } from './now.ts'
import { expectedFor, verifyNewPasskey } from './passkeys.ts'
import { isUsablePassword } from './passwords.ts'
import { findPersonByAddress, insertMember, insertPerson, type Person } from './people.ts'
import { openSession, type Method, type Session } from './sessions.ts'
import type { SignInDeps } from './signing-in.ts'
import { matchingStep } from './totp.ts'

/** The request of the browser of a person who accepts an invitation. */
export interface Joining {
  language: Language
  agent: string
}

/** Why an invitation was not accepted. Only the first means that it can't be any more. */
export type JoinProblem = 'gone' | 'password-weak' | 'code-wrong' | 'passkey-failed'

export type Joined = { token: string; recoveryCodes: readonly string[] } | { problem: JoinProblem }

/** The purpose of challenges on the page of an invitation. */
export const joinPurpose = (invitationId: string): string => `join|${invitationId}`

/** The id of the person that an invitation makes or resets: known before the passkey is made, which contains it. */
export const joiningPersonId = ({ id, personId }: Pick<OpenInvitation, 'id' | 'personId'>): string => personId ?? id

/**
 * Accepts an invitation with a new passkey. Both kinds of invitation need one that makes a person, or resets one: an
 * existing person accepts by `acceptSignedIn`.
 */
export const acceptByPasskey = async (
  deps: SignInDeps,
  invitation: OpenInvitation,
  { answer, name }: { answer: string; name: string },
  joining: Joining,
  now: Now,
): Promise<Joined> => {
  const expected = expectedFor(deps, joinPurpose(invitation.id), now.real)
  const key = expected && (await verifyNewPasskey(answer, expected))
  if (!key) return { problem: 'passkey-failed' }
  return inOneTransaction(deps, async (tx) => {
    const person = await admit(tx, invitation, joining.language, now)
    if (!(await useChallenge(tx, key.challenge, now.real))) throw new Refused('passkey-failed')
    const { credentialId, publicKey, counter } = key
    const id = now.moment.newId()
    const passkey = { id, personId: person.id, credentialId, publicKey, counter, name, createdAt: now.real }
    if (!(await insertPasskey(tx, passkey))) throw new Refused('passkey-failed')
    return { token: await begin(tx, deps, invitation, person, 'passkey', joining, now), recoveryCodes: [] }
  })
}

/** Accepts an invitation with a password, the secret of an authenticator app, and a code of that app. */
export const acceptByPassword = async (
  deps: SignInDeps,
  invitation: OpenInvitation,
  { password, seed, code }: { password: string; seed: Buffer; code: string },
  joining: Joining,
  now: Now,
): Promise<Joined> => {
  if (!isUsablePassword(password, invitation.address)) return { problem: 'password-weak' }
  const step = matchingStep(seed, code, now.real)
  if (step === undefined) return { problem: 'code-wrong' }
  const hash = await deps.passwords.hash(password)
  return inOneTransaction(deps, async (tx) => {
    const person = await admit(tx, invitation, joining.language, now)
    await storePassword(tx, { personId: person.id, hash, seed }, step, deps.ring, now.real)
    const recoveryCodes = await replaceRecoveryCodes(tx, person.id, deps.random)
    return { token: await begin(tx, deps, invitation, person, 'password', joining, now), recoveryCodes }
  })
}

/** A person who is signed in accepts an invitation to their own address. Returns false when it can't be accepted. */
export const acceptSignedIn = async (
  { db }: Pick<SignInDeps, 'db'>,
  invitation: OpenInvitation,
  { person }: Session,
  now: Now,
): Promise<boolean> => {
  if (invitation.kind !== 'join' || invitation.personId !== person.id) return false
  const accepted = inTransaction(db, async (tx) => {
    if (!(await useInvitation(tx, invitation.id, now.real))) throw new Refused('gone')
    await join(tx, invitation, person.id, now)
  })
  return accepted.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refused) return false
      throw error
    },
  )
}

class Refused extends Error {
  readonly problem: JoinProblem
  constructor(problem: JoinProblem) {
    super(problem)
    this.problem = problem
  }
}

/** Nothing is stored of an invitation that is refused half-way. */
const inOneTransaction = (
  { db }: SignInDeps,
  work: (tx: Tx) => Promise<Exclude<Joined, { problem: JoinProblem }>>,
): Promise<Joined> =>
  inTransaction(db, work).catch((error: unknown) => {
    if (error instanceof Refused) return { problem: error.problem }
    throw error
  })

/** Uses the invitation, and returns its person: a new one, or the one whose access was reset. */
const admit = async (tx: Tx, invitation: OpenInvitation, language: Language, now: Now): Promise<Person> => {
  const { id, kind, email, address } = invitation
  if (!(await useInvitation(tx, id, now.real))) throw new Refused('gone')
  if (kind === 'reset') {
    const person = await findPersonByAddress(tx, address)
    if (!person) throw new Refused('gone')
    return person
  }
  const person = { id, email, language }
  if (!(await insertPerson(tx, person, address, now.real))) throw new Refused('gone')
  await join(tx, invitation, id, now)
  return person
}

/** Makes the person a member. The owners are mailed: they notice a member who has invited a second own address. */
const join = async (
  tx: Tx,
  { id, merchantId, email, role }: OpenInvitation,
  personId: string,
  now: Now,
): Promise<void> => {
  if (!(await insertMember(tx, { merchantId, personId, role }, now.real))) throw new Refused('gone')
  await record(tx, { merchantId, personId, actor: actorOf(personId), action: 'joined', detail: { role } }, now)
  const [by, detail] = [await inviterOf(tx, id), `${email} (${role})`]
  await notifyOwners(tx, merchantId, { event: 'member-joined', detail, by, about: personId }, now)
}

const begin = async (
  tx: Tx,
  { random }: SignInDeps,
  { kind }: OpenInvitation,
  person: Person,
  method: Method,
  { agent }: Joining,
  now: Now,
): Promise<string> => {
  const actor = actorOf(person.id)
  await record(
    tx,
    { merchantId: null, personId: person.id, actor, action: 'set up sign-in', detail: { method, agent } },
    now,
  )
  if (kind === 'reset') await notifyPerson(tx, person, { event: 'access-reset', detail: browserOf(agent) }, now)
  const { token } = await openSession(tx, person.id, { method, agent }, random, now)
  return token
}
