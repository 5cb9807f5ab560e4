import type { Scope } from '@bursar/contract'
import type { LogoReference } from '../logos/index.ts'
import type { Service } from './ending.ts'
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

/** A key that signs requests within its scopes; it never signs notifications. */
export interface AdditionalKey {
  id: string
  secret: string
  scopes: readonly Scope[]
  /** Whether requests from a network address may use it. */
  allows(address: string): boolean
  /** real clock, ms; null while it has no end */
  expiresAt: number | null
}

export interface Merchant {
  id: string
  name: string
  companyName: string
  companyUrl: string
  settings: MerchantSettings
  disabled: boolean
  service: Service
  /** the logo that its pages show */
  logo: LogoReference | null
  /** oldest first, without revoked ones */
  keys: readonly MerchantKey[]
  /** without revoked ones */
  additionalKeys: readonly AdditionalKey[]
}

/** Keys of a purpose that are valid at a time, oldest first. */
export const validKeys = (merchant: Merchant, purpose: KeyPurpose, at: number): MerchantKey[] =>
  merchant.keys.filter((key) => key.purpose === purpose && (key.expiresAt === null || key.expiresAt > at))
