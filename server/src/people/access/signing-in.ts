import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { clearAttempts, takeAttempt, touchAttempts, type BucketOf } from './attempts.ts'
import { actorOf, record } from './audit.ts'
import { browserOf } from './browsers.ts'
import { useChallenge, type Challenges } from './challenges.ts'
import { findPasskey, findPassword, markPasskeyUsed, spendRecoveryCode, spendStep } from './credentials.ts'
import type { Devices } from './devices.ts'
import { notifyPerson } from './notices.ts'
import type { Now, Secrets } from './now.ts'
import { credentialIdIn, expectedFor, verifyPasskey, type RelyingParty } from './passkeys.ts'
import type { Passwords } from './passwords.ts'
import { addressOf, findPersonByAddress, personOf } from './people.ts'
import { recordRefusal } from './refusals.ts'
import { openSession, type Method } from './sessions.ts'
import { matchingStep } from './totp.ts'

export interface SignInDeps extends Secrets {
  db: Db
  challenges: Challenges
  passwords: Passwords
  bucketOf: BucketOf
  devices: Devices
  /** undefined: no passkeys at this public URL */
  party: RelyingParty | undefined
}

/** Is no person's id: statements that must find nothing use it. */
const NOT_A_PERSON = '00000000-0000-0000-0000-000000000000'
/** The address under which tries with an unknown or invalid address are counted. */
const NO_ADDRESS = ''

export interface TypedProof {
  password: string
  /** a one-time code or a recovery code */
  code: string
  /** the browser's name for itself */
  agent: string
  /** the cookie that a browser has in which a person has signed in before */
  device: string | undefined
}

type Checked = { personId: string; method: Exclude<Method, 'passkey'> }

/**
 * Checks a password together with a one-time or recovery code, and spends the code. Whether the address is unknown, the
 * password or the code is wrong, or the address is blocked, the same work is done and the same is returned.
 */
export const checkPassword = (
  deps: SignInDeps,
  typedAddress: string,
  typed: TypedProof,
  now: Now,
): Promise<Checked | undefined> => withPassword(deps, typedAddress, typed, now, async (_tx, checked) => checked)

/**
 * Checks a password as `checkPassword` does, and records a refusal. `act` runs in the transaction that spends the code:
 * a reset of the person's access waits for it, and then ends the session that it opens.
 */
const withPassword = async <T>(
  { db, ring, passwords, bucketOf, devices }: SignInDeps,
  typedAddress: string,
  { password, code, agent, device }: TypedProof,
  now: Now,
  act: (tx: Tx, checked: Checked) => Promise<T>,
): Promise<T | undefined> => {
  const { real } = now
  const address = addressOf(typedAddress) ?? NO_ADDRESS
  const bucket = devices.bucketOf(device, address) ?? bucketOf(address)
  const attempt = await takeAttempt(db, bucket, real)
  const stored = await findPassword(db, address, ring)
  const isRight = await passwords.matches(password, stored?.hash)
  const personId = attempt && isRight && stored ? stored.personId : NOT_A_PERSON
  const step = matchingStep(stored?.seed ?? Buffer.alloc(1), code, real) ?? -1
  const acted = await inTransaction(db, async (tx) => {
    const [byStep, byRecovery] = [
      await spendStep(tx, personId, step),
      await spendRecoveryCode(tx, personId, code, real),
    ]
    if (byStep || byRecovery) return { result: await act(tx, { personId, method: byStep ? 'password' : 'recovery' }) }
    // The commit waits for the disk whether a refusal was recorded or not.
    await touchAttempts(tx, bucket)
    const person = await findPersonByAddress(tx, attempt ? address : NO_ADDRESS)
    const refusal = { method: 'password', agent, blocksUntil: attempt?.blocksUntil ?? null } as const
    await recordRefusal(tx, person?.id ?? NOT_A_PERSON, refusal, now)
    return undefined
  })
  if (!acted) return undefined
  await clearAttempts(db, bucket, real)
  return acted.result
}

/** Signs in by a password. Returns the token of a new session, or undefined. */
export const signInByPassword = (
  deps: SignInDeps,
  typed: TypedProof & { email: string },
  now: Now,
): Promise<string | undefined> =>
  withPassword(deps, typed.email, typed, now, (tx, { personId, method }) =>
    startSession(tx, personId, method, typed.agent, deps.random, now),
  )

/**
 * Verifies the answer of a stored passkey to a challenge of this purpose, and spends the challenge. Returns the id of
 * the person; undefined for every answer that proves nothing.
 */
export const checkPasskey = (
  deps: SignInDeps,
  asked: { answer: string; purpose: string; agent: string },
  now: Now,
): Promise<string | undefined> => withPasskey(deps, asked, now, async (_tx, personId) => personId)

/**
 * Verifies an answer as `checkPasskey` does, and records the refusal of a known passkey. `act` runs in the transaction
 * that spends the challenge, as above.
 */
const withPasskey = async <T>(
  deps: SignInDeps,
  { answer, purpose, agent }: { answer: string; purpose: string; agent: string },
  now: Now,
  act: (tx: Tx, personId: string) => Promise<T>,
): Promise<T | undefined> => {
  const expected = expectedFor(deps, purpose, now.real)
  const credentialId = credentialIdIn(answer)
  if (!expected || credentialId === undefined) return undefined
  const passkey = await findPasskey(deps.db, credentialId)
  if (!passkey) return undefined
  const verified = await verifyPasskey(answer, passkey, expected)
  return inTransaction(deps.db, async (tx) => {
    const isFirst =
      verified !== undefined &&
      (await useChallenge(tx, verified.challenge, now.real)) &&
      (await markPasskeyUsed(tx, passkey.id, verified.counter, now.real))
    if (isFirst) return act(tx, passkey.personId)
    await recordRefusal(tx, passkey.personId, { method: 'passkey', agent, blocksUntil: null }, now)
    return undefined
  })
}

/** The purpose of challenges on the page where people sign in. */
export const SIGN_IN = 'sign-in'

/** Signs in by a passkey. Returns the token of a new session, or undefined. */
export const signInByPasskey = (
  deps: SignInDeps,
  answer: string,
  agent: string,
  now: Now,
): Promise<string | undefined> =>
  withPasskey(deps, { answer, purpose: SIGN_IN, agent }, now, (tx, personId) =>
    startSession(tx, personId, 'passkey', agent, deps.random, now),
  )

/** Opens a session, records it, and mails the person if the browser is new or a recovery code was used. */
const startSession = async (
  tx: Tx,
  personId: string,
  method: Method,
  agent: string,
  random: Secrets['random'],
  now: Now,
): Promise<string> => {
  const { token, isNewBrowser } = await openSession(tx, personId, { method, agent }, random, now)
  await record(
    tx,
    { merchantId: null, personId, actor: actorOf(personId), action: 'signed in', detail: { method, agent } },
    now,
  )
  const event = method === 'recovery' ? 'recovery-used' : isNewBrowser ? 'new-browser' : undefined
  if (event) await notifyPerson(tx, await personOf(tx, personId), { event, detail: browserOf(agent) }, now)
  return token
}
