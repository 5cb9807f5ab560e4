/**
 * Additional endpoints of merchants: each gets the notifications of the kinds that it has chosen, from the time at
 * which it is made, signed with a secret of its own.
 */
import { sql } from 'kysely'
import { notifications } from '@bursar/contract'
import type { Moment } from '../../platform/base/moment.ts'
import { resealed, type SecretBox, type SecretRing } from '../../platform/config/secrets.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { endEndpointAlertIfOver } from './alert.ts'

/** The most additional endpoints of a merchant: with the one of its settings it has ten. */
export const MOST_ADDITIONAL_ENDPOINTS = 9
/** Endpoints that are made for a merchant within an hour, also those that are removed again. */
const MOST_IN_AN_HOUR = 30
const HOUR_MS = 3_600_000
const LONGEST_DESCRIPTION = 100

/** The kinds of notifications of the API, each once. */
export const NOTIFICATION_KINDS: readonly string[] = [...new Set(notifications.map(({ kind }) => kind))]

/** The choices of an endpoint. */
export interface EndpointChoices {
  /** as `notificationsUrl` of the settings is stored */
  url: string
  /** at most 100 characters in one line; may be empty */
  description: string
  /** null: all, also those that a later version adds */
  kinds: readonly string[] | null
  /** while it is off its notifications wait */
  isOn: boolean
}

/** An additional endpoint, without its secrets. */
export interface AdditionalEndpoint {
  id: string
  url: string
  description: string
  kinds: string[] | null
  isOn: boolean
  createdAt: Date
  /** business clock: until then notifications have signatures with the secret before too */
  beforeUntil: Date | null
  /** of the form that has replaced the secret last; null: it is the first secret */
  rotationId: string | null
}

/** Associated data of a sealed secret, which binds it to its endpoint. */
export const secretOwner = (endpointId: string): string => `webhook-endpoint|${endpointId}`

const newSecret = (random: (count: number) => Buffer): string => `whsec_${random(24).toString('base64')}`

/** A description in one line, without characters that can't be seen; undefined: it is too long. */
export const readDescription = (typed: string): string | undefined => {
  const text = typed.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trim()
  return [...text].length <= LONGEST_DESCRIPTION && text.isWellFormed() ? text : undefined
}

const COLUMNS = sql`id, url, description, kinds, is_on as "isOn", created_at as "createdAt", before_until as "beforeUntil",
  rotation_id as "rotationId"`

/** The additional endpoints of a merchant, oldest first. */
export const listEndpoints = async (db: Db | Tx, merchantId: string): Promise<AdditionalEndpoint[]> =>
  (
    await sql<AdditionalEndpoint>`select ${COLUMNS} from webhook_endpoints
      where merchant_id = ${merchantId} and removed_at is null order by created_at, id`.execute(db)
  ).rows

/** An additional endpoint of a merchant; undefined: the merchant has none of this id. */
export const findEndpoint = async (
  db: Db | Tx,
  merchantId: string,
  id: string,
): Promise<AdditionalEndpoint | undefined> =>
  (
    await sql<AdditionalEndpoint>`select ${COLUMNS} from webhook_endpoints
      where merchant_id = ${merchantId} and id = ${id} and removed_at is null`.execute(db)
  ).rows[0]

/**
 * - known: the form has made its endpoint before
 * - too-many: the merchant has the most endpoints
 * - limited: too many were made within an hour
 */
export type AddedEndpoint =
  | { secret: string; problem?: undefined }
  | { problem: 'known' | 'too-many' | 'limited'; secret?: undefined }

interface SecretDeps {
  box: Pick<SecretBox, 'seal'>
  random: (count: number) => Buffer
}

/**
 * Stores a new endpoint. Its secret is returned here and never again. Calls for one merchant happen one after another,
 * so that their number stays within its limit.
 * @param given `id`: chosen with the form. `createdBy`: `person:ID` or `cli:LOGIN`
 */
