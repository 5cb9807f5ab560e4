import { outsideLink } from '@bursar/checkout/links'
import { isLanguage, LANGUAGES, type Language } from '../../platform/base/language.ts'
import { mailAddress } from '../../platform/base/mail-address.ts'

/** The settings of a merchant (`contract.md` 14 and 18), stored as JSON. Every read adds the defaults. */
export interface MerchantSettings {
  /** URL for notifications; while it is null they are stored, but not sent */
  notificationsUrl: string | null
  /** the merchant's site; set once */
  domain: string | null
  /** address for mails about this merchant's deposits, withdrawals and failing notifications */
  email: string | null
  /** language of these mails */
  mailLanguage: Language
  /** also mail about deposits and withdrawals, at most every 15 minutes; false: only failing notifications */
  activityMails: boolean
  /** also mail the balances at the end of each month */
  monthlyMails: boolean
  /** hosts to which a payment page may redirect the payer */
  redirectHosts: string[]
  /** colour of payment pages, `#rrggbb`; null for the default. Its contrast is raised where needed */
  accent: string | null
  /** https page and e-mail address where payers get help, linked on payment pages that report a problem */
  supportUrl: string | null
  supportEmail: string | null
  /** tickers that payment pages list first, in this order; the others follow in the order of the assets file */
  assetOrder: string[]
  /** addresses that the unsigned form may name as `targetAddress` */
  formTargetAddresses: string[]
  /** maximum number of deposit addresses; null: no limit */
  addressLimit: number | null
  /** signed requests per minute in one api process; null: the installation's limit */
  requestsPerMinute: number | null
  /** ticker into which received money without its own target is exchanged; null: it is not exchanged */
  defaultTarget: string | null
  /** credit deposits only after screening has cleared them; no effect without screening */
  holdUntilVerified: boolean
  /** accept invoices from web forms; false: refuse them */
  forms: boolean
  /** accept web forms only with a `token` that the merchant has signed */
  formTokenRequired: boolean
  /** currencies that the payer of a fiat form with a value and no ticker can choose from */
  formCurrencies: string[]
  /** hours during which credited money of card payments can't be spent; 0: it can be spent at once */
  cardHoldHours: number
  /** percent of each card payment that is held as a reserve against chargebacks, and for how many days; 0: none */
  cardReservePercent: number
  cardReserveDays: number
  /**
   * percent of the amount of a crypto invoice that may be missing, such as the fee of the payer's exchange: the
   * invoice is paid nevertheless; 0: nothing may be missing. And the most that may be missing, in whole USD
   */
  shortfallPercent: number
  shortfallUsd: number
  /** minutes in which a payer can try another card after a refusal, before the fiat invoice fails */
  retryMinutes: number
  /** percent of the signer's hourly and daily limits of an asset that this merchant's withdrawals may use */
  withdrawalHourPercent: number
  withdrawalDayPercent: number
}

export type SettingName = keyof MerchantSettings

export const DEFAULT_SETTINGS: MerchantSettings = {
  notificationsUrl: null,
  domain: null,
  email: null,
  mailLanguage: 'en',
  activityMails: true,
  monthlyMails: false,
  redirectHosts: [],
  accent: null,
  supportUrl: null,
  supportEmail: null,
  assetOrder: [],
  formTargetAddresses: [],
  addressLimit: null,
  requestsPerMinute: null,
  defaultTarget: null,
  holdUntilVerified: false,
  forms: true,
  formTokenRequired: false,
  formCurrencies: ['UAH'],
  cardHoldHours: 0,
  cardReservePercent: 0,
  cardReserveDays: 180,
  shortfallPercent: 0,
  shortfallUsd: 2,
  retryMinutes: 15,
  withdrawalHourPercent: 50,
  withdrawalDayPercent: 50,
}

export const SETTING_NAMES = Object.keys(DEFAULT_SETTINGS) as SettingName[]

/** Stored settings, completed with the defaults of this build; unknown settings are omitted. */
export const readSettings = (stored: unknown): MerchantSettings => {
  const given = (stored ?? {}) as Record<string, unknown>
  const known = SETTING_NAMES.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(known) }
}

/** Parses a setting from a command line. Throws a RangeError that says what to write instead. */
export const parseSetting = (name: SettingName, text: string): Partial<MerchantSettings> => {
  const trimmed = text.trim()
  const none = trimmed === '' || trimmed === 'none'
  switch (typeof DEFAULT_SETTINGS[name]) {
    case 'boolean':
      if (trimmed !== 'true' && trimmed !== 'false') throw new RangeError(`${name} is true or false`)
      return { [name]: trimmed === 'true' }
    case 'object':
      if (Array.isArray(DEFAULT_SETTINGS[name]))
        return checkSettings({ [name]: none ? [] : trimmed.split(',').map((item) => item.trim()) })
      if (none) return { [name]: null }
      return checkSettings({ [name]: COUNTS.has(name) ? readCount(name, trimmed) : trimmed })
    case 'string':
      return checkSettings({ [name]: trimmed })
    case 'number':
      return checkSettings({ [name]: /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : NaN })
    default:
      throw new Error(`${name} has a type that is not written as text`)
  }
}

const COUNTS = new Set<SettingName>(['addressLimit', 'requestsPerMinute'])
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/
const ADDRESS = /^[A-Za-z0-9:_.-]{1,128}$/
const TICKER = /^[A-Z0-9]{2,12}$/
const MOST_IN_LIST = 100
const LONGEST_URL = 2_048
/** longer than cardholders can dispute a payment */
const MOST_HELD_DAYS = 730
/** more than any fee of an exchange */
const MOST_SHORTFALL_PERCENT = 20
const MOST_SHORTFALL_USD = 100
/** as long as a fiat invoice lives */
const MOST_RETRY_MINUTES = 72 * 60

