import type { KeyPurpose } from './keys.ts'
import type { MerchantSettings } from './settings.ts'

export interface MerchantKey {
  id: string
  purpose: KeyPurpose
  secret: string
  createdAt: number
  firstUsedAt: number | null
  /** ms; null while it has no end */
  expiresAt: number | null
}

export interface Merchant {
  id: string
  name: string
  companyName: string
  companyUrl: string
  settings: MerchantSettings
  disabled: boolean
  /** oldest first, revoked ones left out */
  keys: readonly MerchantKey[]
}

/** Keys of a purpose that are valid at a time, oldest first. */
export const validKeys = (merchant: Merchant, purpose: KeyPurpose, at: number): MerchantKey[] =>
  merchant.keys.filter((key) => key.purpose === purpose && (key.expiresAt === null || key.expiresAt > at))

/** Where and how notifications of a merchant are sent. */
export interface Endpoint {
  url: string
  /** signs SIGNATURE: the newest key that the merchant has used, so that notifications follow a rotation by themselves */
  signingKey: string
  /** Standard Webhooks secrets, newest first */
  webhookSecrets: readonly string[]
}

/** Null while the merchant has no notifications address, no valid key, or is unknown. */
export const endpointOf = (merchant: Merchant | null, at: number): Endpoint | null => {
  if (!merchant || merchant.settings.notificationsUrl === null) return null
  const keys = validKeys(merchant, 'api', at)
  const signing = keys.findLast((key) => key.firstUsedAt !== null) ?? keys[0]
  if (!signing) return null
  return {
    url: merchant.settings.notificationsUrl,
    signingKey: signing.secret,
    webhookSecrets: validKeys(merchant, 'webhook', at).map((key) => key.secret).toReversed(),
  }
}
