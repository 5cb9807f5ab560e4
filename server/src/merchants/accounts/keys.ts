import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { resealed, type SecretBox, type SecretRing } from '../../platform/config/secrets.ts'
import { audit } from './audit.ts'

/** The source of random secrets, passed in like every source of randomness. */
type RandomBytes = (count: number) => Buffer

/** `api` signs requests and notifications, `webhook` is the secret of the Standard Webhooks headers. */
export type KeyPurpose = 'api' | 'webhook'

export interface KeyDeps {
  box: SecretBox
  random: RandomBytes
  /** who makes the change, for the audit log */
  actor: string
}

/** Associated data of a sealed key, which binds it to this key of this merchant. */
export const keyOwner = (merchantId: string, keyId: string): string => `merchant-key|${merchantId}|${keyId}`

/** A new secret: 32 lowercase hex digits for the API, `whsec_` and base64 for Standard Webhooks. */
const newSecret = (purpose: KeyPurpose, random: RandomBytes): string =>
  purpose === 'api' ? random(16).toString('hex') : `whsec_${random(24).toString('base64')}`

/** Stores a new key, valid at once. Its secret is returned here and never again. */
export const addKey = async (
  tx: Tx,
  merchantId: string,
  purpose: KeyPurpose,
  { box, random }: Pick<KeyDeps, 'box' | 'random'>,
  { at, newId }: Moment,
): Promise<{ keyId: string; secret: string }> => {
  const keyId = newId()
  const secret = newSecret(purpose, random)
  await sql`insert into merchant_keys(merchant_id, id, purpose, sealed, created_at)
    values (${merchantId}, ${keyId}, ${purpose}, ${box.seal(secret, keyOwner(merchantId, keyId))}, ${at})`.execute(tx)
  return { keyId, secret }
}

/**
 * Adds a key that is valid at once. The previous newest key expires after `overlapMs`, or is revoked now when that is
 * 0. Older keys are revoked now, so that at most two are valid. Locks the merchant, so that concurrent rotations can't
 * leave three.
 */
export const rotateKey = async (
  tx: Tx,
  merchantId: string,
  rotation: { purpose: KeyPurpose; overlapMs: number },
  deps: KeyDeps,
  moment: Moment,
): Promise<{ keyId: string; secret: string }> => {
  await lockMerchant(tx, merchantId)
  const { at } = moment
  const until = new Date(at.getTime() + rotation.overlapMs)
  const stayingCount = rotation.overlapMs > 0 ? 1 : 0
  await sql`with valid as (
      select id, row_number() over (order by created_at desc, id desc) <= ${stayingCount}::int as stays from merchant_keys
      where merchant_id = ${merchantId} and purpose = ${rotation.purpose} and revoked_at is null)
    update merchant_keys k set
      expires_at = case when v.stays then least(k.expires_at, ${until}) else k.expires_at end,
      revoked_at = case when v.stays then null else ${at}::timestamptz end
    from valid v where k.merchant_id = ${merchantId} and k.id = v.id`.execute(tx)
  const key = await addKey(tx, merchantId, rotation.purpose, deps, moment)
  const detail = { keyId: key.keyId, purpose: rotation.purpose, until }
  await audit(tx, merchantId, { actor: deps.actor, action: 'rotated key', detail }, moment)
  return key
}

/** Revokes a key at once, in every process. Without an API key a merchant can't sign, and notifications wait. */
export const revokeKey = async (
  tx: Tx,
  merchantId: string,
  keyId: string,
  { actor }: Pick<KeyDeps, 'actor'>,
  moment: Moment,
): Promise<void> => {
  await lockMerchant(tx, merchantId)
  const { rows } = await sql<{ purpose: KeyPurpose }>`update merchant_keys set revoked_at = ${moment.at}
    where merchant_id = ${merchantId} and id = ${keyId} and revoked_at is null returning purpose`.execute(tx)
  const key = rows[0]
  if (!key) throw new RangeError(`merchant ${merchantId} has no valid key ${keyId}`)
  await audit(tx, merchantId, { actor, action: 'revoked key', detail: { keyId, purpose: key.purpose } }, moment)
}

/** Records when a key was first used for a valid request. */
export const markKeyUsed = async (tx: Tx, merchantId: string, keyId: string, at: Date): Promise<void> => {
  await sql`update merchant_keys set first_used_at = ${at}
    where merchant_id = ${merchantId} and id = ${keyId} and first_used_at is null`.execute(tx)
}

const lockMerchant = async (tx: Tx, merchantId: string): Promise<void> => {
  const { rows } = await sql`select from merchants where id = ${merchantId} for update`.execute(tx)
  if (rows.length === 0) throw new RangeError(`no merchant has the id ${merchantId}`)
}

/** The number of keys that are sealed with each data key, by the prefix of that key's values. */
export const countSealedKeys = async (db: Db): Promise<{ prefix: string; count: number }[]> => {
  const { rows } = await sql<{
    prefix: string
    count: number
  }>`select substring(sealed for 12) as prefix, count(*) as count
    from (select sealed from merchant_keys union all select sealed from api_keys) keys group by 1 order by 1`.execute(
    db,
  )
  return rows
}

/**
 * Seals the next merchant keys that are not sealed with the newest data key with that one. A key whose old data key is
 * missing is left unchanged.
 * @returns how many were sealed again, how many could not be opened, and the last id when there may be more
 */
export const resealKeys = async (
  tx: Tx,
  ring: SecretRing,
  after: string,
  most: number,
): Promise<{ resealed: number; lost: number; last: string | undefined }> => {
  const { rows } = await sql<{
    merchantId: string
    id: string
    sealed: string
  }>`select merchant_id as "merchantId", id, sealed from merchant_keys
    where not starts_with(sealed, ${ring.newest}) and id > ${after} order by id limit ${most} for update`.execute(tx)
  let lost = 0
  for (const { merchantId, id, sealed } of rows) {
    const anew = resealed(ring, sealed, keyOwner(merchantId, id))
    if (anew === undefined) lost += 1
    else
      await sql`update merchant_keys set sealed = ${anew} where merchant_id = ${merchantId} and id = ${id}`.execute(tx)
  }
  return { resealed: rows.length - lost, lost, last: rows.length === most ? rows.at(-1)!.id : undefined }
}
