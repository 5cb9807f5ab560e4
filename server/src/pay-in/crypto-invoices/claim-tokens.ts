import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto'

/** Signs the links by which payers of underpaid invoices claim a refund or pay the rest. */
export interface ClaimTokens {
  of(invoiceId: string): string
  isOf(invoiceId: string, token: string): boolean
}

/**
 * @param dataKeys data keys of the installation, newest first. The signing keys are derived from them, so that one kind
 * does not reveal the other. The newest key signs; links signed by an older one are valid while that key is configured
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
