import { createHmac } from 'node:crypto'
import { sameText } from '../same-text.ts'

/**
 * HMAC-MD5 in hex over fields joined by `;`, in UTF-8; an empty field keeps its place
 * (wiki.wayforpay.com/en/view/852102, read 2026-11-21).
 */
export const signWayForPay = (secretKey: string, fields: readonly string[]): string =>
  createHmac('md5', secretKey).update(fields.join(';'), 'utf8').digest('hex')

/** Whether the signature matches one of the given forms of the fields. All are computed, whichever matches. */
export const isWayForPaySignature = (secretKey: string, given: string, ways: readonly (readonly string[])[]): boolean =>
  ways.map((fields) => sameText(given, signWayForPay(secretKey, fields))).includes(true)
