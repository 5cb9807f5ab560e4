import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createSecretFile, readSecretFile } from '../keys/secret-file.ts'
import { APPROVER_ID } from '../protocol/request.ts'
import { ShapeError, readInteger, readObject, readText } from '../protocol/shape.ts'

/**
 * An enrolment that the administrator has begun: a file beside the log, which only the signer's user can write. The
 * signer's page reads it; the code in the page's address is only there as a hash.
 */
export interface Enrolment {
  /** The approver's id */
  id: string
  /** The person's handle at the authenticator, base64url */
  user: string
}

/** An entry of the policy's list of approvers. */
interface PasskeyEntry extends Record<string, string> {
  id: string
  kind: 'passkey'
  publicKey: string
  credentialId: string
  origin: string
}

/** The result of an enrolment. */
export interface Enrolled {
  entry: PasskeyEntry
  /** the person's devices may share the passkey: it is synced */
  maySync: boolean
}

export const ENROLMENT_MS: number = 15 * 60_000
const HASH = /^[0-9a-f]{64}$/
const USER = /^[A-Za-z0-9_-]{22}$/

const openPath = (log: string): string => `${log}.enrolment`
const donePath = (log: string): string => `${log}.enrolled`

/** Begins an enrolment, which replaces an earlier one. @returns the code. @param now ms since the epoch */
export async function beginEnrolment(log: string, id: string, now: number): Promise<string> {
  await endEnrolment(log)
  const code = randomBytes(24).toString('base64url')
  const user = randomBytes(16).toString('base64url')
  const content = { id, user, codeHash: hashOf(code).toString('hex'), endsAt: now + ENROLMENT_MS }
  await createSecretFile(openPath(log), JSON.stringify(content))
  return code
}

/** The enrolment that a code opens; undefined when there is none, or when it has ended. */
export async function findEnrolment(log: string, code: string, now: number): Promise<Enrolment | undefined> {
  const file = await readSecretFile(openPath(log)).catch(() => undefined)
  if (!file) return undefined
  try {
    const fields = readObject(JSON.parse(file.toString('utf8')), 'enrolment', ['id', 'user', 'codeHash', 'endsAt'])
    const codeHash = readText(fields['codeHash'], 'codeHash', HASH, 'a hash')
    if (readInteger(fields['endsAt'], 'endsAt', 0, Number.MAX_SAFE_INTEGER) <= now) return undefined
    if (!timingSafeEqual(hashOf(code), Buffer.from(codeHash, 'hex'))) return undefined
    return {
      id: readText(fields['id'], 'id', APPROVER_ID, 'an id'),
      user: readText(fields['user'], 'user', USER, 'a handle'),
    }
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Ends an enrolment with the passkey that it made. Returns false when another passkey has ended it meanwhile. */
export async function finishEnrolment(log: string, enrolled: Enrolled): Promise<boolean> {
  try {
    await createSecretFile(donePath(log), JSON.stringify(enrolled))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  await rm(openPath(log), { force: true })
  return true
}

/** The result of an enrolment; undefined until there is one. */
export async function enrolledBy(log: string): Promise<Enrolled | undefined> {
  const file = await readSecretFile(donePath(log)).catch(() => undefined)
  try {
    return file && (JSON.parse(file.toString('utf8')) as Enrolled)
  } catch {
    return undefined
  }
}

/** Removes the files of an enrolment. */
export async function endEnrolment(log: string): Promise<void> {
  await rm(openPath(log), { force: true })
  await rm(donePath(log), { force: true })
}

/** The challenge of a registration. The code is secret and serves once, so the challenge does, too. */
export function enrolmentChallenge(origin: string, id: string, code: string): Buffer {
  return createHash('sha256').update(`bursar enrolment v1\norigin: ${origin}\nid: ${id}\ncode: ${code}\n`).digest()
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