type Checks = { [Name in SettingName]?: (value: NonNullable<MerchantSettings[Name]>) => MerchantSettings[Name] }

/** Validates changed settings and returns them as they are stored. Throws a RangeError for an invalid value. */
export const checkSettings = (change: Partial<MerchantSettings>): Partial<MerchantSettings> => {
  const checked = Object.entries(change).map(([name, value]) => {
    if (!SETTING_NAMES.includes(name as SettingName)) {
      throw new RangeError(`no setting is called ${name}: there are ${SETTING_NAMES.join(', ')}`)
    }
    const check = CHECKS[name as SettingName] as ((value: unknown) => unknown) | undefined
    return [name, value === null || check === undefined ? value : check(value)]
  })
  return Object.fromEntries(checked) as Partial<MerchantSettings>
}

const CHECKS: Checks = {
  notificationsUrl: (text) => readEndpointUrl(text),
  domain: (text) => checkHost(text),
  email: (text) => checkMailAddress('email', text, 'shop@example.com'),
  mailLanguage: (text) => {
    if (!isLanguage(text)) throw new RangeError(`mailLanguage is one of ${LANGUAGES.join(', ')}`)
    return text
  },
  accent: (text) => {
    if (!/^#[0-9a-f]{6}$/i.test(text)) throw new RangeError('accent is a colour such as #0b6b4f, or none')
    return text.toLowerCase()
  },
  supportUrl: (text) => checkSupportUrl(text),
  supportEmail: (text) => checkMailAddress('supportEmail', text, 'help@example.com'),
  assetOrder: (tickers) => {
    if (tickers.some((ticker) => !TICKER.test(ticker)))
      throw new RangeError('assetOrder is a list of assets such as USDT,BTC, or none')
    return checkList('assetOrder', tickers)
  },
  redirectHosts: (hosts) => checkList('redirectHosts', hosts.map(checkHost)),
  formTargetAddresses: (addresses) => {
    const wrong = addresses.find((address) => !ADDRESS.test(address))
    if (wrong !== undefined) throw new RangeError(`formTargetAddresses: ${JSON.stringify(wrong)} is not an address`)
    return checkList('formTargetAddresses', addresses)
  },
  defaultTarget: (ticker) => {
    if (!TICKER.test(ticker)) throw new RangeError('defaultTarget is a ticker such as USDT, or none')
    return ticker
  },
  addressLimit: (count) => readCount('addressLimit', String(count)),
  requestsPerMinute: (count) => readCount('requestsPerMinute', String(count)),
  formCurrencies: (tickers) => {
    const wrong = tickers.find((ticker) => !TICKER.test(ticker))
    if (wrong !== undefined || tickers.length === 0)
      throw new RangeError('formCurrencies is a list of currencies such as UAH,KZT')
    return checkList('formCurrencies', tickers)
  },
  cardHoldHours: (hours) => checkNumber('cardHoldHours', hours, MOST_HELD_DAYS * 24),
  cardReservePercent: (percent) => checkNumber('cardReservePercent', percent, 100),
  cardReserveDays: (days) => checkNumber('cardReserveDays', days, MOST_HELD_DAYS),
  shortfallPercent: (percent) => checkNumber('shortfallPercent', percent, MOST_SHORTFALL_PERCENT),
  shortfallUsd: (dollars) => checkNumber('shortfallUsd', dollars, MOST_SHORTFALL_USD),
  retryMinutes: (minutes) => checkNumber('retryMinutes', minutes, MOST_RETRY_MINUTES),
  withdrawalHourPercent: (percent) => checkPercent('withdrawalHourPercent', percent),
  withdrawalDayPercent: (percent) => checkPercent('withdrawalDayPercent', percent),
}

const checkMailAddress = (name: string, text: string, example: string): string => {
  const address = mailAddress(text)
  if (address === undefined) throw new RangeError(`${name} is an address such as ${example}, or none`)
  return address
}

/**
 * Validates the URL of an endpoint and normalises its spelling, because notifications are signed over host and path.
 * Throws a RangeError.
 */
export const readEndpointUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new RangeError('notificationsUrl is an http(s) address, or none')
  if (url.username !== '' || url.password !== '')
    throw new RangeError('notificationsUrl must not hold a user name or password')
  if (url.hash !== '') throw new RangeError('notificationsUrl must not have a fragment (#...)')
  if (url.href.length > LONGEST_URL) throw new RangeError(`notificationsUrl has at most ${LONGEST_URL} characters`)
  return url.href
}

/** Refuses a URL that payment pages would not link. */
const checkSupportUrl = (text: string): string => {
  const link = outsideLink(text)
  if (link === undefined || link.length > LONGEST_URL)
    throw new RangeError('supportUrl is an address such as https://shop.example/help, without a password, or none')
  return link
}

const checkHost = (text: string): string => {
  const host = text.toLowerCase()
  if (!HOST.test(host)) throw new RangeError(`${JSON.stringify(text)} is not a host name such as shop.example.com`)
  return host
}

const checkList = (name: string, items: string[]): string[] => {
  if (items.length > MOST_IN_LIST) throw new RangeError(`${name} has at most ${MOST_IN_LIST} entries`)
  return [...new Set(items)]
}

const checkNumber = (name: string, value: number, most: number): number => {
  if (!Number.isSafeInteger(value) || value < 0 || value > most)
    throw new RangeError(`${name} is a whole number from 0 to ${most}`)
  return value
}

const checkPercent = (name: string, value: number): number => {
  if (!Number.isSafeInteger(value) || value < 1 || value > 100)
    throw new RangeError(`${name} is a whole number from 1 to 100`)
  return value
}

const readCount = (name: string, text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`${name} is a whole number above 0, or none`)
  return Number(text)
}
