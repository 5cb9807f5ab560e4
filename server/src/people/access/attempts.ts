import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { deriveKey } from '../../platform/config/secrets.ts'

/** Failures in a row that only are counted; each further one blocks passwords, twice as long as the one before. */
const FREE = 5
const LONGEST_BLOCK_MINUTES = 60
/** After this time without an attempt, the count begins again. */
const FORGOTTEN_MS = 24 * 3_600_000

/** The rows of addresses are numbered from 0; those of browsers that have signed in before follow. */
export const ADDRESS_BUCKETS = 65_536

/** The row that counts the attempts for an address, known or not. */
export type BucketOf = (address: string) => number

/**
 * The rows are chosen with a key. Otherwise an attacker could compute an address that shares the row of another
 * person's address, and end the count of failures there by signing in with it.
 * @param dataKeys the newest first; when it changes, all counts begin again
 */
export const createBuckets = ([newest]: readonly Uint8Array[]): BucketOf => {
  if (newest === undefined) throw new RangeError('attempts need a data key')
  const key = deriveKey(newest, 'dashboard attempts')
  return (address) => createHmac('sha256', key).update(address).digest().readUInt16BE(0)
}

/**
 * Counts an attempt before it is checked, so that parallel ones can't pass together. Returns undefined while the bucket
 * is blocked: nothing is counted then.
 * @returns until when the attempt blocks further ones if it fails; null if it blocks none
 */
export const takeAttempt = async (
  db: Db,
  bucket: number,
  now: Date,
): Promise<{ blocksUntil: Date | null } | undefined> => {
  const forgotten = new Date(now.getTime() - FORGOTTEN_MS)
  const { rows } = await sql<{
    blocksUntil: Date | null
  }>`insert into dashboard_attempts as a (bucket, failed, blocked_until)
    values (${bucket}, 1, ${now})
    on conflict (bucket) do update set
      failed = case when a.blocked_until < ${forgotten} then 1 else least(a.failed + 1, 60) end,
      blocked_until = case when a.blocked_until < ${forgotten} or a.failed + 1 < ${FREE} then ${now}::timestamptz
        else ${now}::timestamptz + interval '1 minute' * least(power(2, a.failed + 1 - ${FREE}::int), ${LONGEST_BLOCK_MINUTES}::int) end
    where a.blocked_until <= ${now} returning nullif(blocked_until, ${now}::timestamptz) as "blocksUntil"`.execute(db)
  return rows[0]
}

/** Writes the row of a bucket without changing it. */
export const touchAttempts = async (tx: Tx, bucket: number): Promise<void> => {
  await sql`update dashboard_attempts set failed = failed where bucket = ${bucket}`.execute(tx)
}

/** The password and the code were right: the count begins again. */
export const clearAttempts = async (db: Db, bucket: number, now: Date): Promise<void> => {
  await sql`update dashboard_attempts set failed = 0, blocked_until = ${now} where bucket = ${bucket}`.execute(db)
}
