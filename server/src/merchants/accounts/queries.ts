import { sql, type RawBuilder } from 'kysely'
import type { Logger } from 'pino'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { SecretBox } from '../../platform/config/secrets.ts'
import { shownReference, type LogoReference } from '../logos/index.ts'
import { SERVICE_COLUMN, type Service } from './ending.ts'
import { keyOwner, type KeyPurpose } from './keys.ts'
import { additionalKeyOwner, type AdditionalKeyLine } from './additional-keys.ts'
import { allowedBy } from './allowed-addresses.ts'
import type { AdditionalKey, Merchant, MerchantKey } from './merchant.ts'
import { readSettings, type MerchantSettings } from './settings.ts'

export interface MerchantLine {
  id: string
  name: string
  companyName: string
  disabled: boolean
  createdAt: Date
}

export const listMerchants = async (db: Db): Promise<MerchantLine[]> => {
  const { rows } =
    await sql<MerchantLine>`select id, name, company_name as "companyName", disabled_at is not null as disabled,
    created_at as "createdAt" from merchants order by created_at, id`.execute(db)
  return rows
}

/** The company name and URL that payers see. Throws when the merchant does not exist. */
export const companyOf = async (db: Db | Tx, merchantId: string): Promise<{ name: string; url: string }> => {
  const { rows } = await sql<{
    name: string
    url: string
  }>`select company_name as name, company_url as url from merchants
    where id = ${merchantId}`.execute(db)
  if (!rows[0]) throw new Error(`no merchant is ${merchantId}`)
  return rows[0]
}

/** The settings of a merchant, completed with the defaults of this build; the defaults alone for an unknown id. */
export const settingsOf = async (db: Db | Tx, merchantId: string): Promise<MerchantSettings> => {
  const { rows } = await sql<{ settings: unknown }>`select settings from merchants where id = ${merchantId}`.execute(db)
  return readSettings(rows[0]?.settings)
}

/** The settings of a merchant, which no other transaction changes before the end of this one. */
export const lockSettings = async (tx: Tx, merchantId: string): Promise<MerchantSettings> => {
  const { rows } = await sql<{ settings: unknown }>`select settings from merchants
    where id = ${merchantId} for update`.execute(tx)
  return readSettings(rows[0]?.settings)
}

export interface Profile {
  name: string
  companyName: string
  companyUrl: string
  createdAt: Date
  settings: MerchantSettings
}

/** The names and the settings of a merchant; undefined for an unknown id. */
export const profileOf = async (db: Db, merchantId: string): Promise<Profile | undefined> => {
  const { rows } = await sql<
    Omit<Profile, 'settings'> & { settings: unknown }
  >`select name, company_name as "companyName", company_url as "companyUrl", created_at as "createdAt", settings
    from merchants where id = ${merchantId}`.execute(db)
  return rows[0] && { ...rows[0], settings: readSettings(rows[0].settings) }
}

/** The ticker into which received money without its own target is exchanged; null: it is not exchanged. */
export const defaultTargetOf = async (db: Db | Tx, merchantId: string): Promise<string | null> => {
  const { rows } = await sql<{
    ticker: string | null
  }>`select settings ->> 'defaultTarget' as ticker from merchants where id = ${merchantId}`.execute(db)
  return rows[0]?.ticker ?? null
}

