import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Signs the links by which payers of underpaid invoices ask for what is left to them. */
export interface ClaimTokens {
  of(invoiceId: string): string
  isOf(invoiceId: string, token: string): boolean
}

/** @param dataKey the installation's data key; the key that signs is derived from it, so that neither tells the other */
export const createClaimTokens = (dataKey: Uint8Array): ClaimTokens => {
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(0), 'bursar claim links', 32)))
  const of = (invoiceId: string): string => createHmac('sha256', key).update(invoiceId).digest('base64url')
  return {
    of,
    isOf: (invoiceId, token) => {
      const [given, right] = [Buffer.from(token), Buffer.from(of(invoiceId))]
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
