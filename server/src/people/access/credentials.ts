import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { resealed, type SecretRing } from '../../platform/config/secrets.ts'
import type { Secrets } from './now.ts'
import { newRecoveryCodes, recoveryHashOf } from './tokens.ts'

/** A public key of a person's authenticator. */
export interface Passkey {
  id: string
  personId: string
  credentialId: string
  publicKey: Buffer
  counter: number
  name: string
  createdAt: Date
  usedAt: Date | null
}

const PASSKEY = sql.raw(`id, person_id as "personId", credential_id as "credentialId", public_key as "publicKey",
  counter::float8 as counter, name, created_at as "createdAt", used_at as "usedAt"`)

export const findPasskey = async (db: Db, credentialId: string): Promise<Passkey | undefined> =>
  (await sql<Passkey>`select ${PASSKEY} from dashboard_passkeys where credential_id = ${credentialId}`.execute(db))
    .rows[0]

/** The passkeys of a person, oldest first. */
export const listPasskeys = async (db: Db | Tx, personId: string): Promise<Passkey[]> =>
  (
    await sql<Passkey>`select ${PASSKEY} from dashboard_passkeys where person_id = ${personId}
      order by created_at, id`.execute(db)
  ).rows

/** Returns false when the authenticator's key is stored already, for this or another person. */
export const insertPasskey = async (tx: Tx, passkey: Omit<Passkey, 'usedAt'>): Promise<boolean> => {
  const { id, personId, credentialId, publicKey, counter, name, createdAt } = passkey
  const { rows } =
    await sql`insert into dashboard_passkeys(id, person_id, credential_id, public_key, counter, name, created_at)
    values (${id}, ${personId}, ${credentialId}, ${publicKey}, ${counter}, ${name}, ${createdAt})
    on conflict do nothing returning 1`.execute(tx)
  return rows.length > 0
}

/**
 * Records a use of a passkey. Returns false when the counter did not grow since it was read (WebAuthn, 6.1.1): another
 * request used it, or the authenticator was copied. Authenticators without a counter always say 0.
 */
export const markPasskeyUsed = async (tx: Tx, id: string, counter: number, now: Date): Promise<boolean> => {
  const { rows } = await sql`update dashboard_passkeys set counter = ${counter}, used_at = ${now}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0)) returning 1`.execute(tx)
  return rows.length > 0
}

/** Removes a passkey of a person. Returns its name; undefined if it is none of theirs. */
export const deletePasskey = async (tx: Tx, personId: string, id: string): Promise<string | undefined> =>
  (
    await sql<{ name: string }>`delete from dashboard_passkeys where person_id = ${personId} and id = ${id}
      returning name`.execute(tx)
  ).rows[0]?.name

/** The password of a person, with the decrypted secret of its one-time codes. */
export interface StoredPassword {
  personId: string
  hash: string
  seed: Buffer
}

const ownerOf = (personId: string): string => `one-time-code|${personId}`

export const findPassword = async (db: Db, address: string, ring: SecretRing): Promise<StoredPassword | undefined> => {
  const { rows } = await sql<{ personId: string; hash: string; sealed: string }>`select w.person_id as "personId",
      w.hash, w.sealed_seed as sealed
    from dashboard_passwords w join dashboard_people p on p.id = w.person_id where p.address = ${address}`.execute(db)
  const found = rows[0]
  return found && { ...found, seed: Buffer.from(ring.open(found.sealed, ownerOf(found.personId)), 'base64') }
}

export const hasPassword = async (db: Db | Tx, personId: string): Promise<boolean> =>
  (await sql`select from dashboard_passwords where person_id = ${personId}`.execute(db)).rows.length > 0