export const addEndpoint = async (
  tx: Tx,
  given: Omit<EndpointChoices, 'isOn'> & { merchantId: string; id: string; createdBy: string },
  { box, random }: SecretDeps,
  { at }: Moment,
): Promise<AddedEndpoint> => {
  const { merchantId, id, url, description, kinds, createdBy } = given
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook endpoints of ${merchantId}`}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number; recent: number }>`select
      (select count(*)::int from webhook_endpoints where merchant_id = ${merchantId} and removed_at is null) as count,
      (select count(*)::int from webhook_endpoints where merchant_id = ${merchantId}
        and created_at > ${new Date(at.getTime() - HOUR_MS)}) as recent`.execute(tx)
  const { rows: same } = await sql`select from webhook_endpoints where id = ${id}`.execute(tx)
  if (same.length > 0) return { problem: 'known' }
  if (rows[0]!.count >= MOST_ADDITIONAL_ENDPOINTS) return { problem: 'too-many' }
  if (rows[0]!.recent >= MOST_IN_AN_HOUR) return { problem: 'limited' }
  const secret = newSecret(random)
  const { rows: added } =
    await sql`insert into webhook_endpoints(id, merchant_id, url, description, kinds, sealed, created_by, created_at)
    values (${id}, ${merchantId}, ${url}, ${description}, ${kinds === null ? null : [...kinds]}::text[],
      ${box.seal(secret, secretOwner(id))}, ${createdBy}, ${at}) on conflict do nothing returning 1`.execute(tx)
  return added.length > 0 ? { secret } : { problem: 'known' }
}

/** An endpoint of a merchant that no other transaction changes before the end of this one; undefined: there is none. */
export const lockEndpoint = async (tx: Tx, merchantId: string, id: string): Promise<AdditionalEndpoint | undefined> =>
  (
    await sql<AdditionalEndpoint>`select ${COLUMNS} from webhook_endpoints
      where merchant_id = ${merchantId} and id = ${id} and removed_at is null for update`.execute(tx)
  ).rows[0]

/** Changes an endpoint that is locked. A change of `kinds` concerns notifications that are made later. */
export const changeEndpoint = async (
  tx: Tx,
  merchantId: string,
  id: string,
  { url, description, kinds, isOn }: EndpointChoices,
): Promise<void> => {
  await sql`update webhook_endpoints set url = ${url}, description = ${description},
      kinds = ${kinds === null ? null : [...kinds]}::text[], is_on = ${isOn}
    where merchant_id = ${merchantId} and id = ${id} and removed_at is null`.execute(tx)
}

/**
 * Replaces the secret of an endpoint. Notifications have signatures with both secrets for `overlapMs`; an older secret
 * ends at once.
 * @param rotationId of the form; a form that is sent twice replaces the secret once
 * @returns the new secret, here and never again; undefined: there is no such endpoint, or the form was used before
 */
export const rotateEndpointSecret = async (
  tx: Tx,
  merchantId: string,
  { id, rotationId, overlapMs }: { id: string; rotationId: string; overlapMs: number },
  { box, random }: SecretDeps,
  { at }: Moment,
): Promise<string | undefined> => {
  const secret = newSecret(random)
  const { rows } =
    await sql`update webhook_endpoints set sealed_before = sealed, before_until = ${new Date(at.getTime() + overlapMs)},
      sealed = ${box.seal(secret, secretOwner(id))}, rotation_id = ${rotationId}
    where merchant_id = ${merchantId} and id = ${id} and removed_at is null and rotation_id is distinct from ${rotationId}::uuid
    returning 1`.execute(tx)
  return rows.length > 0 ? secret : undefined
}

/**
 * Removes an endpoint with its secrets. Nothing is sent to it any more; what waits for it is deleted in the background.
 * @returns its URL; undefined: there is no such endpoint
 */
export const removeEndpoint = async (
  tx: Tx,
  merchantId: string,
  id: string,
  { at }: Moment,
): Promise<string | undefined> => {
  const { rows } = await sql<{ url: string }>`update webhook_endpoints set removed_at = ${at}, sealed = '',
      sealed_before = null, before_until = null
    where merchant_id = ${merchantId} and id = ${id} and removed_at is null returning url`.execute(tx)
  if (rows[0]) await endEndpointAlertIfOver(tx, id, at)
  return rows[0]?.url
}

const PRUNE_AT_ONCE = 5_000

/**
 * Deletes what waits for removed endpoints, and ends their alerts: a worker may have raised one for an attempt that was
 * under way at the removal. Endpoints that were removed long ago are then deleted.
 * @param before business clock: those that were removed earlier are deleted
 * @returns whether there may be more
 */
export const pruneRemoved = async (tx: Tx, before: Date, { at }: Pick<Moment, 'at'>): Promise<boolean> => {
  const { rows } = await sql<{ endpointId: string }>`delete from endpoint_streams where ctid = any(array(
      select s.ctid from webhook_endpoints e join endpoint_streams s on s.endpoint_id = e.id
      where e.removed_at is not null limit ${PRUNE_AT_ONCE})) returning endpoint_id as "endpointId"`.execute(tx)
  for (const id of new Set(rows.map(({ endpointId }) => endpointId))) await endEndpointAlertIfOver(tx, id, at)
  const { rows: gone } = await sql`delete from webhook_endpoints where ctid = any(array(
      select e.ctid from webhook_endpoints e where e.removed_at < ${before}
        and not exists (select from endpoint_streams s where s.endpoint_id = e.id) limit ${PRUNE_AT_ONCE})) returning 1`.execute(
    tx,
  )
  return rows.length === PRUNE_AT_ONCE || gone.length === PRUNE_AT_ONCE
}

/** The number of secrets that are sealed with each data key, by the prefix of that key's values. */
export const countSealedEndpoints = async (db: Db): Promise<{ prefix: string; count: number }[]> =>
  (
    await sql<{ prefix: string; count: number }>`select substring(sealed for 12) as prefix, count(*) as count
      from (select sealed from webhook_endpoints where removed_at is null
        union all select sealed_before from webhook_endpoints where removed_at is null and sealed_before is not null) s
      group by 1 order by 1`.execute(db)
  ).rows

/**
 * Seals the next secrets of endpoints that are not sealed with the newest data key with that one.
 * @returns how many were sealed again, how many could not be opened, and the last id when there may be more
 */
export const resealEndpoints = async (
  tx: Tx,
  ring: SecretRing,
  after: string,
  most: number,
): Promise<{ resealed: number; lost: number; last: string | undefined }> => {
  const { rows } = await sql<{
    id: string
    sealed: string
    sealedBefore: string | null
  }>`select id, sealed, sealed_before as "sealedBefore"
    from webhook_endpoints where removed_at is null and id > ${after}
      and (not starts_with(sealed, ${ring.newest}) or not starts_with(coalesce(sealed_before, ${ring.newest}), ${ring.newest}))
    order by id limit ${most} for update`.execute(tx)
  let [done, lost] = [0, 0]
  for (const { id, sealed, sealedBefore } of rows) {
    const anew = resealedOrSame(ring, sealed, id)
    const anewBefore = sealedBefore === null ? null : resealedOrSame(ring, sealedBefore, id)
    const lostHere = Number(anew === undefined) + Number(anewBefore === undefined)
    lost += lostHere
    if (lostHere === 0) done += 1
    await sql`update webhook_endpoints set sealed = ${anew ?? sealed}, sealed_before = ${anewBefore ?? sealedBefore}
      where id = ${id}`.execute(tx)
  }
  return { resealed: done, lost, last: rows.length === most ? rows.at(-1)!.id : undefined }
}

const resealedOrSame = (ring: SecretRing, sealed: string, id: string): string | undefined =>
  sealed.startsWith(ring.newest) ? sealed : resealed(ring, sealed, secretOwner(id))