/** An SQL condition: true when the merchant wants deposits credited only after screening has cleared them. */
export const holdsUntilVerified = (merchantId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from merchants m where m.id = ${merchantId} and m.settings -> 'holdUntilVerified' = 'true'::jsonb)`

export interface KeyLine {
  id: string
  purpose: KeyPurpose
  createdAt: Date
  firstUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
}

/** The keys of a merchant, oldest first, without their secrets. */
export const listKeys = async (db: Db, merchantId: string): Promise<KeyLine[]> => {
  const { rows } = await sql<KeyLine>`select id, purpose, created_at as "createdAt", first_used_at as "firstUsedAt",
    expires_at as "expiresAt", revoked_at as "revokedAt" from merchant_keys
    where merchant_id = ${merchantId} order by created_at, id`.execute(db)
  return rows
}

/** A merchant's address for mails. */
export interface Mailbox {
  merchantId: string
  name: string
  email: string
  settings: MerchantSettings
}

/** Addresses of the given merchants, or of all; without those that have set no address or are disabled. */
export const mailboxes = async (db: Db | Tx, merchantIds: readonly string[] | null): Promise<Mailbox[]> => {
  const among = merchantIds === null ? sql`true` : sql`id = any(${[...merchantIds]}::uuid[])`
  const { rows } = await sql<{
    merchantId: string
    name: string
    settings: unknown
  }>`select id as "merchantId", name, settings from merchants
    where ${among} and settings ->> 'email' is not null and disabled_at is null order by id`.execute(db)
  return rows.flatMap(({ settings: stored, ...row }) => {
    const settings = readSettings(stored)
    return settings.email === null ? [] : [{ ...row, email: settings.email, settings }]
  })
}

interface Row {
  id: string
  name: string
  companyName: string
  companyUrl: string
  settings: unknown
  disabledAt: Date | null
  service: Service
  logo: LogoReference | null
}

interface KeyRow extends Omit<KeyLine, 'revokedAt'> {
  merchantId: string
  sealed: string
}

interface AdditionalKeyRow extends Pick<AdditionalKeyLine, 'id' | 'scopes' | 'addresses' | 'expiresAt'> {
  merchantId: string
  sealed: string
}

/**
 * Reads merchants with their decrypted keys: those with the given ids, or all when `ids` is null. A key that can't be
 * decrypted is logged and omitted. Throws when none can: then this process has the wrong data key.
 * @param before earlier result; its keys are not decrypted again
 */
export const readMerchants = async (
  db: Db,
  box: SecretBox,
  ids: readonly string[] | null,
  before: ReadonlyMap<string, Merchant>,
  log?: Pick<Logger, 'error'>,
): Promise<Merchant[]> => {
  const among = (column: string) => (ids === null ? sql`true` : sql`${sql.ref(column)} = any(${[...ids]}::uuid[])`)
  const { rows } = await sql<Row>`select id, name, company_name as "companyName", company_url as "companyUrl", settings,
    disabled_at as "disabledAt", ${SERVICE_COLUMN} as service, ${shownReference(sql`merchants.id`)} as logo from merchants
    where ${among('id')}`.execute(db)
  const keys = await sql<KeyRow>`select merchant_id as "merchantId", id, purpose, sealed, created_at as "createdAt",
    first_used_at as "firstUsedAt", expires_at as "expiresAt" from merchant_keys
    where revoked_at is null and ${among('merchant_id')} order by created_at, id`.execute(db)
  const additional = await sql<AdditionalKeyRow>`select merchant_id as "merchantId", id, sealed, scopes, addresses,
    expires_at as "expiresAt" from api_keys
    where revoked_at is null and ${among('merchant_id')} order by created_at, id`.execute(db)
  const failures: unknown[] = []
  const keysOf = Map.groupBy(keys.rows, (key) => key.merchantId)
  const additionalOf = Map.groupBy(additional.rows, (key) => key.merchantId)
  const opened = <Key>(row: { merchantId: string; id: string }, open: () => Key): Key[] => {
    try {
      return [open()]
    } catch (error) {
      log?.error({ err: error, merchantId: row.merchantId, keyId: row.id }, 'a key of a merchant can not be opened')
      failures.push(error)
      return []
    }
  }
  const merchants = rows.map(({ settings, disabledAt, ...row }) => ({
    ...row,
    settings: readSettings(settings),
    disabled: disabledAt !== null,
    keys: (keysOf.get(row.id) ?? []).flatMap((key) => opened(key, () => openKey(key, box, before.get(row.id)))),
    additionalKeys: (additionalOf.get(row.id) ?? []).flatMap((key) =>
      opened(key, () => openAdditionalKey(key, box, before.get(row.id))),
    ),
  }))
  if (failures.length > 0 && failures.length === keys.rows.length + additional.rows.length) throw failures[0]
  return merchants
}

const openKey = (row: KeyRow, box: SecretBox, before: Merchant | undefined): MerchantKey => ({
  id: row.id,
  purpose: row.purpose,
  secret:
    before?.keys.find((key) => key.id === row.id)?.secret ?? box.open(row.sealed, keyOwner(row.merchantId, row.id)),
  createdAt: row.createdAt.getTime(),
  firstUsedAt: row.firstUsedAt?.getTime() ?? null,
  expiresAt: row.expiresAt?.getTime() ?? null,
})

const openAdditionalKey = (row: AdditionalKeyRow, box: SecretBox, before: Merchant | undefined): AdditionalKey => ({
  id: row.id,
  secret:
    before?.additionalKeys.find((key) => key.id === row.id)?.secret ??
    box.open(row.sealed, additionalKeyOwner(row.merchantId, row.id)),
  scopes: row.scopes,
  allows: allowedBy(row.addresses),
  expiresAt: row.expiresAt?.getTime() ?? null,
})

/** Whether a merchant with this id exists. */
export const merchantExists = async (db: Db | Tx, id: string): Promise<boolean> => {
  const { rows } = await sql`select 1 from merchants where id = ${id}`.execute(db)
  return rows.length === 1
}

/** The percent of the signer's hourly and daily limits, for each merchant that has set one. */
export const withdrawalPercents = async (
  db: Db | Tx,
): Promise<Map<string, { hour: number | null; day: number | null }>> => {
  const percents = sql`id, (settings ->> 'withdrawalHourPercent')::int as hour, (settings ->> 'withdrawalDayPercent')::int as day`
  // Each part of the union has its own partial index, with few merchants in it.
  const { rows } = await sql<{
    id: string
    hour: number | null
    day: number | null
  }>`select ${percents} from merchants where settings ? 'withdrawalDayPercent'
    union select ${percents} from merchants where settings ? 'withdrawalHourPercent'`.execute(db)
  return new Map(rows.map(({ id, hour, day }) => [id, { hour, day }]))
}