/** Stores a first or new password; the step of the code that was typed with it is spent. */
export const storePassword = async (
  tx: Tx,
  { personId, hash, seed }: StoredPassword,
  step: number,
  ring: SecretRing,
  now: Date,
): Promise<void> => {
  const sealed = ring.seal(seed.toString('base64'), ownerOf(personId))
  await sql`insert into dashboard_passwords(person_id, hash, sealed_seed, last_step, changed_at)
    values (${personId}, ${hash}, ${sealed}, ${step}, ${now})
    on conflict (person_id) do update set hash = excluded.hash, sealed_seed = excluded.sealed_seed,
      last_step = excluded.last_step, changed_at = excluded.changed_at`.execute(tx)
}

/** Spends the step of a one-time code. Returns false when that step or a later one was spent. */
export const spendStep = async (tx: Tx, personId: string, step: number): Promise<boolean> => {
  const { rows } = await sql`update dashboard_passwords set last_step = ${step}
    where person_id = ${personId} and last_step < ${step} returning 1`.execute(tx)
  return rows.length > 0
}

/** Spends a recovery code. Returns false when it is none, or was spent. */
export const spendRecoveryCode = async (tx: Tx, personId: string, typed: string, now: Date): Promise<boolean> => {
  const { rows } = await sql`update dashboard_recovery_codes set used_at = ${now}
    where person_id = ${personId} and code_hash = ${recoveryHashOf(typed)} and used_at is null returning 1`.execute(tx)
  return rows.length > 0
}

/** Replaces all recovery codes of a person. They are returned here and never again. */
export const replaceRecoveryCodes = async (tx: Tx, personId: string, random: Secrets['random']): Promise<string[]> => {
  const codes = newRecoveryCodes(random)
  await sql`delete from dashboard_recovery_codes where person_id = ${personId}`.execute(tx)
  await sql`insert into dashboard_recovery_codes(person_id, code_hash)
    select ${personId}, * from unnest(${codes.map(recoveryHashOf)}::bytea[])`.execute(tx)
  return codes
}

export const countRecoveryCodes = async (db: Db, personId: string): Promise<number> =>
  (
    await sql<{ count: number }>`select count(*)::int as count from dashboard_recovery_codes
      where person_id = ${personId} and used_at is null`.execute(db)
  ).rows[0]!.count

/** Deletes every way to sign in of a person. */
export const deleteCredentials = async (tx: Tx, personId: string): Promise<void> => {
  await sql`delete from dashboard_passkeys where person_id = ${personId}`.execute(tx)
  await sql`delete from dashboard_passwords where person_id = ${personId}`.execute(tx)
  await sql`delete from dashboard_recovery_codes where person_id = ${personId}`.execute(tx)
}

/** The number of one-time code secrets that are sealed with each data key, by the prefix of that key's values. */
export const countSealedSeeds = async (db: Db): Promise<{ prefix: string; count: number }[]> =>
  (
    await sql<{ prefix: string; count: number }>`select substring(sealed_seed for 12) as prefix, count(*)::int as count
      from dashboard_passwords group by 1 order by 1`.execute(db)
  ).rows

/**
 * Seals the next one-time code secrets that are not sealed with the newest data key with that one. One whose old data
 * key is missing is left unchanged.
 * @returns how many were sealed again, and the last id when there may be more
 */
export const resealSeeds = async (
  tx: Tx,
  ring: SecretRing,
  after: string,
  most: number,
): Promise<{ resealed: number; last: string | undefined }> => {
  const { rows } = await sql<{ personId: string; sealed: string }>`select person_id as "personId", sealed_seed as sealed
    from dashboard_passwords where not starts_with(sealed_seed, ${ring.newest}) and person_id > ${after}
    order by person_id limit ${most} for update`.execute(tx)
  let count = 0
  for (const { personId, sealed } of rows) {
    const anew = resealed(ring, sealed, ownerOf(personId))
    if (anew === undefined) continue
    await sql`update dashboard_passwords set sealed_seed = ${anew} where person_id = ${personId}`.execute(tx)
    count += 1
  }
  return { resealed: count, last: rows.length === most ? rows.at(-1)!.personId : undefined }
}
