/** Additional keys of a merchant's API: commands of members and of operators. */
import { MONEY_SCOPES, type Scope } from '@bursar/contract'
import { sql } from 'kysely'
import {
  addAdditionalKey,
  countAdditionalKeysSince,
  isKeyName,
  listAdditionalKeys,
  listKeys,
  merchantExists,
  readRanges,
  revokeAdditionalKey,
  type AddedKey,
  type AdditionalKeyLine,
} from '../../merchants/accounts/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { authoriseSession } from './acting.ts'
import { actorOf, record } from './audit.ts'
import { notifyOwners } from './notices.ts'
import type { Now, Secrets } from './now.ts'
import type { Person } from './people.ts'
import { authorise } from './permissions.ts'
import type { Session } from './sessions.ts'

const DAY_MS = 24 * 3_600_000
const HOUR_MS = 3_600_000
/** Keys that the members of a merchant make within an hour. */
const MOST_IN_AN_HOUR = 20

/**
 * - name, scopes, addresses: the field is empty or invalid
 * - known: the form has made its key before
 * - too-many: the merchant has the most valid keys
 * - limited: too many keys were made within an hour
 * - unknown: the merchant has no such key
 */
export type KeyTrouble = 'name' | 'scopes' | 'addresses' | 'known' | 'too-many' | 'limited' | 'unknown'

/** Why no key was made or revoked: every reason that is known. */
export class KeyProblem extends Error {
  override name = 'KeyProblem'
  readonly troubles: readonly KeyTrouble[]
  constructor(troubles: readonly KeyTrouble[]) {
    super(troubles.join(', '))
    this.troubles = troubles
  }
}

export interface AskedKey {
  merchantId: string
  name: string
  scopes: readonly Scope[]
  /** addresses and CIDR ranges as typed; empty: every address */
  addresses: string
  /** null: no end */
  days: number | null
}

/**
 * Makes an additional key. Its secret is returned here and never again. The owners of the merchant are mailed. Throws
 * NotAllowed, ProofNeeded or a KeyProblem.
 * @param formId of the form; a form that is sent twice makes one key
 */
export const createKey = async (
  tx: Tx,
  session: Session,
  asked: AskedKey,
  formId: string,
  secrets: Secrets,
  now: Now,
): Promise<{ id: string; secret: string }> => {
  const { merchantId, scopes } = asked
  await authoriseSession(tx, session, { merchantId, action: 'manage-keys', needsProof: true })
  if (scopes.some((scope) => MONEY_SCOPES.includes(scope)))
    await authorise(tx, { personId: session.person.id, action: 'manage-money-keys', merchantId })
  const recent = await countAdditionalKeysSince(tx, merchantId, new Date(now.real.getTime() - HOUR_MS))
  if (recent >= MOST_IN_AN_HOUR) throw new KeyProblem(['limited'])
  return makeKey(tx, asked, { actor: actorOf(session.person.id), person: session.person, formId }, secrets, now)
}

/** Makes an additional key for an operator, as `createKey` does for a member. Throws a KeyProblem or a RangeError. */
export const createKeyAsOperator = async (
  tx: Tx,
  asked: AskedKey,
  actor: string,
  secrets: Secrets,
  now: Now,
): Promise<{ id: string; secret: string }> => {
  if (!(await merchantExists(tx, asked.merchantId))) throw new RangeError(`no merchant has the id ${asked.merchantId}`)
  return makeKey(tx, asked, { actor, person: null, formId: null }, secrets, now)
}

const makeKey = async (
  tx: Tx,
  { merchantId, name, scopes, addresses: typed, days }: AskedKey,
  by: { actor: string; person: Person | null; formId: string | null },
  { ring, random }: Secrets,
  now: Now,
): Promise<{ id: string; secret: string }> => {
  const addresses = readRanges(typed)
  const troubles: KeyTrouble[] = [
    ...(!isKeyName(name) ? ['name' as const] : []),
    ...(scopes.length === 0 ? ['scopes' as const] : []),
    ...(addresses === undefined ? ['addresses' as const] : []),
  ]
  if (troubles.length > 0 || addresses === undefined) throw new KeyProblem(troubles)
  const expiresAt = days === null ? null : new Date(now.real.getTime() + days * DAY_MS)
  const { real, moment } = now
  const added: AddedKey = await addAdditionalKey(
    tx,
    { merchantId, name, scopes, addresses, expiresAt, createdBy: by.actor, formId: by.formId },
    { box: ring, random },
    { real, newId: moment.newId },
  )
  if (added.secret === undefined) throw new KeyProblem([added.problem])
  const detail = { keyId: added.id, name: added.name, scopes, addresses, expiresAt }
  await record(tx, { merchantId, personId: null, actor: by.actor, action: 'added key', detail }, now)
  await notifyOwners(
    tx,
    merchantId,
    { event: 'key-added', detail: `${added.name} (${scopes.join(', ')})`, by: by.person },
    now,
  )
  return added
}

/**
 * Revokes an additional key at once, in every process. Throws NotAllowed, ProofNeeded or a KeyProblem; that also for a
 * key that was revoked before.
 */
export const revokeKeyOf = async (
  tx: Tx,
  session: Session,
  key: { merchantId: string; id: string },
  now: Now,
): Promise<void> => {
  await authoriseSession(tx, session, { merchantId: key.merchantId, action: 'manage-keys', needsProof: true })
  if (!(await revoke(tx, key, actorOf(session.person.id), now))) throw new KeyProblem(['unknown'])
}

/** Revokes an additional key for an operator. @returns false when the merchant has no such valid additional key */
export const revokeKeyAsOperator = (
  tx: Tx,
  key: { merchantId: string; id: string },
  actor: string,
  now: Now,
): Promise<boolean> => revoke(tx, key, actor, now)

const revoke = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  actor: string,
  now: Now,
): Promise<boolean> => {
  const name = await revokeAdditionalKey(tx, { merchantId, id }, now.real)
  if (name === undefined) return false
  await record(tx, { merchantId, personId: null, actor, action: 'revoked key', detail: { keyId: id, name } }, now)
  return true
}

export interface ShownKey extends AdditionalKeyLine {
  /** the address of the person who made it; null: an operator */
  by: string | null
}

/** The additional keys of a merchant, valid ones first, and its main keys that are valid. Throws NotAllowed. */
export const readKeys = async (
  db: Db,
  personId: string,
  merchantId: string,
  now: Now,
): Promise<{ keys: ShownKey[]; main: { createdAt: Date; expiresAt: Date | null }[] }> => {
  await authorise(db, { personId, action: 'manage-keys', merchantId })
  const keys = await listAdditionalKeys(db, merchantId, now.real)
  const makers = keys.flatMap(({ createdBy }) => (createdBy.startsWith('person:') ? [createdBy.slice(7)] : []))
  const { rows } = await sql<{ id: string; email: string }>`select id, email from dashboard_people
    where id = any(${makers}::uuid[])`.execute(db)
  const emails = new Map(rows.map(({ id, email }) => [actorOf(id), email]))
  const main = (await listKeys(db, merchantId)).filter(
    ({ purpose, revokedAt, expiresAt }) =>
      purpose === 'api' && revokedAt === null && (expiresAt === null || expiresAt > now.real),
  )
  return { keys: keys.map((key) => ({ ...key, by: emails.get(key.createdBy) ?? null })), main }
}
