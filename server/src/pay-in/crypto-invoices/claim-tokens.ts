import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto'

/** Signs the links by which payers of underpaid invoices ask for what is left to them. */
export interface ClaimTokens {
  of(invoiceId: string): string
  isOf(invoiceId: string, token: string): boolean
}

/**
 * @param dataKeys the installation's data keys, the newest first; the keys that sign are derived from them, so that
 *   neither tells the other. The newest signs, and links that an older one signed are good while it is kept
 */
export const createClaimTokens = (dataKeys: readonly Uint8Array[]): ClaimTokens => {
  const keys = dataKeys.map((dataKey) =>
    createSecretKey(new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(0), 'bursar claim links', 32))),
  )
  const tokenBy = (key: KeyObject, invoiceId: string): string =>
    createHmac('sha256', key).update(invoiceId).digest('base64url')
  return {
    of: (invoiceId) => tokenBy(keys[0]!, invoiceId),
    isOf: (invoiceId, token) =>
      keys.some((key) => {
        const [given, right] = [Buffer.from(token), Buffer.from(tokenBy(key, invoiceId))]
        return given.length === right.length && timingSafeEqual(given, right)
      }),
  }
}
