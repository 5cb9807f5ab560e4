import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../platform/config/secrets.ts'
import { ADDRESS_BUCKETS } from './attempts.ts'

const NONCE_BYTES = 16
const MAC_BYTES = 20

/**
 * Cookies of browsers in which a person has signed in (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 * Attempts of such a browser for the address of that person are counted by themselves, so that failures of others do
 * not block it. The cookie gives no other right, and does not show the address.
 */
export interface Devices {
  /**
   * The cookie of a session of the person of this address: the same one at each call, so that a stolen session gives
   * one count of attempts.
   */
  make(address: string, sessionId: string): string
  /** The row that counts the attempts of this browser for this address; undefined if it has not signed in as it. */
  bucketOf(cookie: string | undefined, address: string): number | undefined
}

/** @param dataKeys the newest first; cookies that older ones made are accepted */
export const createDevices = (dataKeys: readonly Uint8Array[]): Devices => {
  const keys = dataKeys.map((key) => deriveKey(key, 'dashboard devices'))
  const macOf = (key: Uint8Array, nonce: Buffer, address: string): Buffer =>
    createHmac('sha256', key).update(nonce).update(address).digest().subarray(0, MAC_BYTES)
  return {
    make: (address, sessionId) => {
      const nonce = createHmac('sha256', keys[0]!).update('nonce').update(sessionId).digest().subarray(0, NONCE_BYTES)
      return Buffer.concat([nonce, macOf(keys[0]!, nonce, address)]).toString('base64url')
    },
    bucketOf: (cookie, address) => {
      const bytes = Buffer.from(cookie ?? '', 'base64url')
      if (bytes.length !== NONCE_BYTES + MAC_BYTES || bytes.toString('base64url') !== cookie) return undefined
      const [nonce, mac] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)]
      if (!keys.some((key) => timingSafeEqual(macOf(key, nonce, address), mac))) return undefined
      return ADDRESS_BUCKETS + createHmac('sha256', keys[0]!).update('bucket').update(nonce).digest().readUInt16BE(0)
    },
  }
}
