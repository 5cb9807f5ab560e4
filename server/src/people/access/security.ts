import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { actorOf, record } from './audit.ts'
import { useChallenge } from './challenges.ts'
import {
  deletePasskey,
  hasPassword,
  insertPasskey,
  listPasskeys,
  replaceRecoveryCodes,
  storePassword,
  type Passkey,
} from './credentials.ts'
import { notifyPerson } from './notices.ts'
import type { Now } from './now.ts'
import type { DashboardEvent } from '../../merchants/mail-templates/index.ts'
import { expectedFor, verifyNewPasskey } from './passkeys.ts'
import { isUsablePassword } from './passwords.ts'
import type { Person } from './people.ts'
import { requireOpen, requireProof } from './proofs.ts'
import { endSession, endSessions, renewSession, type Session } from './sessions.ts'
import { checkPasskey, checkPassword, type SignInDeps, type TypedProof } from './signing-in.ts'
import { matchingStep } from './totp.ts'

/** The purpose of challenges with which a session proves again that its person is there. */
export const provePurpose = (sessionId: string): string => `prove|${sessionId}`
/** The purpose of challenges with which a session adds a passkey. */
export const addPurpose = (sessionId: string): string => `add|${sessionId}`

/** Proves by a passkey of the session's person. Returns the session's new token, or undefined. */
export const proveByPasskey = async (
  deps: SignInDeps,
  session: Session,
  { answer, agent }: { answer: string; agent: string },
  now: Now,
): Promise<string | undefined> => {
  const personId = await checkPasskey(deps, { answer, purpose: provePurpose(session.id), agent }, now)
  return personId === session.person.id ? renewed(deps, session, now) : undefined
}

/** Proves by the password of the session's person and a code. Returns the session's new token, or undefined. */
export const proveByPassword = async (
  deps: SignInDeps,
  session: Session,
  typed: TypedProof,
  now: Now,
): Promise<string | undefined> => {
  const checked = await checkPassword(deps, session.person.email, typed, now)
  return checked?.personId === session.person.id ? renewed(deps, session, now) : undefined
}

const renewed = ({ db, random }: SignInDeps, session: Session, now: Now): Promise<string | undefined> =>
  inTransaction(db, async (tx) => {
    await note(tx, session.person, 'proved', {}, now)
    return renewSession(tx, session.id, random, now.real)
  })

/** Adds a passkey. Returns false when the answer does not prove that one was made, or it is stored already. */
export const addPasskey = async (
  deps: SignInDeps,
  session: Session,
  { answer, name }: { answer: string; name: string },
  now: Now,
): Promise<boolean> => {
  requireProof(session)
  const expected = expectedFor(deps, addPurpose(session.id), now.real)
  const key = expected && (await verifyNewPasskey(answer, expected))
  if (!key) return false
  const { credentialId, publicKey, counter, challenge } = key
  const passkey: Omit<Passkey, 'usedAt'> = {
    id: now.moment.newId(),
    personId: session.person.id,
    credentialId,
    publicKey,
    counter,
    name,
    createdAt: now.real,
  }
  return inTransaction(deps.db, async (tx) => {
    await requireOpen(tx, session)
    if (!(await useChallenge(tx, challenge, now.real)) || !(await insertPasskey(tx, passkey))) return false
    await note(tx, session.person, 'added passkey', { name }, now, 'passkey-added')
    return true
  })
}

/**
 * - removed: it was the person's, and is removed
 * - last: it is the person's only way to sign in, and stays
 * - unknown: the person has no such passkey
 */
export type PasskeyRemoval = 'removed' | 'last' | 'unknown'

export const removePasskey = async (
  { db }: Pick<SignInDeps, 'db'>,
  session: Session,
  id: string,
  now: Now,
): Promise<PasskeyRemoval> => {
  requireProof(session)
  const { person } = session
  return inTransaction(db, async (tx) => {
    await requireOpen(tx, session)
    await lockWaysIn(tx, person.id)
    const passkeys = await listPasskeys(tx, person.id)
    if (!passkeys.some((one) => one.id === id)) return 'unknown'
    if (passkeys.length === 1 && !(await hasPassword(tx, person.id))) return 'last'
    const name = await deletePasskey(tx, person.id, id)
    await note(tx, person, 'removed passkey', { name }, now, 'passkey-removed')
    return 'removed'
  })
}

/** Two removals at once would each leave the other's passkey as the last. */
const lockWaysIn = async (tx: Tx, personId: string): Promise<void> => {
  await sql`select from dashboard_passkeys where person_id = ${personId} order by id for update`.execute(tx)
}

/** Replaces the recovery codes of a person who has a password; they are returned here and never again. */
export const renewRecoveryCodes = async (
  { db, random }: Pick<SignInDeps, 'db' | 'random'>,
  session: Session,
  now: Now,
): Promise<string[] | undefined> => {
  requireProof(session)
  return inTransaction(db, async (tx) => {
    await requireOpen(tx, session)
    if (!(await hasPassword(tx, session.person.id))) return undefined
    await note(tx, session.person, 'renewed recovery codes', {}, now, 'recovery-renewed')
    return replaceRecoveryCodes(tx, session.person.id, random)
  })
}

/** Why a password was not set. */
type PasswordTrouble = 'password-weak' | 'code-wrong'

/**
 * Sets a password with the secret of an authenticator app and a code of that app, or replaces both. All other sessions
 * end. Returns new recovery codes, which are returned here and never again.
 */
export const setPassword = async (
  { db, random, passwords, ring }: Pick<SignInDeps, 'db' | 'random' | 'passwords' | 'ring'>,
  session: Session,
  { password, seed, code }: { password: string; seed: Buffer; code: string },
  now: Now,
): Promise<{ recoveryCodes: string[] } | { problem: PasswordTrouble }> => {
  requireProof(session)
  const { person } = session
  if (!isUsablePassword(password, person.email)) return { problem: 'password-weak' }
  const step = matchingStep(seed, code, now.real)
  if (step === undefined) return { problem: 'code-wrong' }
  const hash = await passwords.hash(password)
  return inTransaction(db, async (tx) => {
    await requireOpen(tx, session)
    await storePassword(tx, { personId: person.id, hash, seed }, step, ring, now.real)
    await endSessions(tx, person.id, session.id, now.real)
    await note(tx, person, 'set password', {}, now, 'password-set')
    return { recoveryCodes: await replaceRecoveryCodes(tx, person.id, random) }
  })
}

/** Ends one session of the person, which may be this one. Returns false if it is none of theirs, or has ended. */
export const endOneSession = (
  { db }: Pick<SignInDeps, 'db'>,
  { person }: Session,
  sessionId: string,
  now: Now,
): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    if (!(await endSession(tx, person.id, sessionId, now.real))) return false
    await note(tx, person, 'ended session', { sessionId }, now)
    return true
  })

/** Ends all sessions of the person but this one. */
export const endOtherSessions = ({ db }: Pick<SignInDeps, 'db'>, { id, person }: Session, now: Now): Promise<void> =>
  inTransaction(db, async (tx) => {
    await endSessions(tx, person.id, id, now.real)
    await note(tx, person, 'ended other sessions', {}, now)
  })

const note = async (
  tx: Tx,
  person: Person,
  action: string,
  detail: Readonly<Record<string, unknown>>,
  now: Now,
  event?: DashboardEvent,
): Promise<void> => {
  await record(tx, { merchantId: null, personId: person.id, actor: actorOf(person.id), action, detail }, now)
  const name = typeof detail['name'] === 'string' ? detail['name'] : ''
  if (event) await notifyPerson(tx, person, { event, detail: name }, now)
}
