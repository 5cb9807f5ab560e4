import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { deriveKey } from '../../platform/config/secrets.ts'
import type { Secrets } from './now.ts'

const RANDOM_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 20
/** How long a page may stay open before its passkey is used. */
const VALID_MS = 15 * 60_000
/** Expired challenges that one use removes. */
const MOST_REMOVED = 20

/**
 * Challenges for WebAuthn. A challenge contains its time and a MAC over its purpose, so that showing a page stores
 * nothing. `useChallenge` stores those that were answered, and so each is accepted once.
 */
export interface Challenges {
  /** @param purpose such as `sign-in`, or `add|SESSION` */
  make(purpose: string, now: Date): string
  isOf(challenge: string, purpose: string, now: Date): boolean
}

/** @param dataKeys the newest first; a key of their own is derived from each */
export const createChallenges = (dataKeys: readonly Uint8Array[], random: Secrets['random']): Challenges => {
  const keys = dataKeys.map((key) => deriveKey(key, 'dashboard challenges'))
  const macOf = (key: Uint8Array, head: Buffer, purpose: string): Buffer =>
    createHmac('sha256', key).update(head).update(purpose).digest().subarray(0, MAC_BYTES)
  return {
    make: (purpose, now) => {
      const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES)
      random(RANDOM_BYTES).copy(head)
      head.writeUIntBE(now.getTime(), RANDOM_BYTES, TIME_BYTES)
      return Buffer.concat([head, macOf(keys[0]!, head, purpose)]).toString('base64url')
    },
    isOf: (challenge, purpose, now) => {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
        return false
      const [head, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)]
      if (!keys.some((key) => timingSafeEqual(macOf(key, head, purpose), mac))) return false
      const age = now.getTime() - head.readUIntBE(RANDOM_BYTES, TIME_BYTES)
      return age <= VALID_MS && age >= -VALID_MS
    },
  }
}

/** Stores that a challenge was answered. Returns false when it was before. */
export const useChallenge = async (tx: Tx, challenge: string, now: Date): Promise<boolean> => {
  await sql`delete from dashboard_challenges where challenge = any(array(
    select challenge from dashboard_challenges where expires_at < ${now} limit ${MOST_REMOVED} for update skip locked))`.execute(
    tx,
  )
  const until = new Date(now.getTime() + 2 * VALID_MS)
  const { rows } = await sql`insert into dashboard_challenges(challenge, expires_at) values (${challenge}, ${until})
    on conflict do nothing returning 1`.execute(tx)
  return rows.length > 0
}
