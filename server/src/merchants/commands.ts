import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import type { SecretBox } from '../platform/secrets.ts'
import { parseSetting, readSettings, type MerchantSettings } from './settings.ts'

/** Where random secrets come from; handed in like every source of chance. */
export type RandomBytes = (count: number) => Buffer

export interface NewMerchant {
  name: string
  companyName: string
  companyUrl: string
  settings?: Partial<MerchantSettings>
}

export type KeyPurpose = 'api' | 'webhook'

/** What a key protects is part of its seal. */
export const keyOwner = (merchantId: string, keyId: string): string => `merchant-key|${merchantId}|${keyId}`

interface Deps {
  box: SecretBox
  random: RandomBytes
  /** who does it, for the audit log */
  actor: string
}

/** Makes a merchant with its first private key and webhook secret. The key is shown once, here. */
export const createMerchant = async (
  tx: Tx,
  merchant: NewMerchant,
  deps: Deps,
  moment: Moment,
): Promise<{ id: string; privateKey: string; webhookSecret: string }> => {
  const id = moment.newId()
  await sql`insert into merchants(id, name, company_name, company_url, settings, created_at)
    values (${id}, ${merchant.name}, ${merchant.companyName}, ${merchant.companyUrl},
      ${JSON.stringify(readSettings(merchant.settings))}, ${moment.at})`.execute(tx)
  const api = await addKey(tx, id, 'api', deps, moment)
  const webhook = await addKey(tx, id, 'webhook', deps, moment)
  await audit(tx, id, deps.actor, 'created', { name: merchant.name }, moment)
  return { id, privateKey: api.secret, webhookSecret: webhook.secret }
}

/** Changes one setting. Throws a RangeError that says what to write when the name or value is wrong. */
export const setSetting = async (
  tx: Tx,
  merchantId: string,
  setting: { name: string; value: string },
  { actor }: Pick<Deps, 'actor'>,
  moment: Moment,
): Promise<MerchantSettings> => {
  const change = parseSetting(setting.name, setting.value)
  const { rows } = await sql<{ settings: unknown }>`update merchants set settings = settings || ${JSON.stringify(change)}::jsonb
    where id = ${merchantId} returning settings`.execute(tx)
  if (!rows[0]) throw new RangeError(`no merchant has the id ${merchantId}`)
  await audit(tx, merchantId, actor, `set ${setting.name}`, change, moment)
  return readSettings(rows[0].settings)
}

/** A new key that is valid at once; those before it stay valid until `overlapMs` from now. */
export const rotateKey = async (
  tx: Tx,
  merchantId: string,
  rotation: { purpose: KeyPurpose; overlapMs: number },
  deps: Deps,
  moment: Moment,
): Promise<{ keyId: string; secret: string }> => {
  const until = new Date(moment.at.getTime() + rotation.overlapMs)
  await sql`update merchant_keys set expires_at = ${until}
    where merchant_id = ${merchantId} and purpose = ${rotation.purpose} and (expires_at is null or expires_at > ${until})`.execute(tx)
  const key = await addKey(tx, merchantId, rotation.purpose, deps, moment)
  await audit(tx, merchantId, deps.actor, `rotated ${rotation.purpose} key`, { keyId: key.keyId, until }, moment)
  return key
}

/** Ends a key now, everywhere. */
export const revokeKey = async (
  tx: Tx,
  merchantId: string,
  keyId: string,
  { actor }: Pick<Deps, 'actor'>,
  moment: Moment,
): Promise<void> => {
  const { rows } = await sql`update merchant_keys set expires_at = ${moment.at}
    where merchant_id = ${merchantId} and id = ${keyId} and (expires_at is null or expires_at > ${moment.at}) returning id`.execute(tx)
  if (rows.length === 0) throw new RangeError(`merchant ${merchantId} has no valid key ${keyId}`)
  await audit(tx, merchantId, actor, 'revoked key', { keyId }, moment)
}

/** Turns a merchant off or on. Its requests then answer like those of an unknown merchant. */
export const setDisabled = async (
  tx: Tx,
  merchantId: string,
  disabled: boolean,
  { actor }: Pick<Deps, 'actor'>,
  moment: Moment,
): Promise<void> => {
  const { rows } = await sql`update merchants set disabled_at = ${disabled ? moment.at : null} where id = ${merchantId} returning id`.execute(tx)
  if (rows.length === 0) throw new RangeError(`no merchant has the id ${merchantId}`)
  await audit(tx, merchantId, actor, disabled ? 'disabled' : 'enabled', {}, moment)
}

/** Notes that a key has signed a good request: notifications are signed with it from now on. */
export const markKeyUsed = async (tx: Tx, merchantId: string, keyId: string, at: Date): Promise<void> => {
  await sql`update merchant_keys set first_used_at = ${at}
    where merchant_id = ${merchantId} and id = ${keyId} and first_used_at is null`.execute(tx)
}

const addKey = async (
  tx: Tx,
  merchantId: string,
  purpose: KeyPurpose,
  { box, random }: Deps,
  moment: Moment,
): Promise<{ keyId: string; secret: string }> => {
  const keyId = moment.newId()
  const secret = purpose === 'api' ? random(16).toString('hex') : `whsec_${random(24).toString('base64')}`
  await sql`insert into merchant_keys(merchant_id, id, purpose, sealed, created_at)
    values (${merchantId}, ${keyId}, ${purpose}, ${box.seal(secret, keyOwner(merchantId, keyId))}, ${moment.at})`.execute(tx)
  return { keyId, secret }
}

const audit = async (
  tx: Tx,
  merchantId: string,
  actor: string,
  action: string,
  detail: unknown,
  { at, newId }: Moment,
): Promise<void> => {
  await sql`insert into merchant_audit(merchant_id, id, at, actor, action, detail)
    values (${merchantId}, ${newId()}, ${at}, ${actor}, ${action}, ${JSON.stringify(detail)})`.execute(tx)
}
