import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import type { SecretBox } from '../platform/secrets.ts'
import { keyOwner, type KeyPurpose } from './commands.ts'
import { readSettings, type MerchantSettings } from './settings.ts'

export interface MerchantKey {
  id: string
  purpose: KeyPurpose
  secret: string
  createdAt: number
  firstUsedAt: number | null
  /** ms, on the business clock; null while it has no end */
  expiresAt: number | null
}

export interface Merchant {
  id: string
  name: string
  companyName: string
  companyUrl: string
  settings: MerchantSettings
  disabled: boolean
  /** oldest first, expired ones included */
  keys: readonly MerchantKey[]
}

/** Merchants with their opened keys, kept in memory. Whoever hears of a change calls `forget`. */
export interface MerchantDirectory {
  /** null when there is no such merchant; unknown ids are kept too, so that asking for them again costs the same */
  find(merchantId: string): Promise<Merchant | null>
  forget(merchantId: string): void
  forgetAll(): void
}

const MOST_KEPT = 20_000

export const createDirectory = (db: Db, box: SecretBox): MerchantDirectory => {
  const kept = new Map<string, Promise<Merchant | null>>()
  return {
    find: (merchantId) => {
      const known = kept.get(merchantId)
      if (known) return known
      const reading = readMerchant(db, box, merchantId)
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
      kept.set(merchantId, reading)
      reading.catch(() => kept.delete(merchantId))
      return reading
    },
    forget: (merchantId) => {
      kept.delete(merchantId)
    },
    forgetAll: () => kept.clear(),
  }
}

interface Row {
  name: string
  companyName: string
  companyUrl: string
  settings: unknown
  disabledAt: Date | null
}

interface KeyRow {
  id: string
  purpose: KeyPurpose
  sealed: string
  createdAt: Date
  firstUsedAt: Date | null
  expiresAt: Date | null
}

const readMerchant = async (db: Db, box: SecretBox, id: string): Promise<Merchant | null> => {
  const { rows } = await sql<Row>`select name, company_name as "companyName", company_url as "companyUrl", settings,
    disabled_at as "disabledAt" from merchants where id = ${id}`.execute(db)
  const row = rows[0]
  if (!row) return null
  const keys = await sql<KeyRow>`select id, purpose, sealed, created_at as "createdAt", first_used_at as "firstUsedAt",
    expires_at as "expiresAt" from merchant_keys where merchant_id = ${id} order by created_at, id`.execute(db)
  return {
    id,
    name: row.name,
    companyName: row.companyName,
    companyUrl: row.companyUrl,
    settings: readSettings(row.settings),
    disabled: row.disabledAt !== null,
    keys: keys.rows.map((key) => ({
      id: key.id,
      purpose: key.purpose,
      secret: box.open(key.sealed, keyOwner(id, key.id)),
      createdAt: key.createdAt.getTime(),
      firstUsedAt: key.firstUsedAt?.getTime() ?? null,
      expiresAt: key.expiresAt?.getTime() ?? null,
    })),
  }
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
