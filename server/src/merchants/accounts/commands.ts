import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { audit } from './audit.ts'
import { addKey, type KeyDeps } from './keys.ts'
import {
  checkSettings,
  parseSetting,
  readSettings,
  SETTING_NAMES,
  type MerchantSettings,
  type SettingName,
} from './settings.ts'

export interface NewMerchant {
  name: string
  companyName: string
  companyUrl: string
  settings?: Partial<MerchantSettings>
}

/** Fields that are set like settings, but stored in columns of their own. */
const COLUMNS = { name: 'name', companyName: 'company_name', companyUrl: 'company_url' } as const
const FIELD_NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]
const LONGEST_FIELD = 255

/** Creates a merchant with its first private key and webhook secret. Both are returned here and never again. */
export const createMerchant = async (
  tx: Tx,
  merchant: NewMerchant,
  deps: KeyDeps,
  moment: Moment,
): Promise<{ id: string; privateKey: string; webhookSecret: string }> => {
  const id = moment.newId()
  const [name, companyName, companyUrl] = FIELD_NAMES.map((field) => checkField(field, merchant[field]))
  const settings = checkSettings(merchant.settings ?? {})
  await sql`insert into merchants(id, name, company_name, company_url, settings, created_at)
    values (${id}, ${name}, ${companyName}, ${companyUrl}, ${JSON.stringify(settings)}, ${moment.at})`.execute(tx)
  const api = await addKey(tx, id, 'api', deps, moment)
  const webhook = await addKey(tx, id, 'webhook', deps, moment)
  await audit(
    tx,
    id,
    { actor: deps.actor, action: 'created', detail: { name, companyName, companyUrl, settings } },
    moment,
  )
  return { id, privateKey: api.secret, webhookSecret: webhook.secret }
}

/**
 * Changes one setting, or the merchant's name, company name or company URL, as an operator writes it. Throws a
 * RangeError that says what to write when the name or the value is wrong.
 */
export const setSetting = async (
  tx: Tx,
  merchantId: string,
  { name, value }: { name: string; value: string },
  { actor }: Pick<KeyDeps, 'actor'>,
  moment: Moment,
): Promise<MerchantSettings> => {
  const change = isField(name) ? { [name]: checkField(name, value) } : parseSetting(settingName(name), value)
  const { rows } = await sql<{
    settings: unknown
  }>`select settings from merchants where id = ${merchantId} for update`.execute(tx)
  if (!rows[0]) throw new RangeError(`no merchant has the id ${merchantId}`)
  const before = readSettings(rows[0].settings)
  if (name === 'domain' && before.domain !== null)
    throw new RangeError(`domain is ${before.domain} and can't be changed`)
  if (isField(name)) {
    await sql`update merchants set ${sql.ref(COLUMNS[name])} = ${checkField(name, value)} where id = ${merchantId}`.execute(
      tx,
    )
  } else {
    await sql`update merchants set settings = settings || ${JSON.stringify(change)}::jsonb where id = ${merchantId}`.execute(
      tx,
    )
  }
  await audit(tx, merchantId, { actor, action: `set ${name}`, detail: change }, moment)
  return isField(name) ? before : { ...before, ...change }
}

/** Disables or enables a merchant. Requests of a disabled merchant get the same response as those of an unknown one. */
export const setDisabled = async (
  tx: Tx,
  merchantId: string,
  disabled: boolean,
  { actor }: Pick<KeyDeps, 'actor'>,
  moment: Moment,
): Promise<void> => {
  const { rows } = await sql`update merchants set disabled_at = ${disabled ? moment.at : null}
    where id = ${merchantId} returning id`.execute(tx)
  if (rows.length === 0) throw new RangeError(`no merchant has the id ${merchantId}`)
  await audit(tx, merchantId, { actor, action: disabled ? 'disabled' : 'enabled', detail: {} }, moment)
}

const isField = (name: string): name is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, name)

const settingName = (name: string): SettingName => {
  const known = SETTING_NAMES.find((setting) => setting === name)
  if (known) return known
  throw new RangeError(`no setting is called ${name}: there are ${[...FIELD_NAMES, ...SETTING_NAMES].join(', ')}`)
}

const checkField = (name: string, text: string): string => {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > LONGEST_FIELD || /\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed()) {
    throw new RangeError(`${name} is text of 1 to ${LONGEST_FIELD} characters in one line`)
  }
  if (name === 'companyUrl' && !/^https?:$/.test(URL.parse(trimmed)?.protocol ?? ''))
    throw new RangeError('companyUrl is an http(s) address such as https://shop.example')
  return trimmed
}
