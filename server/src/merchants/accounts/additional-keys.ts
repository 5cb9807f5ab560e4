/** Additional keys of merchants, which sign requests within their scopes. Times are of the real clock. */
import { sql } from 'kysely'
import { SCOPES, type Scope } from '@bursar/contract'
import type { NewId } from '../../platform/base/id.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { resealed, type SecretBox, type SecretRing } from '../../platform/config/secrets.ts'

/** The most additional keys of a merchant that are valid at once: every process has them in memory. */
const MOST_ADDITIONAL_KEYS = 20
const LONGEST_NAME = 60

export interface NewAdditionalKey {
  merchantId: string
  /** 1 to 60 characters */
  name: string
  /** at least one */
  scopes: readonly Scope[]
  /** CIDR ranges; empty: every address */
  addresses: readonly string[]
  /** null: no end */
  expiresAt: Date | null
  /** `person:ID` or `cli:LOGIN` */
  createdBy: string
  /** of the form that asks for the key; null: none */
  formId: string | null
}

/**
 * - secret: the key was made, and this is its only copy in clear text; `name` is stored
 * - known: the form has made a key before
 * - too-many: the merchant has the most valid keys
 * - name: it has no characters, or too many
 * - scopes: there is none
 */
export type AddedKey =
  | { id: string; name: string; secret: string }
  | { problem: 'known' | 'too-many' | 'name' | 'scopes'; secret?: undefined }

/** Associated data of a sealed secret, which binds it to this key of this merchant. */
export const additionalKeyOwner = (merchantId: string, keyId: string): string => `api-key|${merchantId}|${keyId}`

/** A name in one line, without characters that can't be seen. */
const plainName = (typed: string): string => typed.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trim()

/** Whether a typed text is the name of a key: 1 to 60 characters that can be seen. */
export const isKeyName = (typed: string): boolean => {
  const { length } = [...plainName(typed)]
  return length > 0 && length <= LONGEST_NAME
}

/**
 * Stores a new additional key, valid at once. Calls for one merchant happen one after another, so that the number of
 * keys stays within its limit.
 */
export const addAdditionalKey = async (
  tx: Tx,
  given: NewAdditionalKey,
  { box, random }: { box: SecretBox; random: (count: number) => Buffer },
  { real, newId }: { real: Date; newId: NewId },
): Promise<AddedKey> => {
  const { merchantId, addresses, expiresAt, createdBy, formId } = given
  const name = plainName(given.name)
  const scopes = SCOPES.filter((scope) => given.scopes.includes(scope))
  if (!isKeyName(name)) return { problem: 'name' }
  if (scopes.length === 0) return { problem: 'scopes' }
  await sql`select pg_advisory_xact_lock(hashtextextended(${`additional keys of ${merchantId}`}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number; isKnown: boolean }>`select
      count(*) filter (where revoked_at is null and (expires_at is null or expires_at > ${real}))::int as count,
      coalesce(bool_or(form_id = ${formId}::uuid), false) as "isKnown"
    from api_keys where merchant_id = ${merchantId}`.execute(tx)
  const { count, isKnown } = rows[0]!
  if (isKnown) return { problem: 'known' }
  if (count >= MOST_ADDITIONAL_KEYS) return { problem: 'too-many' }
  const [id, secret] = [newId(), random(16).toString('hex')]
  const sealed = box.seal(secret, additionalKeyOwner(merchantId, id))
  await sql`insert into api_keys(merchant_id, id, name, sealed, scopes, addresses, expires_at, created_by, created_at, form_id)
    values (${merchantId}, ${id}, ${name}, ${sealed}, ${scopes}::text[], ${[...addresses]}::text[], ${expiresAt}, ${createdBy},
      ${real}, ${formId})`.execute(tx)
  return { id, name, secret }
}

/**
 * Revokes an additional key at once, in every process.
 * @returns its name; undefined when the merchant has no such key, or it was revoked before
 */
export const revokeAdditionalKey = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  real: Date,
): Promise<string | undefined> => {
  const { rows } = await sql<{ name: string }>`update api_keys set revoked_at = ${real}
    where merchant_id = ${merchantId} and id = ${id} and revoked_at is null returning name`.execute(tx)
  return rows[0]?.name
}

export interface AdditionalKeyLine {
  id: string
  name: string
  scopes: Scope[]
  addresses: string[]
  expiresAt: Date | null
  createdBy: string
  createdAt: Date
  revokedAt: Date | null
  lastUsedAt: Date | null
  lastUsedFrom: string | null
}

const MOST_LISTED = 100

/** The newest additional keys of a merchant: those that are valid first. Without their secrets. */
export const listAdditionalKeys = async (db: Db, merchantId: string, real: Date): Promise<AdditionalKeyLine[]> => {
  const { rows } = await sql<AdditionalKeyLine>`select id, name, scopes, addresses, expires_at as "expiresAt",
      created_by as "createdBy", created_at as "createdAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
      last_used_from as "lastUsedFrom"
    from api_keys where merchant_id = ${merchantId}
    order by revoked_at is null and (expires_at is null or expires_at > ${real}) desc, created_at desc, id
    limit ${MOST_LISTED}`.execute(db)
  return rows
}

/** Additional keys that a creator has made for a merchant since a time. */
export const countAdditionalKeysSince = async (tx: Tx, merchantId: string, since: Date): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from api_keys
    where merchant_id = ${merchantId} and created_at > ${since}`.execute(tx)
  return rows[0]!.count
}

/**
 * Seals the next additional keys that are not sealed with the newest data key with that one, as `resealKeys` does.
 * @returns how many were sealed again, how many could not be opened, and the last id when there may be more
 */
export const resealAdditionalKeys = async (
  tx: Tx,
  ring: SecretRing,
  after: string,
  most: number,
): Promise<{ resealed: number; lost: number; last: string | undefined }> => {
  const { rows } = await sql<{ merchantId: string; id: string; sealed: string }>`select merchant_id as "merchantId", id,
      sealed from api_keys
    where not starts_with(sealed, ${ring.newest}) and id > ${after} order by id limit ${most} for update`.execute(tx)
  let lost = 0
  for (const { merchantId, id, sealed } of rows) {
    const anew = resealed(ring, sealed, additionalKeyOwner(merchantId, id))
    if (anew === undefined) lost += 1
    else await sql`update api_keys set sealed = ${anew} where merchant_id = ${merchantId} and id = ${id}`.execute(tx)
  }
  return { resealed: rows.length - lost, lost, last: rows.length === most ? rows.at(-1)!.id : undefined }
}
