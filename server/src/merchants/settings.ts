/** What a merchant can set (`contract.md` 14 and 18). Stored as JSON; every read fills in the defaults. */
export interface MerchantSettings {
  /** where notifications go; none are sent while it is null, and none are lost */
  notificationsUrl: string | null
  /** the merchant's site, for redirects */
  domain: string | null
  /** where the operator writes to about this merchant's deposits, withdrawals and failing notifications */
  email: string | null
  /** hosts that a payment page may send the payer back to */
  redirectHosts: string[]
  /** addresses that the unsigned form may name as `targetAddress` */
  formTargetAddresses: string[]
  /** most deposit addresses, null for no limit */
  addressLimit: number | null
  /** signed requests a minute, null for the installation's own limit */
  requestsPerMinute: number | null
  /** credit deposits only when screening has verified them; takes effect with screening */
  holdUntilVerified: boolean
}

export const DEFAULT_SETTINGS: MerchantSettings = {
  notificationsUrl: null,
  domain: null,
  email: null,
  redirectHosts: [],
  formTargetAddresses: [],
  addressLimit: null,
  requestsPerMinute: null,
  holdUntilVerified: false,
}

export type SettingName = keyof MerchantSettings
export const SETTING_NAMES = Object.keys(DEFAULT_SETTINGS) as SettingName[]

/** Stored settings with the defaults of this build; what this build does not know is left out. */
export const readSettings = (stored: unknown): MerchantSettings => {
  const given = (stored ?? {}) as Record<string, unknown>
  const known = SETTING_NAMES.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(known) }
}

const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,253}$/

/** Reads a setting as an operator writes it on a command line. Throws with what to write instead. */
export const parseSetting = (name: string, text: string): Partial<MerchantSettings> => {
  if (!SETTING_NAMES.includes(name as SettingName)) {
    throw new RangeError(`no setting is called ${name}: there are ${SETTING_NAMES.join(', ')}`)
  }
  const setting = name as SettingName
  return { [setting]: parsers[setting](text) }
}

const none = (text: string): boolean => text === '' || text === 'none'

const parsers: { [Name in SettingName]: (text: string) => MerchantSettings[Name] } = {
  notificationsUrl: (text) => (none(text) ? null : readUrl(text)),
  domain: (text) => (none(text) ? null : readHost(text)),
  email: (text) => {
    if (none(text)) return null
    if (!EMAIL.test(text)) throw new RangeError('email is an address such as shop@example.com, or none')
    return text
  },
  redirectHosts: (text) => (none(text) ? [] : text.split(',').map((host) => readHost(host.trim()))),
  formTargetAddresses: (text) => (none(text) ? [] : text.split(',').map((address) => address.trim())),
  addressLimit: (text) => (none(text) ? null : readCount(text, 'addressLimit')),
  requestsPerMinute: (text) => (none(text) ? null : readCount(text, 'requestsPerMinute')),
  holdUntilVerified: (text) => {
    if (text !== 'true' && text !== 'false') throw new RangeError('holdUntilVerified is true or false')
    return text === 'true'
  },
}

const readUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new RangeError('notificationsUrl is an http(s) address, or none')
  if (url.username !== '' || url.password !== '') throw new RangeError('notificationsUrl must not hold a user name or password')
  if (url.hash !== '') throw new RangeError('notificationsUrl must not have a fragment (#...)')
  return text
}

const readHost = (text: string): string => {
  if (!HOST.test(text)) throw new RangeError(`${JSON.stringify(text)} is not a host name such as shop.example.com`)
  return text
}

const readCount = (text: string, name: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`${name} is a whole number above 0, or none`)
  return Number(text)
}
