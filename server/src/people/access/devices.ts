import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../platform/config/secrets.ts'
import { ADDRESS_BUCKETS } from './attempts.ts'

const NONCE_BYTES = 16
const MAC_BYTES = 20
/** People of one browser who are known by its cookie: the cookie is sent with every request. */
const MOST_PEOPLE = 4
const TOKEN = /^[\w-]{48}$/

const tokensIn = (cookie: string | undefined): string[] =>
  (cookie ?? '').split('.', MOST_PEOPLE).filter((token) => TOKEN.test(token))

/**
 * Cookies of browsers in which a person has signed in (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 * Attempts of such a browser for the address of that person are counted by themselves, so that failures of others do
 * not block it. The cookie gives no other right, and does not show the address. It has a token for each of the newest
 * people of the browser.
 */
export interface Devices {
  /**
   * The cookie of a session of the person of this address, with the tokens of other people of the browser. The token of
   * the session is the same one at each call, so that a stolen session gives one count of attempts.
   * @param before the cookie of the browser so far
   */
  make(address: string, sessionId: string, before: string | undefined): string
  /** The row that counts the attempts of this browser for this address; undefined if it has not signed in as it. */
  bucketOf(cookie: string | undefined, address: string): number | undefined
}

/** @param dataKeys the newest first; cookies that older ones made are accepted */
export const createDevices = (dataKeys: readonly Uint8Array[]): Devices => {
  const keys = dataKeys.map((key) => deriveKey(key, 'dashboard devices'))
  const macOf = (key: Uint8Array, nonce: Buffer, address: string): Buffer =>
    createHmac('sha256', key).update(nonce).update(address).digest().subarray(0, MAC_BYTES)
  return {
    make: (address, sessionId, before) => {
      const nonce = createHmac('sha256', keys[0]!).update('nonce').update(sessionId).digest().subarray(0, NONCE_BYTES)
      const token = Buffer.concat([nonce, macOf(keys[0]!, nonce, address)]).toString('base64url')
      const others = tokensIn(before).filter((other) => other !== token)
      return [token, ...others].slice(0, MOST_PEOPLE).join('.')
    },
    bucketOf: (cookie, address) => {
      for (const token of tokensIn(cookie)) {
        const bytes = Buffer.from(token, 'base64url')
        const [nonce, mac] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)]
        if (keys.some((key) => timingSafeEqual(macOf(key, nonce, address), mac)))
          return (
            ADDRESS_BUCKETS + createHmac('sha256', keys[0]!).update('bucket').update(nonce).digest().readUInt16BE(0)
          )
      }
      return undefined
    },
  }
}
